/** Programs of PostgreSQL and Redis, which n8n's queue mode needs: those of this machine, else Debian's. */
const fs = require('node:fs');
const path = require('node:path');
const { findOrInstall, findProgram } = require('../../install/debian');

/** Debian keeps PostgreSQL's programs off the PATH, in a folder per version. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

function find() {
	const versions = fs.existsSync(DEBIAN_POSTGRES) ? fs.readdirSync(DEBIAN_POSTGRES) : [];
	const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
	const folders = newestFirst.map((version) => path.join(DEBIAN_POSTGRES, version, 'bin'));
	const program = (/** @type {string} */ name) => findProgram(name, folders);
	const [postgres, initdb, psql] = ['postgres', 'initdb', 'psql'].map(program);
	const [redis, redisCli] = ['redis-server', 'redis-cli'].map(program);
	return {
		...(postgres && initdb && psql && { postgresql: { postgres, initdb, psql } }),
		...(redis && redisCli && { 'redis-server': { redis, redisCli } }),
	};
}

/** Their paths, if all are installed. */
function findPrograms() {
	const { postgresql, 'redis-server': redis } = find();
	return postgresql && redis && { ...postgresql, ...redis };
}

/** @param {(line: string) => void} log @returns {Promise<NonNullable<ReturnType<typeof findPrograms>>>} their paths */
async function installPrograms(log) {
	const there = Object.keys(find());
	// Only the missing packages: the services that they start are then new, and not in use on this machine.
	const packages = ['postgresql', 'redis-server'].filter((name) => !there.includes(name));
	return await findOrInstall(findPrograms, {
		what: 'Queue mode needs PostgreSQL and Redis',
		packages,
		services: packages,
		log,
	});
}

module.exports = { installPrograms };
