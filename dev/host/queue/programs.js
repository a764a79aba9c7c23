/** Programs of PostgreSQL and Redis, which n8n's queue mode needs: those of this machine, else Debian's. */
const fs = require('node:fs');
const path = require('node:path');
const { findOrInstall, findProgram } = require('../../install/debian');

/** Debian keeps PostgreSQL's programs off the PATH, in a folder per version. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

/** Their paths, if all are installed. */
function findPrograms() {
	const versions = fs.existsSync(DEBIAN_POSTGRES) ? fs.readdirSync(DEBIAN_POSTGRES) : [];
	const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
	const folders = newestFirst.map((version) => path.join(DEBIAN_POSTGRES, version, 'bin'));
	const names = ['postgres', 'initdb', 'psql', 'redis-server', 'redis-cli'];
	const [postgres, initdb, psql, redis, redisCli] = names.map((name) => findProgram(name, folders));
	if (postgres && initdb && psql && redis && redisCli) return { postgres, initdb, psql, redis, redisCli };
	return undefined;
}

const installPrograms = async () =>
	await findOrInstall(findPrograms, {
		what: 'Queue mode needs PostgreSQL and Redis (their packages also start services, which are not needed here)',
		packages: ['postgresql', 'redis-server'],
	});

module.exports = { installPrograms };
