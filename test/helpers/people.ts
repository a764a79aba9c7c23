/** Worlds of the sandbox for tests: a small one with known readings and the rows expected of it, and one of which a test writes the history. */
import { createHash } from 'node:crypto';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import type { BloodPressurePoint, MindfulnessPoint } from '../../dev/sandbox/metrics';
import type { User } from '../../dev/sandbox/schemas';
import { iso, uuid, type MetricName, type Reading, type World, type Team } from '../../dev/sandbox/world';

export const KEY = 'team-of-the-tests';
export const OTHER_KEY = 'another-team';

/** Every neighbour of the slash, spaces, and letters beyond ASCII. */
export const SPECIAL_ID = 'Ward 7/B ?bed=3&x#1 50% ünïcødé 心 +';

export const STEADY = createUser('steady', ['omron', 'withings']);
export const SPECIAL = createUser(SPECIAL_ID, ['omron']);
export const BERLIN = createUser('berlin', ['omron']);
export const SILENT = createUser('silent', []);

/** 61 blood pressure readings in March 2026, two providers, two kinds of one of them; some in the same minute. */
const steadyReadings = Array.from({ length: 61 }, (_, i): Reading => {
	const provider = ['omron', 'withings', 'omron'][i % 3];
	const type = ['cuff', 'cuff', 'phone'][i % 3];
	return bloodPressure(
		`2026-03-${String(1 + Math.floor(i / 3)).padStart(2, '0')}T0${i % 3 ? 7 : 6}:00:0${i % 3}Z`,
		110 + i,
		70 + (i % 9),
		provider,
		type,
	);
});

/** Readings on both sides of every midnight around the change of clocks in Berlin (29 March 2026, 02:00 → 03:00). */
const berlinReadings = [
	'2026-03-27T22:59:59.999999Z', // last instant of Friday 27th, +01:00
	'2026-03-27T23:00:00Z', // first of Saturday 28th
	'2026-03-28T22:59:59.999999Z', // last of Saturday 28th
	'2026-03-28T23:00:00Z', // first of Sunday 29th, +01:00
	'2026-03-29T00:30:00Z', // before the change
	'2026-03-29T01:30:00Z', // after it, +02:00
	'2026-03-29T21:59:59.999999Z', // last of Sunday 29th, 23 hours after its first
	'2026-03-29T22:00:00Z', // first of Monday 30th
].map((time, i) => bloodPressure(time, 120 + i, 80));

const mindful = [5, 12.5, 20].map((minutes, i) => mindfulness(`2026-03-0${i + 1}T20:00:00Z`, minutes));

export const people = (): World =>
	fixedWorld([STEADY, SPECIAL, BERLIN, SILENT], {
		[STEADY.user_id]: { blood_pressure: steadyReadings, mindfulness_minutes: mindful },
		[SPECIAL.user_id]: { blood_pressure: steadyReadings.slice(0, 3) },
		[BERLIN.user_id]: { blood_pressure: berlinReadings },
	});

/** A world of one team with exactly these readings, and an empty team beside it. */
export function fixedWorld(users: User[], readings: Record<string, Partial<Record<MetricName, Reading[]>>>): World {
	return {
		teams: [
			{ key: KEY, users },
			{ key: OTHER_KEY, users: [] },
		],
		readings: (userId, metric, from, to) =>
			(readings[userId]?.[metric] ?? []).filter(({ time }) => time >= from && time <= to),
	};
}

export function createUser(clientUserId: string, providers: string[]): User {
	return {
		user_id: uuid('test user', clientUserId),
		team_id: uuid('test team'),
		client_user_id: clientUserId,
		created_on: '2025-01-01T00:00:00.000000+00:00',
		connected_sources: providers.map((slug) => ({
			created_on: '2025-01-02T00:00:00.000000+00:00',
			source: { name: slug[0].toUpperCase() + slug.slice(1), slug, logo: `https://logos.example/${slug}.svg` },
		})),
		fallback_time_zone: null,
	};
}

