/**
 * `npm run release:check`: what no tool of n8n's or npm's checks before a version is published, one after the other. Stops at the first
 * fault and says what to do. Packs the file once; the tests run that file, and it is the one to publish.
 */
require('../install/nodeVersion');
const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const { basename, join } = require('node:path');
const { packPackage } = require('../host/installPackage');
const { ReadableError, runAsScript } = require('../install/command');
const { setUp } = require('../install/setUp');
const { CACHE, ROOT } = require('../paths');
const { missingIn, publicInterface, recorded } = require('./publicInterface');

/** Holds only the file to publish, for the workflow. */
const RELEASE = join(CACHE, 'release');

/** @param {string} file */
const read = (file) => fs.readFileSync(join(ROOT, file), 'utf8');
/** @param {string[]} args */
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
const { version, author, repository } = JSON.parse(read('package.json'));

function uncommitted() {
	const files = git('status', '--short');
	return files && `Commit or remove these, so that what is checked is what is tagged:\n${files}`;
}

/** @returns {string | void} */
function versionProblem() {
	if (!/^\d+\.\d+\.\d+$/.test(version))
		return `'version' in package.json is ${version}. Make it a semantic version like 1.2.3.`;
	const { version: locked } = JSON.parse(read('package-lock.json'));
	if (locked !== version)
		return `package-lock.json says ${locked}, package.json ${version}: npm version ${version} --no-git-tag-version --allow-same-version`;
	const [, heading = ''] = /^## (.*)$/m.exec(read('CHANGELOG.md')) ?? [];
	const [, number, date] = /^(\S+) \((\d{4}-\d{2}-\d{2})\)$/.exec(heading) ?? [];
	if (number !== version || Number.isNaN(Date.parse(date)))
		return `The first heading of CHANGELOG.md is "${heading}". Make it "${version} (YYYY-MM-DD)", with the day of the release.`;
}

/** @returns {string | void} */
function tagProblem() {
	const tag = `v${version}`;
	const { GITHUB_REF_TYPE: type, GITHUB_REF_NAME: name } = process.env;
	// A workflow is started for a tag that its clone may not have.
	const here = [...git('tag', '--points-at', 'HEAD').split('\n'), ...(type === 'tag' ? [String(name)] : [])];
	const stray = here.find((one) => /^v\d/.test(one) && one !== tag);
	if (stray) return `This commit is tagged ${stray}, but package.json says ${version}. Set 'version' and tag anew.`;
	if (git('tag', '--list', tag) && !here.includes(tag))
		return `${tag} is the tag of another commit. What was released stays: raise 'version'.`;
}

/** @returns {string | void} */
function branchProblem() {
	const { status } = spawnSync('git', ['merge-base', '--is-ancestor', 'HEAD', 'origin/main'], { cwd: ROOT });
	if (status !== 0) return 'This commit is not on origin/main. Merge it there, push, fetch, and release from there.';
}

/** @param {string} url */
const ownerAndName = (url) => /github\.com[/:]([\w-]+\/[\w.-]+?)(\.git)?$/.exec(url)?.[1];

/** @returns {string | void} */
function addressProblem() {
	// Reserved domain names (RFC 2606).
	if (/[@.](example|invalid|localhost|test|example\.(com|net|org))$/i.test(author.email))
		return `The e-mail ${author.email} is a placeholder. Set 'author' in package.json to the person or company responsible for this package.`;
	const origin = git('config', '--default', '', '--get', 'remote.origin.url');
	const ours = ownerAndName(repository.url);
	if (!ours || ours !== ownerAndName(origin))
		return `'repository' in package.json is ${repository.url}, but this clone comes from ${origin || 'nowhere'}. Set it to the public repository, and clone that.`;
}

function recordProblem() {
	const missing = missingIn(recorded(), publicInterface(ROOT)).join('\n');
	return (
		missing &&
		`These are not recorded yet. Released, they can never change: look at them, run \`node dev/scripts/publicInterface.js\`, commit.\n${missing}`
	);
}

async function pack() {
	fs.rmSync(RELEASE, { recursive: true, force: true });
	fs.mkdirSync(RELEASE, { recursive: true });
	const file = await packPackage();
	fs.renameSync(file, join(RELEASE, basename(file)));
}
const packed = () => join(RELEASE, fs.readdirSync(RELEASE)[0]);

/** @returns {string | void} */
function runTests() {
	if (process.argv.includes('--without-tests')) return;
	const env = { ...process.env, PACKED_FILE: packed() };
	if (spawnSync('bash', ['.ci/run'], { cwd: ROOT, stdio: 'inherit', env }).status !== 0) return 'See above.';
}

/** Each check returns what is wrong and what to do, or nothing. @type {Array<[title: string, check: () => unknown]>} */
const STEPS = [
	['Nothing is uncommitted', uncommitted],
	['Versions and changelog agree', versionProblem],
	['So does the tag', tagProblem],
	['The commit is on main', branchProblem],
	['Addresses are real', addressProblem],
	['The package can be built', () => setUp('--build')],
	['The record of the public interface is complete', recordProblem],
	['The file to publish', pack],
	['What CI runs, with this very file (.ci/run; left out with --without-tests)', runTests],
];

async function main() {
	for (const [index, [title, check]] of STEPS.entries()) {
		console.log(`\n[${index + 1}/${STEPS.length}] ${title}`);
		const problem = await check();
		if (problem) throw new ReadableError(`\nNot ready: ${problem}`);
	}
	console.log(`\n${packed()}\n\nReady.`);
}

if (require.main === module) void runAsScript(main);

module.exports = { RELEASE };
