/**
 * A page that names a path tells the truth: every path in a Markdown file is there. So is each quirk of a comment. A path is
 * - the target of a relative link, unless it leads out of the repository to a page of GitHub's,
 * - anywhere in a page, what begins with an entry of the root and a slash (`dev/setup.js`; `dev/host/*` means its folder),
 * - in backticks, what begins with a room of the node and a slash (`http/client.ts`), or a lone name of a code file (`poll.ts`).
 */
const { readFileSync } = require('node:fs');
const { dirname, join, normalize } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { repositoryFiles } = require('../helpers/folder');

const NODE = 'nodes/HealthDataService';
const files = repositoryFiles();
const pages = files.filter((file) => file.endsWith('.md'));
const folders = new Set(
	files.flatMap((file) => file.split('/').map((_, depth, parts) => parts.slice(0, depth).join('/'))),
);
/** @param {string} below */
const foldersIn = (below) => [...folders].filter((folder) => folder && dirname(folder) === below);

const entries = foldersIn('.');
const nodeFolders = foldersIn(NODE).map((folder) => folder.slice(NODE.length + 1));

/** @param {string} path from the root; a pattern, or a slash at its end, means the folder it is in */
function isThere(path) {
	const plain = normalize(path.replace(/\*.*$/, '')).replace(/\/$/, '');
	return plain === '.' || files.includes(plain) || folders.has(plain);
}

/** @param {string[]} names */
const oneOf = (names) => `(?:${names.map((name) => name.replace('.', '\\.')).join('|')})`;
/** @param {string} text @param {RegExp} pattern */
const all = (text, pattern) => [...text.matchAll(pattern)].map(([, path]) => path);

/**
 * The paths that a page names and that are not there.
 * @param {string} page where it lies
 * @param {string} text
 */
function deadPathsOf(page, text) {
	const links = all(text, /\]\(([^)#\s]+)[^)]*\)/g).filter((target) => !/^\w+:/.test(target));
	const fromRoot = all(text, new RegExp(`(?<![\\w@./-])(${oneOf(entries)}/[\\w./*-]*[\\w/*])`, 'g'));
	const ofFolders = all(text, new RegExp(`\`(${oneOf(nodeFolders)}/[\\w./*-]*)\``, 'g'));
	const loneFiles = all(text, /`([\w.-]+\.(?:ts|js|mjs))`/g);
	return [
		...links.filter((target) => !isThere(join(dirname(page), target)) && !join(dirname(page), target).startsWith('..')),
		...fromRoot.filter((path) => !isThere(path)),
		...ofFolders.filter((path) => !isThere(`${NODE}/${path}`)),
		...loneFiles.filter((name) => !files.some((file) => file === name || file.endsWith(`/${name}`))),
	];
}

it.each(pages)('%s names only what is there', (page) => {
	expect(deadPathsOf(page, readFileSync(join(ROOT, page), 'utf8'))).toEqual([]);
});

it('comments name only rows of docs/quirks.md', () => {
	const rows = all(readFileSync(join(ROOT, 'docs/quirks.md'), 'utf8'), /^\| (\d+) \|/gm);
	const named = files
		.filter((file) => /\.(ts|js|mjs)$/.test(file))
		.flatMap((file) => all(readFileSync(join(ROOT, file), 'utf8'), /\bquirks? (\d[\d, -]*)/g))
		.flatMap((numbers) => all(numbers, /(\d+)/g));
	expect(named.length).toBeGreaterThan(50);
	expect(named.filter((number) => !rows.includes(number))).toEqual([]);
});

it('the table of decisions has one file for each, and no file twice', () => {
	const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
	const rows = text.split('\n').filter((line) => /^\| (?!\*\*|Decision)/.test(line));
	const decided = rows.map((row) => all(row, /`([\w/]+\.ts)`/g));
	expect(rows.length).toBeGreaterThan(50);
	expect(decided.filter(({ length }) => length !== 1)).toEqual([]);
	expect(decided.flat().filter((file, at, files) => files.indexOf(file) !== at)).toEqual([]);
});
