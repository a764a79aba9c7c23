/**
 * `npm run release:check`: everything that can be checked before a version is tagged, one step after the other. Stops at
 * the first that fails and says what to do. CONTRIBUTING.md tells the rest of a release.
 */
const { execFileSync, spawnSync } = require('node:child_process');
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { setUp } = require('../install/setUp');
const { readSwitches } = require('../install/switches');
const { ROOT } = require('../paths');
const { missingIn, publicInterface, recorded } = require('./publicInterface');

/** @param {string} file */
const read = (file) => readFileSync(join(ROOT, file), 'utf8');
const manifest = () => JSON.parse(read('package.json'));
/** @param {string[]} args */
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

/** Each check gives undefined when all is well, else what is wrong and what to do. */
const STEPS = [
	{
		title: 'Nothing is uncommitted',
		check: () => uncommittedProblem(git('status', '--short')),
	},
	{
		title: 'Version, changelog and tag agree',
		check: () =>
			versionProblem(manifest().version, read('CHANGELOG.md'), git('tag', '--points-at', 'HEAD').split('\n')),
	},
	{
		title: 'Addresses are real',
		check: () =>
			addressProblem(manifest(), git('config', '--default', '', '--get', 'remote.origin.url'), textsWithAddresses()),
	},
	{
		title: 'The record of the public interface is complete',
		check: () => recordProblem(missingIn(recorded(), publicInterface(ROOT))),
	},
	{
		title: "What CI runs: lint, types, all tests, the packed package, a real n8n, n8n's scanner (.ci/run)",
		check: () => spawnSync('bash', ['.ci/run'], { cwd: ROOT, stdio: 'inherit' }).status !== 0 && 'See above.',
	},
];

/** @param {string} files */
const uncommittedProblem = (files) =>
	files && `Commit or remove these, so that what is checked is what is tagged:\n${files}`;

/**
 * @param {string} version
 * @param {string} changelog
 * @param {string[]} tags of the commit
 */
function versionProblem(version, changelog, tags) {
	if (!/^\d+\.\d+\.\d+$/.test(version))
		return `'version' in package.json is ${version}. Make it a semantic version like 1.2.3.`;
	const [, heading = ''] = /^## (.*)$/m.exec(changelog) ?? [];
	const [, number, date] = /^(\S+) \((\d{4}-\d{2}-\d{2})\)$/.exec(heading) ?? [];
	if (number !== version || Number.isNaN(Date.parse(date))) {
		return `The first heading of CHANGELOG.md is "${heading}". Make it "${version} (YYYY-MM-DD)", with the day of the release.`;
	}
	const stray = tags.find((tag) => /^v\d/.test(tag) && tag !== `v${version}`);
	return stray && `This commit is tagged ${stray}, but package.json says ${version}. Set 'version' and tag anew.`;
}

/** Names that belong to nobody (RFC 2606). */
const RESERVED = /[@.](example|invalid|localhost|test|example\.(com|net|org))$/i;

/**
 * @param {{ name: string, author: { email: string }, repository: { url: string } }} manifest package.json
 * @param {string} origin where this clone comes from, by any protocol
 * @param {Record<string, string>} texts file → text; what they say of the repository must be true
 */
function addressProblem({ name, author, repository }, origin, texts) {
	if (RESERVED.test(author.email))
		return `The e-mail ${author.email} is a placeholder. Set 'author' in package.json to who answers for this package.`;
	const ours = ownerAndName(repository.url);
	if (!ours || ours !== ownerAndName(origin)) {
		return `'repository' in package.json is ${repository.url}, but this clone comes from ${origin || 'nowhere'}. Set it to the public repository, and clone that.`;
	}
	const address = `https://github.com/${ours}`;
	for (const [file, text] of Object.entries(texts)) {
		const other = (text.match(/https:\/\/github\.com\/[\w-]+\/[\w-]+/g) ?? []).find(
			(link) => link.endsWith(`/${name}`) && link !== address,
		);
		if (other) return `${file} links to ${other}. Change that to ${address}.`;
	}
	return undefined;
}

/** @param {string} url */
const ownerAndName = (url) => /github\.com[/:]([\w-]+\/[\w.-]+?)(\.git)?$/.exec(url)?.[1];

/** Everything that may link to the repository. */
function textsWithAddresses() {
	const sources = ['nodes', 'credentials']
		.flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true }).map((file) => join(folder, String(file))))
		.filter((file) => /\.(ts|json)$/.test(file));
	const pages = readdirSync(ROOT).filter((file) => file.endsWith('.md') || file === 'package.json');
	return Object.fromEntries([...pages, ...sources].map((file) => [file, read(file)]));
}

/** @param {string[]} missing */
const recordProblem = (missing) =>
	missing.length > 0 &&
	`These are not recorded yet. Released, they can never change: look at them, run \`npm run interface:record\`, commit.\n${missing.join('\n')}`;

function main() {
	readSwitches({
		name: 'release:check',
		about: 'Everything that can be checked before a tag: CONTRIBUTING.md tells the rest of a release.',
	});
	setUp('build');
	for (const [index, { title, check }] of STEPS.entries()) {
		console.log(`\n[${index + 1}/${STEPS.length}] ${title}`);
		const problem = check();
		if (problem) {
			console.error(`\nNot ready: ${problem}`);
			process.exit(1);
		}
	}
	const tag = `v${manifest().version}`;
	console.log(`\nReady. If the commit is on main and CI is green: git tag ${tag} && git push origin ${tag}`);
}

if (require.main === module) main();

module.exports = { addressProblem, recordProblem, versionProblem };
