/**
 * `npm run release:check` finds what is wrong with a release: each fault is planted in a clone of its own that is sound otherwise.
 */
const { execFileSync, spawnSync } = require('node:child_process');
const { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { copyRepository, emptyFolder, removeFolder } = require('../helpers/folder');

/** @type {string} */
let folder;
/** A clone from which could be released. @type {string} */
let sound;
let clones = 0;

/** @param {string} clone @param {string[]} args */
const git = (clone, ...args) =>
	execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], {
		cwd: clone,
		stdio: 'pipe',
	});
/** @param {string} clone @param {string} message */
function commit(clone, message) {
	git(clone, 'add', '--all');
	git(clone, 'commit', '--quiet', '--allow-empty', '--message', message);
	git(clone, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
}
/** @param {string} clone @param {string} file @param {RegExp} what @param {string} by */
function replace(clone, file, what, by) {
	const text = readFileSync(join(clone, file), 'utf8');
	if (!what.test(text)) throw new Error(`${file} has no ${what}`);
	writeFileSync(join(clone, file), text.replace(what, by));
}

const HOME = 'https://github.com/owner/n8n-nodes-health-data-service';
beforeAll(() => {
	folder = emptyFolder();
	sound = join(folder, 'sound');
	copyRepository(sound);
	// Linked into each clone by those that need it, and never into one with another package-lock.json.
	writeFileSync(join(sound, '.gitignore'), readFileSync(join(sound, '.gitignore'), 'utf8') + 'node_modules\n');
	replace(sound, 'package.json', /"email": ".*"/, '"email": "people@company.io"');
	replace(sound, 'CHANGELOG.md', /^## .*$/m, `## ${version(sound)} (2026-12-01)`);
	replace(sound, 'package.json', /(git\+)https:[^"]*/, `$1${HOME}.git`);
	git(sound, 'init', '--quiet', '--initial-branch', 'main');
	git(sound, 'remote', 'add', 'origin', HOME);
	commit(sound, 'Sound');
});
afterAll(() => removeFolder(folder));

/** @param {string} clone @returns {string} */
const version = (clone) => JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')).version;

/** @param {(clone: string) => void} plant @param {string} [of] */
function planted(plant, of = sound) {
	const clone = join(folder, String(clones++));
	cpSync(of, clone, { recursive: true, verbatimSymlinks: true });
	plant(clone);
	return clone;
}

/** @param {string} clone @param {Record<string, string>} [more] environment @param {string[]} [args] */
function check(clone, more, args = ['--without-tests']) {
	// A registry that does not exist: what installs something fails at once.
	const env = { ...process.env, GITHUB_REF_TYPE: '', npm_config_registry: 'http://127.0.0.1:9/', ...more };
	const program = join(clone, 'dev', 'scripts', 'releaseCheck.js');
	const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
		cwd: clone,
		env,
		encoding: 'utf8',
	});
	return { status, stdout, stderr };
}

/** @param {string} file @param {RegExp} what @param {string} by */
const changed = (file, what, by) => (/** @type {string} */ clone) => {
	replace(clone, file, what, by);
	commit(clone, 'x');
};

/** Nothing of it needs anything installed. @type {Array<[string, (clone: string) => void, string]>} */
const BEFORE_THE_BUILD = [
	['an uncommitted file', (clone) => writeFileSync(join(clone, 'notes.txt'), ''), '?? notes.txt'],
	[
		'a changelog without the version',
		changed('CHANGELOG.md', /^## .*$/m, '## 0.0.1 (2026-12-01)'),
		'The first heading of CHANGELOG.md is "0.0.1 (2026-12-01)"',
	],
	[
		'a version that is out',
		(clone) => (git(clone, 'tag', `v${version(clone)}`), commit(clone, 'later')),
		"is the tag of another commit. What was released stays: raise 'version'.",
	],
	[
		'a commit that is not on main',
		(clone) => (git(clone, 'commit', '--quiet', '--allow-empty', '--message', 'x'), undefined),
		'This commit is not on origin/main.',
	],
	[
		'a clone of another repository',
		(clone) => void git(clone, 'remote', 'set-url', 'origin', 'https://github.com/fork/n8n-nodes-health-data-service'),
		'this clone comes from https://github.com/fork/',
	],
];

it.each(BEFORE_THE_BUILD)('finds %s', (_, plant, said) => {
	const { status, stderr } = check(planted(plant));
	expect(stderr).toContain(`Not ready: `);
	expect(stderr).toContain(said);
	expect(stderr).not.toMatch(/^ +at /m);
	expect(status).toBe(1);
});

describe('with the tools installed', () => {
	/** One that was ready, with what was built for that. @type {string} */
	let ready;

	it('is ready when nothing is wrong, and leaves the one file to publish', () => {
		ready = planted((clone) => symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules')));
		mkdirSync(join(ready, '.cache', 'release'), { recursive: true });
		writeFileSync(join(ready, '.cache', 'release', 'of-an-earlier-check.tgz'), '');
		const { status, stdout, stderr } = check(ready, { GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: `v${version(ready)}` });
		expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
		expect(stdout).toMatch(/\.tgz\n\nReady\.\n$/);
		const name = `n8n-nodes-health-data-service-${version(ready)}.tgz`;
		expect(readdirSync(join(ready, '.cache', 'release'))).toEqual([name]);
	});

	it.each([
		[
			'tests the file that it packed',
			'echo "tested $PACKED_FILE"',
			0,
			/tested \S+\.cache\/release\/\S+\.tgz\n[^]*\nReady\.\n$/,
		],
		['is not ready when a test fails', 'echo red; exit 3', 1, /red\n$/],
	])(
		'%s',
		(_, script, expected, said) => {
			const clone = planted((copy) => (writeFileSync(join(copy, '.ci', 'run'), script), commit(copy, 'x')), ready);
			const { status, stdout } = check(clone, {}, []);
			expect({ status, stdout }).toEqual({ status: expected, stdout: expect.stringMatching(said) });
		},
		120_000,
	);
});
