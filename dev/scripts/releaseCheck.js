/**
 * `npm run release:check`: all checks before a version is published, one after the other. Stops at the first that fails and says
 * what to do. Packs the file once; the tests run that file, and it is the one to publish.
 */
const { readSwitches } = require('../install/switches');
const { execFileSync, spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const { basename, join } = require('node:path');
const { packPackage } = require('../host/installPackage');
const { runAsScript } = require('../install/command');
const { ReadableError } = require('../install/failure');
const { setUp } = require('../install/setUp');
const { remove } = require('../install/temporary');
const { CACHE, ROOT } = require('../paths');
const { missingIn, publicInterface, recorded } = require('./publicInterface');

/** Holds only the file to publish, for the workflow. */
const RELEASE = join(CACHE, 'release');

/** @param {string} file */
const read = (file) => fs.readFileSync(join(ROOT, file), 'utf8');
/** @param {string} file */
const readJson = (file) => JSON.parse(read(file));
/** @param {string[]} args */
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
/** @param {string[]} args */
const gitLines = (...args) => git(...args).split('\n');

function versionProblem() {
	const { version } = readJson('package.json');
	if (!/^\d+\.\d+\.\d+$/.test(version))
		return `'version' in package.json is ${version}. Make it a semantic version like 1.2.3.`;
	const { version: locked } = readJson('package-lock.json');
	if (locked !== version)
		return `package-lock.json says ${locked}, package.json ${version}: npm version ${version} --no-git-tag-version --allow-same-version`;
	const [, heading = ''] = /^## (.*)$/m.exec(read('CHANGELOG.md')) ?? [];
	const [, number, date] = /^(\S+) \((\d{4}-\d{2}-\d{2})\)$/.exec(heading) ?? [];
	const isDated = number === version && !Number.isNaN(Date.parse(date));
	return (
		!isDated &&
		`The first heading of CHANGELOG.md is "${heading}". Make it "${version} (YYYY-MM-DD)", with the day of the release.`
	);
}

function tagProblem() {
	const { version } = readJson('package.json');
	const tag = `v${version}`;
	const { GITHUB_REF_TYPE: type, GITHUB_REF_NAME: name } = process.env;
	// A workflow is started for a tag that its clone may not have.
	const here = [...gitLines('tag', '--points-at', 'HEAD'), ...(type === 'tag' ? [String(name)] : [])];
	const stray = here.find((one) => /^v\d/.test(one) && one !== tag);
	if (stray) return `This commit is tagged ${stray}, but package.json says ${version}. Set 'version' and tag anew.`;
	const isTaken = gitLines('tag').includes(tag) && !here.includes(tag);
	return isTaken && `${tag} is the tag of another commit. What was released stays: raise 'version'.`;
}

function branchProblem() {
	const { status } = spawnSync('git', ['merge-base', '--is-ancestor', 'HEAD', 'origin/main'], { cwd: ROOT });
	return status !== 0 && 'This commit is not on origin/main. Merge it there, push, fetch, and release from there.';
}

/** Reserved domain names (RFC 2606). */
const RESERVED = /[@.](example|invalid|localhost|test|example\.(com|net|org))$/i;

/** @param {string} url */
const ownerAndName = (url) => /github\.com[/:]([\w-]+\/[\w.-]+?)(\.git)?$/.exec(url)?.[1];

function addressProblem() {
	const { author, repository } = readJson('package.json');
	if (RESERVED.test(author.email))
		return `The e-mail ${author.email} is a placeholder. Set 'author' in package.json to the person or company responsible for this package.`;
	const origin = git('config', '--default', '', '--get', 'remote.origin.url');
	const ours = ownerAndName(repository.url);
	return (
		(!ours || ours !== ownerAndName(origin)) &&
		`'repository' in package.json is ${repository.url}, but this clone comes from ${origin || 'nowhere'}. Set it to the public repository, and clone that.`
	);
}

function recordProblem() {
	const missing = missingIn(recorded(), publicInterface(ROOT));
	return (
		missing.length > 0 &&
		`These are not recorded yet. Released, they can never change: look at them, run \`node dev/scripts/publicInterface.js\`, commit.\n${missing.join('\n')}`
	);
}

/** @returns {string} the file to publish */
const packed = () => join(RELEASE, fs.readdirSync(RELEASE)[0]);

async function pack() {
	remove(RELEASE);
	fs.mkdirSync(RELEASE, { recursive: true });
	const file = await packPackage();
	fs.renameSync(file, join(RELEASE, basename(file)));
}

function runTests() {
	const env = { ...process.env, PACKED_FILE: packed() };
	return spawnSync('bash', ['.ci/run'], { cwd: ROOT, stdio: 'inherit', env }).status !== 0 && 'See above.';
}

/**
 * Each check returns what is wrong and what to do, or nothing.
 * @type {Array<[title: string, check: () => unknown]>}
 */
const STEPS = [
	[
		'Nothing is uncommitted',
		() => {
			const files = git('status', '--short');
			return files && `Commit or remove these, so that what is checked is what is tagged:\n${files}`;
		},
	],
	['Versions and changelog agree', versionProblem],
	['So does the tag', tagProblem],
	['The commit is on main', branchProblem],
	['Addresses are real', addressProblem],
	['The package can be built', () => setUp('build')],
	['The record of the public interface is complete', recordProblem],
	['The file to publish', pack],
];
/** @type {typeof STEPS[number]} */
const TESTS = ["What CI runs, with this very file: all tests, a real n8n, n8n's scanner (.ci/run)", runTests];

async function main() {
	const { 'without-tests': isShort } = readSwitches({
		name: 'npm run release:check',
		about: `Everything that can be checked before a version is published. Leaves the file to publish in .cache/release.
CONTRIBUTING.md tells the rest of a release.`,
		switches: {
			'without-tests': { type: 'boolean', about: 'all but .ci/run, which takes about 20 minutes' },
		},
	});
	const steps = isShort ? STEPS : [...STEPS, TESTS];
	for (const [index, [title, check]] of steps.entries()) {
		console.log(`\n[${index + 1}/${steps.length}] ${title}`);
		const problem = await check();
		if (problem) throw new ReadableError(`\nNot ready: ${problem}`);
	}
	const hash = createHash('sha512').update(fs.readFileSync(packed())).digest('base64');
	console.log(`\n${packed()}\nsha512-${hash}`);
	console.log(isShort ? '\nReady, but for the tests.' : '\nReady.');
}

if (require.main === module) void runAsScript(main);

module.exports = { RELEASE };
