/**
 * The workflows that `npm run scale -- --measure` runs: a webhook that reads a shard of users and answers with the number of
 * rows, one like it that writes them into PostgreSQL as the example "Sharded nightly read" does, and the same by a button.
 */
const { CREDENTIAL, chain, ours, workflowNode } = require('../workflows');

/** @typedef {import('../workflows').WorkflowNode} WorkflowNode */
/** @typedef {{ service: string, postgres: string }} Credentials their ids */

const TABLE =
	'CREATE TABLE scale (id text PRIMARY KEY, user_id text, timestamp timestamptz, systolic int, diastolic int)';
const WRITE = `WITH written AS (
	INSERT INTO scale AS old
	SELECT DISTINCT ON (id) id, user_id, timestamp, systolic, diastolic
	FROM json_to_recordset($1::json) AS r(id text, user_id text, timestamp timestamptz, systolic int, diastolic int)
	WHERE id IS NOT NULL
	ON CONFLICT (id) DO UPDATE SET systolic = excluded.systolic, diastolic = excluded.diastolic
	RETURNING id
) SELECT count(*)::int AS rows FROM written`;

/** @param {Credentials} credentials @param {string} query @param {object} [options] */
const statement = ({ postgres }, query, options = {}) =>
	workflowNode(
		'Statement',
		'n8n-nodes-base.postgres',
		2.5,
		{ operation: 'executeQuery', query, options },
		{ executeOnce: true, credentials: { postgres: { id: postgres, name: 'scale' } } },
	);

/** All rows in one. @param {Credentials} credentials */
const writeAll = (credentials) =>
	statement(credentials, WRITE, {
		queryReplacement: "={{ [JSON.stringify($('Readings').all().map((i) => i.json))] }}",
	});

const rows = { id: 'rows', name: 'rows', type: 'number', value: "={{ $('Readings').all().length }}" };
const countAll = () =>
	workflowNode(
		'Count',
		'n8n-nodes-base.set',
		3.4,
		{ assignments: { assignments: [rows] }, options: {} },
		{ executeOnce: true },
	);

/** @param {Credentials} credentials @param {string | string[]} userIds @param {number} requests @param {object} [more] */
const readingsOf = ({ service }, userIds, requests, more) =>
	ours(service, requests).readings({ userScope: 'listed', userIds, ...more });

/** @param {Credentials} credentials */
const makeTable = (credentials) => chain('scale: table', [statement(credentials, TABLE)]);

/**
 * @param {string} path
 * @param {Credentials} credentials
 * @param {{ requests: number, rowsPerUser: number }} setup
 */
function shardWorkflow(path, credentials, { requests, rowsPerUser }) {
	const readings = readingsOf(credentials, '={{ $json.body.userIds }}', requests);
	const flow = chain(path, [readings, rowsPerUser > 0 ? writeAll(credentials) : countAll()]);
	const webhook = { httpMethod: 'POST', path, responseMode: 'lastNode', options: {} };
	const [, ...others] = flow.nodes;
	return {
		...flow,
		nodes: [workflowNode('Start', 'n8n-nodes-base.webhook', 2, webhook, { webhookId: path }), ...others],
		settings: { ...flow.settings, saveDataSuccessExecution: 'none' },
	};
}

/** So many rows of these users at most, in one statement. @param {Credentials} credentials @param {string[]} userIds @param {number} limit */
const writeOnce = (credentials, userIds, limit) =>
	chain('scale: statement', [
		readingsOf(credentials, userIds.join(), 8, { returnAll: false, limit }),
		writeAll(credentials),
	]);

module.exports = { CREDENTIAL, makeTable, shardWorkflow, writeOnce };
