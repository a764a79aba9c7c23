/**
 * What README.md shows: its examples of output, and its marked sections.
 */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');

const readme = () => readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The JSON that README.md shows below `<!-- output: NAME -->`. @param {string} name */
exports.outputInReadme = (name) => {
	const [, json] = new RegExp(`<!-- output: ${name} -->\\s*\`\`\`json\\n([\\s\\S]*?)\`\`\``).exec(readme()) ?? [];
	if (!json) throw new Error(`README.md shows no output called ${name}`);
	return JSON.parse(json);
};

/** The text between `<!-- NAME -->` and `<!-- /NAME -->`. @param {string} name */
exports.sectionInReadme = (name) => {
	const [, text] = new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)\\n<!-- /${name} -->`).exec(readme()) ?? [];
	return text;
};
