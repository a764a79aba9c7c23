/** The tables of the nightly read, and what must be in the one of readings, worked out without n8n. */
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import type { BloodPressurePoint } from '../../dev/sandbox/metrics';
import type { User } from '../../dev/sandbox/schemas';
import type { Sandbox } from '../../dev/sandbox/server';
import type { Switches } from '../../dev/sandbox/switches';
import type { Reading, World } from '../../dev/sandbox/world';
import { expectedRows } from '../helpers/people';
import type { Queue } from './nightly';

/** As the service writes it. */
const TIMESTAMP = `to_char(timestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"') AS timestamp`;

/** The world with times finer than milliseconds, as the service has them. */
export const withMicroseconds = (world: World): World => ({
	...world,
	readings: (...asked) =>
		world.readings(...asked).map((reading) => {
			const { timestamp, ...rest } = reading.point as BloodPressurePoint;
			return { ...reading, point: { ...rest, timestamp: timestamp?.replace('000+', '123+') } };
		}),
});

export type Bend = (reading: Reading) => Reading | [];

/** The world, and a map of users by their id to what becomes of each of their readings on the way; `[]`: it is deleted. */
export function bendable(world: World) {
	const bent = new Map<string, Bend>();
	const readings: World['readings'] = (userId, ...asked) =>
		world.readings(userId, ...asked).flatMap(bent.get(userId) ?? ((reading) => reading));
	return { world: { ...world, readings }, bent };
}

/**
 * Answers with the readings of users as they are, past the schema of the sandbox, which would cast them.
 *
 * @param isRaw says by `user_id` which answers
 */
export const rawAnswers =
	({ world, switches }: Sandbox, isRaw: (userId: string) => boolean): Switches['fault'] =>
	(_, url) => {
		const { pathname, searchParams } = new URL(url, 'http://localhost');
		const [, userId] = /timeseries\/([^/]+)/.exec(pathname) ?? [];
		if (!userId || !isRaw(userId)) return undefined;
		const [from, to] = ['start_date', 'end_date'].map((name) => searchParams.get(name));
		const groups: Record<string, object[]> = {};
		for (const { source, point, arrived } of world.readings(
			userId,
			'blood_pressure',
			Date.parse(from!),
			to ? Date.parse(to) : switches.now(),
		)) {
			if (arrived <= switches.now()) (groups[source.provider] ??= []).push({ data: [point], source });
		}
		return { status: 200, body: { groups, next_cursor: null } };
	};

/** The rows of blood pressure on the days before a night, straight from the sandbox's data. */
export function rowsBefore(
	night: string,
	days: number,
	{ world, users, now, zone }: { world: World; users: readonly User[]; now: number; zone: string },
): IDataObject[] {
	const end = DateTime.fromISO(night, { zone }).startOf('day');
	return users.flatMap((user) => {
		const readings = world.readings(user.user_id, 'blood_pressure', end.minus({ days }).toMillis(), end.toMillis() - 1);
		const arrived = readings.filter((reading) => reading.arrived <= now);
		return expectedRows(user, arrived, user.client_user_id).map(tableRow);
	});
}

const COLUMNS = ['row_id', 'user_id', 'client_user_id', 'timestamp'];
const VALUES = ['systolic', 'diastolic', 'unit', 'provider', 'source_type'];

/** The columns of a row that the table has. */
export const tableRow = (row: IDataObject): IDataObject =>
	Object.fromEntries([...COLUMNS, ...VALUES].map((column) => [column, row[column]]));

export function tablesOf({ postgres }: { postgres: Pick<Queue['postgres'], 'query'> }, database: string) {
	const query = async (sql: string) => await postgres.query(database, sql);
	const list = async (select: string): Promise<IDataObject[]> =>
		JSON.parse(await query(`SELECT coalesce(json_agg(one), '[]') FROM (${select}) AS one`));
	const columns = [...COLUMNS, ...VALUES].map((column) => (column === 'timestamp' ? TIMESTAMP : column));
	return {
		query,
		/** The rows that a statement gives. */
		list,
		readings: async (table = 'health_readings') => await list(`SELECT ${columns.join(', ')} FROM ${table}`),
		/** Unread users of the nights that are planned. */
		unread: async (): Promise<string[]> => {
			const users = await list('SELECT user_id FROM health_users WHERE readings IS NULL');
			return users.map(({ user_id: id }) => id as string);
		},
		count: async (table: string, where = 'true') => Number(await query(`SELECT count(*) FROM ${table} WHERE ${where}`)),
		/** No night and no reading; the tables stay, since executions look into them all the time. */
		empty: async () => void (await query('DELETE FROM health_nights; TRUNCATE health_readings')),
	};
}

export type Tables = ReturnType<typeof tablesOf>;

/** What is wrong with a table: nothing, where each row is there once and as expected. */
export function wrongIn(table: IDataObject[], expected: IDataObject[]) {
	const texts = (rows: IDataObject[]) => new Set(rows.map((row) => JSON.stringify(Object.entries(row).sort())));
	const [has, wants] = [texts(table), texts(expected)];
	const sample = (found: string[]) => ({ count: found.length, first: found.slice(0, 3) });
	return {
		missing: sample([...wants].filter((row) => !has.has(row))),
		unexpected: sample([...has].filter((row) => !wants.has(row))),
		twice: table.length - has.size,
	};
}

const none = { count: 0, first: [] };
export const NOTHING_WRONG = { missing: none, unexpected: none, twice: 0 };
