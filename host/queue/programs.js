/**
 * Finds PostgreSQL and Redis, which n8n's queue mode needs, and installs Debian's packages of them when they are missing.
 */
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { run } = require('../lib/command');
const { cleanEnvironment } = require('../lib/environment');
const { ReadableError } = require('../lib/failure');
const { withLock } = require('../lib/lock');
const { CACHE } = require('../lib/paths');

const PACKAGES = ['postgresql', 'redis-server'];
/** Debian keeps PostgreSQL's programs off the PATH, in a folder per version. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

/** @param {string} name @returns {string | undefined} */
function findProgram(name) {
	const versions = fs.existsSync(DEBIAN_POSTGRES) ? fs.readdirSync(DEBIAN_POSTGRES) : [];
	const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
	const folders = [
		...newestFirst.map((version) => path.join(DEBIAN_POSTGRES, version, 'bin')),
		...(process.env.PATH ?? '').split(path.delimiter),
	];
	return folders.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file));
}

function findPrograms() {
	const [postgres, initdb, pgIsReady] = ['postgres', 'initdb', 'pg_isready'].map(findProgram);
	const [redis, redisCli] = ['redis-server', 'redis-cli'].map(findProgram);
	return postgres && initdb && pgIsReady && redis && redisCli
		? { postgres, initdb, pgIsReady, redis, redisCli }
		: undefined;
}

/** @param {string[]} command */
const works = ([file, ...args]) => spawnSync(file, args, { stdio: 'ignore' }).status === 0;

/**
 * @param {(line: string) => void} log
 * @returns {Promise<NonNullable<ReturnType<typeof findPrograms>>>} where they lie
 */
async function installPrograms(log) {
	const found = findPrograms();
	if (found) return found;

	const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '--non-interactive'];
	const apt = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get'];
	const byHand = `Queue mode needs PostgreSQL and Redis. Install them (Debian, Ubuntu: sudo apt-get install ${PACKAGES.join(' ')}) and run this again.`;
	if (!works([...apt, '--version'])) throw new ReadableError(byHand);

	return await withLock(path.join(CACHE, 'programs.lock'), log, async (onStart) => {
		const meanwhile = findPrograms();
		if (meanwhile) return meanwhile; // The one we waited for has done it.
		const step = async (/** @type {string} */ what, /** @type {string[]} */ args) => {
			const logFile = path.join(CACHE, `apt-get-${args[0]}.log`);
			await run(what, [...apt, ...args], { cwd: CACHE, env: cleanEnvironment(), logFile, onStart });
		};
		log(`Installing Debian's packages ${PACKAGES.join(' and ')} (a minute, this once)`);
		await step('Fetching the lists of packages', ['update']);
		await step('Installing PostgreSQL and Redis', [
			'install',
			'--yes',
			'--no-upgrade',
			'--no-install-recommends',
			...PACKAGES,
		]);
		const installed = findPrograms();
		if (!installed) throw new ReadableError(byHand);
		return installed;
	});
}

module.exports = { installPrograms };
