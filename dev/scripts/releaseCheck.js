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
const problems = require('./releaseProblems');

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
/** Tags of the commit, with the one that a workflow was started for. */
const tagsHere = () => [
	...gitLines('tag', '--points-at', 'HEAD'),
	...(process.env.GITHUB_REF_TYPE === 'tag' ? [String(process.env.GITHUB_REF_NAME)] : []),
];
/** @param {string[]} args */
const gitSays = (...args) => spawnSync('git', args, { cwd: ROOT, stdio: 'ignore' }).status === 0;

/** Everything that may link to the repository. */
function textsWithAddresses() {
	const sources = ['nodes', 'credentials']
		.flatMap((folder) =>
			fs.readdirSync(join(ROOT, folder), { recursive: true }).map((file) => join(folder, String(file))),
		)
		.filter((file) => /\.(ts|json)$/.test(file));
	const pages = fs.readdirSync(ROOT).filter((file) => file.endsWith('.md') || file === 'package.json');
	return Object.fromEntries([...pages, ...sources].map((file) => [file, read(file)]));
}

/** @returns {string} the file to publish */
const packed = () => join(RELEASE, fs.readdirSync(RELEASE)[0]);

async function pack() {
	remove(RELEASE);
	fs.mkdirSync(RELEASE, { recursive: true });
	const file = await packPackage();
	fs.renameSync(file, join(RELEASE, basename(file)));
	const problem = await require('./packedFile').fileProblem(packed());
	return problem && `The package is not as it should be: ${problem}.`;
}

function runTests() {
	const env = { ...process.env, PACKED_FILE: packed() };
	return spawnSync('bash', ['.ci/run'], { cwd: ROOT, stdio: 'inherit', env }).status !== 0 && 'See above.';
}

/**
 * Each check returns undefined when all is well, else the problem and what to do.
 * @type {Array<{ title: string, check: () => unknown }>}
 */
const STEPS = [
	{
		title: 'Nothing is uncommitted',
		check: () => problems.uncommittedProblem(git('status', '--short')),
	},
	{
		title: 'Versions and changelog agree',
		check: () =>
			problems.versionProblem(
				readJson('package.json').version,
				readJson('package-lock.json').version,
				read('CHANGELOG.md'),
			),
	},
	{
		title: 'So does the tag',
		check: () => problems.tagProblem(readJson('package.json').version, tagsHere(), gitLines('tag')),
	},
	{
		title: 'The commit is on main',
		check: () => problems.branchProblem(gitSays('merge-base', '--is-ancestor', 'HEAD', 'origin/main')),
	},
	{
		title: 'Addresses are real',
		check: () =>
			problems.addressProblem(
				readJson('package.json'),
				git('config', '--default', '', '--get', 'remote.origin.url'),
				textsWithAddresses(),
			),
	},
	{ title: 'The package can be built', check: () => setUp('build') },
	{
		title: 'The record of the public interface is complete',
		check: () => problems.recordProblem(missingIn(recorded(), publicInterface(ROOT))),
	},
	{ title: 'The file to publish: contents, size, loading, provenance', check: pack },
];
const TESTS = {
	title: "What CI runs, with this very file: lint, types, all tests, a real n8n, n8n's scanner (.ci/run)",
	check: runTests,
};

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
	for (const [index, { title, check }] of steps.entries()) {
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
