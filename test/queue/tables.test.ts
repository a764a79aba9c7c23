/**
 * The examples that write a table in PostgreSQL, with a real one behind n8n's own Postgres node: what their statements make of
 * rows that are new, known, twice, corrected or written without an offset.
 */
import { DateTime } from 'luxon';
import type { INode, INodeTypeDescription } from 'n8n-workflow';
import { freePort } from '../../dev/host/process/ports';
import { startDatabase } from '../../dev/host/queue/services';
import type { User } from '../../dev/sandbox/schemas';
import { defaultSwitches } from '../../dev/sandbox/switches';
import { readExample } from '../e2e/examples/files';
import { prepare, type Example } from '../e2e/examples/run';
import { startHost, type Host } from '../e2e/n8n';
import { emptyFolder, removeFolder } from '../helpers/folder';
import { NOTHING_WRONG, rawAnswers, tableRow, tablesOf, wrongIn } from './table';
import { History, type Entry, bloodPressure, expectedRows, KEY } from '../helpers/people';

const NIGHTLY = 'nightly-table-postgres.json';
const BACKFILL = 'backfill-and-follow.json';
const FOLLOW = 'New Blood Pressure Reading';

const folder = emptyFolder();
const history = new History();
const [anna, ben] = ['app-user-0001', 'app-user-0002'].map((name) => history.addUser(name));
let database: Awaited<ReturnType<typeof startDatabase>>;
let host: Host;
let types: INodeTypeDescription[];
let credentials: Record<string, string>;
/** A credential of a database that does not answer. */
let away: string;
beforeAll(async () => {
	database = await startDatabase(`${folder}/postgres`);
	host = await startHost(history);
	types = await host.rest.get('/types/nodes.json');
	credentials = {
		healthDataServiceApi: await host.credential(KEY),
		postgres: await host.rest.createCredential({ name: 'table', type: 'postgres', data: database.credential }),
	};
	const closed = { ...database.credential, port: await freePort() };
	away = await host.rest.createCredential({ name: 'away', type: 'postgres', data: closed });
	// Where a time without an offset would be another one.
	await sql("ALTER ROLE CURRENT_USER SET timezone TO 'Asia/Kathmandu'");
});
afterEach(async () => {
	Object.assign(host.sandbox.switches, defaultSwitches());
	history.entries = [];
	await sql('DROP TABLE IF EXISTS blood_pressure');
});
afterAll(async () => {
	await host?.stop();
	await database?.stop();
	removeFolder(folder);
});

/** @param given other credentials than those of the tests @param timezone of the workflow */
async function put(example: Example, given: Record<string, string> = {}, timezone = 'UTC'): Promise<string> {
	const workflow = prepare(example, types, { ...credentials, ...given }, timezone);
	// The shortest that n8n allows, so that no test waits.
	for (const node of workflow.nodes) if (node.retryOnFail) node.waitBetweenTries = 1;
	return (await host.rest.importWorkflow(workflow)).id;
}

const run = async (example: Example, from?: string, given?: Record<string, string>) =>
	await host.rest.runWorkflow(await put(example, given), from);

const sql = async (query: string) => await database.query('postgres', query);
const tables = () => tablesOf({ postgres: database }, 'postgres');
/** That the table has the readings of the service, each once. */
const expectAllInTable = async (entries = history.entries) => {
	const rows = entries.flatMap(({ user, reading }) => expectedRows(user, [reading], user.client_user_id));
	expect(wrongIn(await tables().readings('blood_pressure'), rows.map(tableRow))).toEqual(NOTHING_WRONG);
};
const systolics = async () => (await tables().readings('blood_pressure')).map(({ systolic }) => systolic);

/** As many days ago, with microseconds. */
const measured = (user: User, days: number, systolic: number): Entry => {
	const time = DateTime.utc().minus({ days }).toFormat("yyyy-MM-dd'T'HH:mm:ss.SSS'123Z'");
	return history.add(user, bloodPressure(time, systolic, 80));
};
function correct(entry: Entry, values: object): Entry {
	history.remove(entry);
	const { user, reading } = entry;
	return history.add(user, { ...reading, point: { ...reading.point, ...values } });
}
const succeeds = async (file: string, from?: string) => {
	const { status, error } = await run(readExample(file), from);
	expect([status, error?.message]).toEqual(['success', undefined]);
};

