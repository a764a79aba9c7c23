/**
 * How long a statement takes that writes rows into PostgreSQL from a real n8n: by itself, and for each row.
 */
const { startService } = require('../startService');
const { plain } = require('../plain');
const { KEY } = require('../workflows');
const { CREDENTIAL, writeOnce } = require('./shard');

const ROUNDS = 3;
const TEAM = { users: 1000, perUser: 20 };

/** @typedef {import('./measure').Queue} Queue */

/** @param {Queue} queue @param {string} baseUrl of the service */
async function credentialsFor({ rest, postgres }, baseUrl) {
	const { host, port, user, password } = postgres;
	const database = { host, port, user, password, database: 'postgres', ssl: 'disable' };
	return {
		service: await rest.createCredential({ name: 'scale', type: CREDENTIAL, data: { baseUrl, apiKey: KEY } }),
		postgres: await rest.createCredential({ name: 'scale', type: 'postgres', data: database }),
	};
}

/** How long one statement takes by itself, and for each of its rows. @param {Queue} queue */
async function measureStatement(queue) {
	const service = await startService(TEAM);
	try {
		const credentials = await credentialsFor(queue, service.baseUrl);
		const userIds = (await plain(service.baseUrl).listUsers()).map(({ user_id }) => user_id);
		/** @param {number} limit */
		const best = async (limit) => {
			const { id } = await queue.rest.importWorkflow(writeOnce(credentials, userIds, limit));
			const times = [];
			for (let round = 0; round < ROUNDS; round++) {
				const { status, error, runData } = await queue.rest.runWorkflow(id, 'Start', { everyMs: 500 });
				const [written] = runData.Statement ?? [];
				if (status !== 'success') throw new Error(`${status}: ${error?.message}`);
				if (written.data.main[0][0].json.rows !== limit) throw new Error(`Not ${limit} rows`);
				times.push(written.executionTime);
			}
			console.log(JSON.stringify({ rows: limit, times }));
			return Math.min(...times);
		};
		const rows = TEAM.users * TEAM.perUser;
		const [one, all] = [await best(1), await best(rows)];
		return { statementMs: one, rowMs: (all - one) / (rows - 1) };
	} finally {
		service.stop();
	}
}

module.exports = { credentialsFor, measureStatement };
