/**
 * The tables of the nightly read, and what must be in the one of readings, worked out without n8n.
 */
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import type { BloodPressurePoint } from '../../dev/sandbox/metrics';
import type { User } from '../../dev/sandbox/schemas';
import type { World } from '../../dev/sandbox/world';
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

/** The rows of blood pressure on the days before a night, straight from the sandbox's data. */
export function rowsBefore(
	night: string,
	days: number,
	{ world, users, now, zone }: { world: World; users: readonly User[]; now: number; zone: string },
): IDataObject[] {
	const end = DateTime.fromISO(night, { zone }).startOf('day');
	return users.flatMap((user) => {
		const readings = world.readings(user.user_id, 'blood_pressure', end.minus({ days }).toMillis(), end.toMillis() - 1);
		return expectedRows(
			user,
			readings.filter(({ arrived }) => arrived <= now),
			user.client_user_id,
		);
	});
}

export function tablesOf({ postgres }: Queue, database: string) {
	const query = async (sql: string) => await postgres.query(database, sql);
	const list = async (select: string) =>
		JSON.parse(await query(`SELECT coalesce(json_agg(one), '[]') FROM (${select}) AS one`));
	const columns = ['id', 'user_id', 'client_user_id', TIMESTAMP];
	const values = ['systolic', 'diastolic', 'unit', 'provider', 'source_type'];
	return {
		query,
		readings: async (): Promise<IDataObject[]> =>
			await list(`SELECT ${[...columns, ...values].join(', ')} FROM health_readings`),
		/** Whom the shards that are not done have still to read. */
		toRead: async (): Promise<string[]> => {
			const shards = await list('SELECT user_ids FROM health_shards WHERE done IS NULL');
			return shards.flatMap(({ user_ids }: { user_ids: string[] }) => user_ids);
		},
		shardsDone: async () => Number(await query('SELECT count(*) FROM health_shards WHERE done IS NOT NULL')),
		/** The example makes them again. */
		drop: async () => await query('DROP TABLE IF EXISTS health_readings, health_shards, health_users'),
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