describe.each([
	[NIGHTLY, 'Write by ID'],
	[BACKFILL, 'Add What Is Missing'],
])('%s', (file, write) => {
	it('leaves out bad cells, writes all other rows, and reports their number and users', async () => {
		host.sandbox.switches.fault = rawAnswers(host.sandbox, () => true);
		correct(measured(anna, 1, 120), { systolic: 'n/a' });
		correct(measured(anna, 2, 121), { diastolic: '' });
		correct(measured(ben, 1, 122), { timestamp: 1_782_000_000_000 });
		correct(measured(ben, 2, 123), { unit: 'mm\u0000Hg \\u0000' });
		correct(measured(ben, 3, 124), { unit: 'mm\ud83d\ud83dHg' });
		correct(measured(ben, 4, 125), { timestamp: '2026-02-30T00:00:00Z' });
		const { status, runData } = await run(readExample(file));
		expect(status).toBe('success');
		const [{ json: account }] = runData[write][0].data.main[0];
		const users = [anna.user_id, ben.user_id].sort();
		expect(account).toEqual({ readings: 4, cellsLeftOut: 6, cellsOf: users });
		const select = 'SELECT systolic, diastolic, unit FROM blood_pressure ORDER BY systolic NULLS FIRST';
		const rows = await tables().list(select);
		expect(rows).toEqual([
			{ systolic: null, diastolic: 80, unit: 'mmHg' },
			{ systolic: 121, diastolic: null, unit: 'mmHg' },
			{ systolic: 123, diastolic: 80, unit: 'mm\ufffdHg \\u0000' },
			{ systolic: 124, diastolic: 80, unit: 'mm\ufffd\ufffdHg' },
		]);
	});

	it('fails when the step before fails as a whole, and writes the readings when it works again', async () => {
		measured(anna, 1, 120);
		await succeeds(file);
		measured(anna, 2, 121);
		const gone = await host.credential(KEY);
		await host.rest.delete(`/rest/credentials/${gone}`);
		const { status, error } = await run(readExample(file), undefined, { healthDataServiceApi: gone });
		expect([status, error?.message]).toEqual(['error', expect.stringMatching(/^Nothing was written: the step "/)]);
		expect(await systolics()).toEqual([120]);
		await succeeds(file);
		await expectAllInTable();
	});

	it('writes the readings of the others, and ends as failed with the failed users', async () => {
		const sound = measured(anna, 1, 120);
		measured(ben, 1, 121);
		host.sandbox.switches.users = { [ben.user_id]: 'refused' };
		const { status, error } = await run(readExample(file));
		const refused = `Could not be read: ${ben.user_id} (The service refuses this user's data (status 403))`;
		expect([status, error?.message]).toEqual(['error', refused]);
		await expectAllInTable([sound]);
	});

	it('fails with an error that concerns all users, and makes no table', async () => {
		const { status, error } = await run(readExample(file), undefined, {
			healthDataServiceApi: await host.credential('wrong'),
		});
		expect(status).toBe('error');
		expect(error?.message).toMatch(/^Could not be read: The service did not accept the API key \(status 401\)\. [A-Z]/);
		expect(await tables().count('information_schema.tables', "table_name = 'blood_pressure'")).toBe(0);
	});

	it('fails while the database is away, and writes the readings when it is back', async () => {
		measured(anna, 1, 120);
		const { status, error } = await run(readExample(file), undefined, { postgres: away });
		expect([status, error?.message]).toEqual(['error', expect.stringContaining('refused')]);
		await succeeds(file);
		await expectAllInTable();
	});

	it('makes the table, writes each reading once, and adds what came late', async () => {
		Object.assign(host.sandbox.switches, { pageSize: 3, overlap: true });
		for (const days of [1, 2, 3, 4, 5]) for (const user of [anna, ben]) measured(user, days, 100 + days);
		await succeeds(file);
		await expectAllInTable();
		measured(anna, 6, 150);
		await succeeds(file);
		await expectAllInTable();
	});

	it('reads each form of a time as the node does, a date as that day of the workflow', async () => {
		host.sandbox.switches.fault = rawAnswers(host.sandbox, () => true);
		const day = DateTime.utc().minus({ days: 2 });
		const [date, basic] = [day.toISODate(), day.toFormat('yyyyMMdd')];
		const written = [
			[`${date} 08:00:00 +0000`, `${date}T08:00:00`],
			[`${basic}T090000Z`, `${date}T09:00:00`],
			[`${date}T10:00:00,5Z`, `${date}T10:00:00.5`],
			[`${date}T11+01:00`, `${date}T10:00:00`],
			[`${date}T12:00:00+01:00[Europe/Berlin]`, `${date}T11:00:00`],
			[date, `${date}T00:00:00-05:00`],
			[basic, `${date}T00:00:00-05:00`],
		];
		written.forEach(([timestamp], i) => correct(measured(anna, 2, 100 + i), { timestamp }));
		const { status } = await host.rest.runWorkflow(await put(readExample(file), {}, 'America/Cancun'));
		expect(status).toBe('success');
		const rows = await tables()
			.list(`SELECT to_char(timestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS time
			FROM blood_pressure ORDER BY systolic`);
		expect(rows.map(({ time }) => time)).toEqual(
			written.map(([, time]) => DateTime.fromISO(time!, { zone: 'utc' }).toISO()),
		);
	});

	it('keeps empty values empty, and leaves columns of your own alone', async () => {
		Object.assign(host.sandbox.switches, { oddValues: true, bareSources: true });
		measured(anna, 1, 120);
		await succeeds(file);
		await sql('ALTER TABLE blood_pressure ADD COLUMN note text');
		measured(ben, 1, 121);
		await succeeds(file);
		const select = 'SELECT systolic, diastolic, source_type, note FROM blood_pressure ORDER BY systolic';
		expect(await tables().list(select)).toEqual([
			{ systolic: 120, diastolic: null, source_type: null, note: null },
			{ systolic: 121, diastolic: null, source_type: null, note: null },
		]);
	});
});

it(`${NIGHTLY} writes corrected values over the old ones, and none that are older than 7 days`, async () => {
	const old = measured(anna, 8, 119);
	const first = measured(anna, 1, 120);
	measured(ben, 1, 121);
	await succeeds(NIGHTLY);
	correct(first, { systolic: 130, diastolic: 90, unit: 'mm Hg' });
	anna.client_user_id = 'app-user-0009';
	await succeeds(NIGHTLY);
	await expectAllInTable(history.entries.filter((entry) => entry !== old));
});

it(`${BACKFILL} follows, and the history does not overwrite what it has written`, async () => {
	measured(anna, 60, 110);
	const newest = measured(anna, 1, 120);
	await succeeds(BACKFILL, FOLLOW);
	expect(await systolics()).toEqual([120]);
	const corrected = correct(newest, { systolic: 130 });
	await succeeds(BACKFILL, FOLLOW);
	expect(await systolics()).toEqual([130]);

	// As if it had been read before the correction.
	const old = correct(corrected, { systolic: 120 });
	await succeeds(BACKFILL);
	correct(old, { systolic: 130 });
	await expectAllInTable();
});

it('nightly-shards.json fails once an hour while the database is away, with a short message', async () => {
	const id = await put(readExample('nightly-shards.json'), { postgres: away });
	const ends = [await host.rest.runWorkflow(id), await host.rest.runWorkflow(id)];
	// The hour may change in between.
	if (ends[1].status === 'error') ends.push(await host.rest.runWorkflow(id));
	expect([ends[0].status, ends.at(-1)!.status]).toEqual(['error', 'success']);
	expect(ends[0].error.message).toBe('The database of the readings failed: Connection refused');
});

describe('a month of nights', () => {
	beforeAll(async () => {
		await run(readExample('nightly-plan.json'));
		await sql(`
			UPDATE health_nights SET accounted = now(), account_by = now() + interval '1 day';
			UPDATE health_users SET readings = 0;
			CREATE TEMP TABLE one AS SELECT * FROM health_nights LIMIT 1;
			INSERT INTO health_nights SELECT (n).* FROM (SELECT jsonb_populate_record(one, jsonb_build_object('night', one.night - day)) AS n
				FROM one, generate_series(1, 30) AS day) AS nights;
			INSERT INTO health_shards (night, plan, shard) SELECT night, plan, shard FROM health_nights, generate_series(1, 10) AS shard
				ON CONFLICT DO NOTHING;
			INSERT INTO health_users (night, plan, user_id, shard, readings)
				SELECT night, plan, 'user-' || shard || '-' || number, shard, 0 FROM health_shards, generate_series(1, 100) AS number;
			ANALYZE health_users`);
	});
	const statementOf = (name: string) => {
		const { parameters } = readExample('nightly-shards.json').nodes.find((node: INode) => node.name === name);
		return String(parameters.query);
	};
	const rowsRead = async (query: string) => {
		return rowsReadOf('health_users', JSON.parse(await sql(query)) as Plan[]);
	};

	it('"Next" reads only users that are unread', async () => {
		const values = ["''", "'{}'", '0'];
		const next = statementOf('Next').replace(/\$([123])/g, (_, index) => values[index - 1]);
		const [, statement] = /^(WITH shards[^]+?);$/m.exec(next)!;
		expect(await rowsRead(`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`)).toBeLessThan(1000);
	});

	it('"Write and Mark" reads only the users of its shard', async () => {
		const shard = await sql(`SELECT json_build_object(
			'night', max(night), 'plan', max(plan), 'shard', 3, 'userIds', 'user-3-1,user-3-2', 'timeZone', 'UTC') FROM health_nights`);
		const columns = `ARRAY[${Array(10).fill(`'["user-3-1"]'`).join()}]`;
		const values = [columns, `'${shard}'`, 'health_readings', '0'];
		const write = statementOf('Write and Mark').replace(/\$([1-4])(:alias)?/g, (_, index) => values[index - 1]);
		expect(await rowsRead(write.replace(/^WITH/m, 'EXPLAIN (ANALYZE, FORMAT JSON) WITH'))).toBeLessThan(1000);
	});
});

interface Plan {
	'Relation Name'?: string;
	'Actual Rows'?: number;
	'Actual Loops'?: number;
	'Rows Removed by Filter'?: number;
}

/** How many rows of a table a plan has read. */
function rowsReadOf(table: string, plan: Plan[]): number {
	let count = 0;
	JSON.stringify(plan, (_, node: Plan | null) => {
		const { 'Actual Rows': kept = 0, 'Actual Loops': loops = 0, 'Rows Removed by Filter': removed = 0 } = node ?? {};
		if (node?.['Relation Name'] === table) count += (kept + removed) * loops;
		return node;
	});
	return count;
}
