/** The commands of docs/install.md and of README.md's Install, taken from the pages and run as they stand there. */
const { execFile } = require('node:child_process');
const { join } = require('node:path');
const { promisify } = require('node:util');
const { cleanEnvironment, withFirstOnPath } = require('../../dev/install/cleanEnvironment');
const { ROOT } = require('../../dev/paths');
const { sectionOf, textOf } = require('../helpers/pages');

const docs = join(ROOT, 'docs');
const page = textOf('docs/install.md');
const readme = sectionOf(textOf('README.md'), 'Install');

/**
 * The block of commands below `<!-- NAME -->`.
 * @param {string} name
 */
function commandsOf(name) {
	const [, commands] = new RegExp(`<!-- ${name} -->\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(page + readme) ?? [];
	if (!commands) throw new Error(`No page shows commands called ${name}`);
	return commands;
}

/**
 * Runs the block below `<!-- run: NAME -->` in a shell that stops at the first failure.
 * @param {string} name
 * @param {{ home: string, cwd?: string, bin: string }} place `home` is `~`, `bin` comes first on the PATH
 * @returns {Promise<string>} what it wrote
 */
async function runCommands(name, { home, cwd = home, bin }) {
	const environment = withFirstOnPath(cleanEnvironment({ HOME: home }), bin);
	const shell = promisify(execFile)('sh', ['-e', '-c', commandsOf(`run: ${name}`)], { cwd, env: environment });
	return (await shell).stdout;
}

/** The names of all blocks, so that none is forgotten. @param {string} text */
const blocksOf = (text) => [...text.matchAll(/(?:<!-- (.*) -->\n)?```sh\n/g)].map(([, name]) => name);

module.exports = { blocks: blocksOf(page), readmeBlocks: blocksOf(readme), commandsOf, docs, runCommands };
