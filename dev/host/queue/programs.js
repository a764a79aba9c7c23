/**
 * PostgreSQL and Redis, which n8n's queue mode needs: those of this machine, else Debian's.
 */
const fs = require('node:fs');
const path = require('node:path');
const { findOrInstall, findProgram } = require('../../install/debian');

/** Debian keeps PostgreSQL's programs off the PATH, in a folder per version. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

function findPrograms() {
	const versions = fs.existsSync(DEBIAN_POSTGRES) ? fs.readdirSync(DEBIAN_POSTGRES) : [];
	const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
	const folders = newestFirst.map((version) => path.join(DEBIAN_POSTGRES, version, 'bin'));
	const [postgres, initdb, pgIsReady, redis, redisCli] = [
		'postgres',
		'initdb',
		'pg_isready',
		'redis-server',
		'redis-cli',
	].map((name) => findProgram(name, folders));
	return postgres && initdb && pgIsReady && redis && redisCli
		? { postgres, initdb, pgIsReady, redis, redisCli }
		: undefined;
}

/**
 * @param {(line: string) => void} log
 * @returns {Promise<NonNullable<ReturnType<typeof findPrograms>>>} where they lie
 */
const installPrograms = async (log) =>
	await findOrInstall(findPrograms, {
		what: 'Queue mode needs PostgreSQL and Redis',
		packages: ['postgresql', 'redis-server'],
		log,
	});

module.exports = { installPrograms };