export function bloodPressure(
	time: string,
	systolic: number,
	diastolic: number,
	provider = 'omron',
	type = 'cuff',
): Reading {
	const at = Date.parse(time);
	// The text keeps the microseconds that epoch milliseconds cannot.
	const timestamp = time.includes('.') ? time.replace('Z', '+00:00') : iso(at);
	return { time: at, arrived: at, source: { provider, type }, point: { timestamp, systolic, diastolic, unit: 'mmHg' } };
}

export function mindfulness(start: string, value: number, provider = 'oura', type = 'ring'): Reading {
	const at = Date.parse(start);
	const point = { start: iso(at), end: iso(at + value * 60_000), unit: 'min', value };
	return { time: at, arrived: at, source: { provider, type }, point };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The `row_id` of a reading that shares its time with no other of its source. Saved tables hold it: it may never change. */
function idOf(event: string, user: User, { point, source }: Reading): string {
	const [time, { provider, type }] = [('start' in point ? point.start : point.timestamp) as string, source];
	const [, beyondMilliseconds = ''] = /\.\d{3}(\d*?)0*(?!\d)/.exec(time) ?? [];
	const instant = `${DateTime.fromISO(time).toMillis()}.${beyondMilliseconds}`;
	const reading = sha256(JSON.stringify([user.user_id, provider, type, instant]));
	return `${event}-${sha256(user.user_id).slice(0, 6)}${reading.slice(6, 32)}`;
}

/** The rows that these readings must become. @param zone of the workflow; by default n8n's own */
export function expectedRows(
	user: User,
	readings: Reading[],
	clientUserId: string | null = null,
	zone = 'America/New_York',
): IDataObject[] {
	return readings.map((reading) => {
		const { point, source, time } = reading;
		const row_id = idOf('systolic' in point ? 'bloodPressure' : 'mindfulnessMinutes', user, reading);
		const local_time = DateTime.fromMillis(Math.floor(time), { zone }).toFormat('yyyy-MM-dd HH:mm:ss');
		const owner = { client_user_id: clientUserId, local_time };
		const from = { unit: point.unit, provider: source.provider, source_type: source.type };
		const ids = { user_id: user.user_id, row_id };
		if ('systolic' in point) {
			const { timestamp, systolic, diastolic } = point as BloodPressurePoint;
			return { ...owner, systolic, diastolic, ...from, timestamp, ...ids };
		}
		const { start, end, value } = point as MindfulnessPoint;
		return { ...owner, value, ...from, start, end, ...ids };
	});
}

/** All readings of a user, for comparing. */
export const readingsOf = (world: World, user: User, metric: MetricName = 'blood_pressure') =>
	world.readings(user.user_id, metric, -Infinity, Infinity);

/** Pages group readings by provider, so rows are compared in the order of time. */
export const byTime = (rows: IDataObject[]) => [...rows].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));

const sortKey = (row: IDataObject) => `${row.timestamp ?? row.start} ${row.provider} ${row.source_type}`;

export interface Entry {
	user: User;
	metric: MetricName;
	reading: Reading;
}

export class History implements World {
	readonly team: Team = { key: KEY, users: [] };
	readonly teams = [this.team];
	entries: Entry[] = [];

	addUser(name: string, created = '2025-01-01T00:00:00.000000+00:00'): User {
		const user = { ...createUser(name, ['omron']), created_on: created };
		this.team.users = [...this.team.users, user];
		return user;
	}

	removeUser(user: User) {
		this.team.users = this.team.users.filter((one) => one !== user);
	}

	/** `late` in ms: how long after the measurement it reaches the service. */
	add(user: User, reading: Reading, { metric = 'blood_pressure' as MetricName, late = 0 } = {}): Entry {
		const entry = { user, metric, reading: { ...reading, arrived: reading.time + late } };
		this.entries.push(entry);
		return entry;
	}

	remove(entry: Entry) {
		this.entries = this.entries.filter((one) => one !== entry);
	}

	readings(userId: string, metric: MetricName, from: number, to: number): Reading[] {
		return this.entries
			.filter((entry) => entry.user.user_id === userId && entry.metric === metric)
			.map(({ reading }) => reading)
			.filter(({ time }) => time >= from && time <= to)
			.sort((a, b) => a.time - b.time);
	}
}

export const at = (iso: string) => DateTime.fromISO(iso, { zone: 'utc' }).toMillis();
