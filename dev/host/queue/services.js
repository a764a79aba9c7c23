/**
 * A PostgreSQL and a Redis for one n8n in queue mode: own folders and ports, loopback only, gone with whoever started them.
 */
const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { cleanEnvironment } = require('../../install/cleanEnvironment');
const { freePort } = require('../process/ports');
const { spawnTied, stopProcess, untilReady } = require('../process/tiedProcess');
const { installPrograms } = require('./programs');

const KEEPER = require.resolve('./keeper');
const LOOPBACK = '127.0.0.1';
const DATABASE_USER = 'n8n';

/** PostgreSQL refuses to run as root: then it runs as the user that its package made. */
function postgresUser() {
	if (process.getuid?.() !== 0) return {};
	const idOf = (/** @type {string} */ option) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
	return { uid: idOf('-u'), gid: idOf('-g') };
}

/**
 * @param {string} name
 * @param {string} folder
 * @param {{ file: string, args: string[], options?: object }} program
 * @param {string[]} check a command that succeeds once it is ready
 */
async function start(name, folder, program, [file, ...args]) {
	const logFile = path.join(folder, `${name}.log`);
	const child = spawnTied(process.execPath, [KEEPER, JSON.stringify(program)], {
		folder,
		env: cleanEnvironment(),
		logFile,
	});
	await untilReady(name, { child, logFile }, async () => spawnSync(file, args).status === 0);
	return () => stopProcess(child);
}

/** @param {string} folder @param {{ postgres: string, initdb: string, pgIsReady: string }} programs */
async function startPostgres(folder, { postgres, initdb, pgIsReady }) {
	const options = { ...postgresUser(), cwd: folder };
	const data = path.join(folder, 'data');
	fs.mkdirSync(data, { recursive: true });
	if (options.uid !== undefined) {
		fs.chownSync(data, options.uid, options.gid);
		// The way to it, which a folder of root's own would bar.
		for (const barred of [folder, path.dirname(folder)]) fs.chmodSync(barred, 0o711);
	}
	const init = ['-D', data, '-U', DATABASE_USER, '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
	execFileSync(initdb, init, { ...options, stdio: 'pipe' });

	const port = await freePort();
	const settings = { listen_addresses: LOOPBACK, port, unix_socket_directories: data, fsync: 'off' };
	const args = ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
	const stop = await start('PostgreSQL', folder, { file: postgres, args, options }, [
		pgIsReady,
		'-h',
		LOOPBACK,
		'-p',
		String(port),
	]);
	return { port, stop };
}

/** PostgreSQL alone, for tables of users. @param {string} folder a new one @param {(line: string) => void} [log] */
async function startDatabase(folder, log = console.log) {
	const { port, stop } = await startPostgres(folder, await installPrograms(log));
	return { credential: { host: LOOPBACK, port, user: DATABASE_USER, database: 'postgres', ssl: 'disable' }, stop };
}

/** @param {string} folder @param {{ redis: string, redisCli: string }} programs */
async function startRedis(folder, { redis, redisCli }) {
	const port = await freePort();
	const args = ['--port', String(port), '--bind', LOOPBACK, '--save', '', '--appendonly', 'no'];
	const stop = await start('Redis', folder, { file: redis, args }, [
		redisCli,
		'-h',
		LOOPBACK,
		'-p',
		String(port),
		'ping',
	]);
	return { port, stop };
}

/**
 * @param {string} folder a new one: both start empty
 * @param {(line: string) => void} log
 */
async function startServices(folder, log) {
	const programs = await installPrograms(log);
	const postgres = await startPostgres(path.join(folder, 'postgres'), programs);
	const redis = await startRedis(path.join(folder, 'redis'), programs).catch(async (error) => {
		await postgres.stop();
		throw error;
	});
	return {
		/** What n8n's processes need to know of them. */
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: LOOPBACK,
			DB_POSTGRESDB_PORT: String(postgres.port),
			DB_POSTGRESDB_USER: DATABASE_USER,
			DB_POSTGRESDB_DATABASE: 'postgres',
			QUEUE_BULL_REDIS_HOST: LOOPBACK,
			QUEUE_BULL_REDIS_PORT: String(redis.port),
		},
		stop: async () => {
			await Promise.all([postgres.stop(), redis.stop()]);
		},
	};
}

module.exports = { startDatabase, startServices };
