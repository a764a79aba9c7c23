/**
 * PostgreSQL and Redis for one n8n in queue mode: own folders and ports, loopback only, each with a random password. They end
 * with the process that started them.
 */
const { execFileSync, spawnSync } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { cleanEnvironment } = require('../../install/cleanEnvironment');
const { freePort } = require('../process/ports');
const { spawnTied, stopProcess, untilReady } = require('../process/tiedProcess');
const { installPrograms } = require('./programs');
const { connect } = require('./psql');

const KEEPER = require.resolve('./keeper');
const LOOPBACK = '127.0.0.1';
const DATABASE_USER = 'n8n';
const newPassword = () => randomBytes(24).toString('hex');

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
 * @param {{ command: string[], env?: Record<string, string> }} check a command that succeeds once it is ready
 */
async function start(name, folder, program, { command: [file, ...args], env = {} }) {
	const logFile = path.join(folder, `${name}.log`);
	const child = spawnTied(process.execPath, [KEEPER, JSON.stringify(program)], {
		folder,
		env: cleanEnvironment(),
		logFile,
	});
	const isReady = () => spawnSync(file, args, { env: { ...cleanEnvironment(), ...env } }).status === 0;
	await untilReady(name, { child, logFile }, async () => isReady());
	return () => stopProcess(child);
}

/**
 * A service that can be stopped for a while and started again: same port, same data.
 * @param {() => Promise<() => Promise<void>>} launch gives what stops it
 */
async function restartable(launch) {
	let stop = await launch();
	return {
		stop: () => stop(),
		restart: async (/** @type {number} */ awayMs) => {
			await stop();
			await sleep(awayMs);
			stop = await launch();
		},
	};
}

/** @param {string} file @param {string} text @param {{ uid?: number, gid?: number }} [owner] the only user with read access */
function writeSecret(file, text, { uid, gid } = {}) {
	fs.writeFileSync(file, text, { mode: 0o600 });
	if (uid !== undefined && gid !== undefined) fs.chownSync(file, uid, gid);
	return file;
}

/** @param {string} folder @param {{ postgres: string, initdb: string, psql: string }} programs */
async function startPostgres(folder, { postgres, initdb, psql }) {
	const options = { ...postgresUser(), cwd: folder };
	const data = path.join(folder, 'data');
	fs.mkdirSync(data, { recursive: true });
	if (options.uid !== undefined) {
		fs.chownSync(data, options.uid, options.gid);
		// The folders above it, which are closed when root owns them.
		for (const barred of [folder, path.dirname(folder)]) fs.chmodSync(barred, 0o711);
	}
	const password = newPassword();
	const passwordFile = writeSecret(path.join(folder, 'password'), password, options);
	const init = ['-D', data, '-U', DATABASE_USER, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
	execFileSync(initdb, [...init, '--encoding=UTF8', '--locale=C', '--no-sync'], { ...options, stdio: 'pipe' });

	const port = await freePort();
	const settings = { listen_addresses: LOOPBACK, port, unix_socket_directories: data, fsync: 'off' };
	const args = ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
	const server = { host: LOOPBACK, port, user: DATABASE_USER, password };
	const { command, env, query } = connect(psql, server);
	const launch = () => start('PostgreSQL', folder, { file: postgres, args, options }, { command, env });
	return { ...server, query, ...(await restartable(launch)) };
}

/** PostgreSQL alone, for tables of users. @param {string} folder a new one */
async function startDatabase(folder) {
	const { host, port, user, password, query, stop } = await startPostgres(folder, await installPrograms());
	return { credential: { host, port, user, password, database: 'postgres', ssl: 'disable' }, query, stop };
}

/** @param {string} folder @param {{ redis: string, redisCli: string }} programs */
async function startRedis(folder, { redis, redisCli }) {
	const port = await freePort();
	const password = newPassword();
	fs.mkdirSync(folder, { recursive: true });
	const settings = [`port ${port}`, `bind ${LOOPBACK}`, `requirepass ${password}`, 'save ""', 'appendonly no'];
	// In a file, because the list of processes shows arguments to all users of the machine.
	const file = writeSecret(path.join(folder, 'redis.conf'), settings.join('\n'));
	const ping = ['-e', '-h', LOOPBACK, '-p', String(port), 'ping'];
	const check = { command: [redisCli, ...ping], env: { REDISCLI_AUTH: password } };
	return { port, password, ...(await restartable(() => start('Redis', folder, { file: redis, args: [file] }, check))) };
}

/** @param {string} folder a new one: both start empty */
async function startServices(folder) {
	const programs = await installPrograms();
	const postgres = await startPostgres(path.join(folder, 'postgres'), programs);
	const redis = await startRedis(path.join(folder, 'redis'), programs).catch(async (error) => {
		await postgres.stop();
		throw error;
	});
	return {
		postgres,
		redis,
		/** Environment of n8n's processes for these services. */
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: LOOPBACK,
			DB_POSTGRESDB_PORT: String(postgres.port),
			DB_POSTGRESDB_USER: DATABASE_USER,
			DB_POSTGRESDB_PASSWORD: postgres.password,
			DB_POSTGRESDB_DATABASE: 'postgres',
			QUEUE_BULL_REDIS_HOST: LOOPBACK,
			QUEUE_BULL_REDIS_PORT: String(redis.port),
			QUEUE_BULL_REDIS_PASSWORD: redis.password,
		},
		stop: async () => {
			await Promise.all([postgres.stop(), redis.stop()]);
		},
	};
}

module.exports = { startDatabase, startServices };
