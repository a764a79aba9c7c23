/** Contents of the pages for users (README.md and docs/): their examples of output, and their marked sections. */
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');

const PAGES = [
	'README.md',
	...readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];
exports.PAGES = PAGES;

/** @param {string} page */
exports.textOf = (page) => readFileSync(join(ROOT, page), 'utf8');

/**
 * What matches on the one page that has it: a figure that stood on two pages would be wrong on one of them one day.
 * @param {string} what @param {RegExp} pattern with one group
 */
function onOnePage(what, pattern) {
	const found = PAGES.flatMap((page) => pattern.exec(exports.textOf(page))?.[1] ?? []);
	if (found.length !== 1) throw new Error(`${found.length} pages show ${what}`);
	return found[0];
}

/** The JSON that a page shows below `<!-- output: NAME -->`. @param {string} name */
exports.outputInPages = (name) =>
	JSON.parse(
		onOnePage(`an output called ${name}`, new RegExp(`<!-- output: ${name} -->\\s*\`\`\`json\\n([\\s\\S]*?)\`\`\``)),
	);

/** The text between `<!-- NAME -->` and `<!-- /NAME -->`. @param {string} name */
exports.sectionInPages = (name) =>
	onOnePage(`a section called ${name}`, new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)\\n<!-- /${name} -->`));

/** What stands below a heading of the second level, up to the next. @param {string} text @param {string} heading */
exports.sectionOf = (text, heading) => {
	const [, section] = new RegExp(`\\n## ${heading}\\n([\\s\\S]*?)(?=\\n## |$(?![\\s\\S]))`).exec(text) ?? [];
	if (section === undefined) throw new Error(`There is no ${heading}`);
	return section;
};
