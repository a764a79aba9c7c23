/**
 * SQL client for PostgreSQL by its command line program, so no driver is needed. The password goes by environment, the statement
 * by standard input, so neither is in the list of processes.
 */
const { execFile } = require('node:child_process');
const { promisify } = require('node:util');
const { cleanEnvironment } = require('../../install/cleanEnvironment');

/** @param {string} psql the program @param {{ host: string, port: number, user: string, password: string }} server */
function connect(psql, { host, port, user, password }) {
	const options = ['--no-psqlrc', '--quiet', '--no-align', '--tuples-only', '--set=ON_ERROR_STOP=1'];
	const command = (/** @type {string} */ database) => [
		...[psql, ...options, '--host', host, '--port', String(port), '--username', user, '--dbname', database],
	];
	const env = { PGPASSWORD: password, PGCONNECT_TIMEOUT: '5' };
	return {
		env,
		/** Succeeds once the server answers to the password. */
		command: [...command('postgres'), '--command', 'SELECT 1'],
		/** Rows come as text, columns divided by `|`. @param {string} database @param {string} sql */
		async query(database, sql) {
			const [file, ...args] = command(database);
			const running = promisify(execFile)(file, args, { env: cleanEnvironment(env) });
			// psql stops reading when it rejects a statement early.
			running.child.stdin?.on('error', () => {}).end(sql);
			const { stdout } = await running.catch(({ stderr }) => {
				throw new Error(`PostgreSQL: ${stderr.trim()}`);
			});
			return stdout.trim();
		},
	};
}

module.exports = { connect };
