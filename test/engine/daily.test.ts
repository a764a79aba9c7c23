/**
 * Output: One Item per Day in n8n's engine over HTTP, against sums over the sandbox's world that know nothing of the node.
 */
import { Settings } from 'luxon';
import type { INodeParameters } from 'n8n-workflow';
import type { BloodPressurePoint, MindfulnessPoint } from '../../dev/sandbox/metrics';
import type { User } from '../../dev/sandbox/schemas';
import { createWorld, type MetricName, type Reading, type World } from '../../dev/sandbox/world';
import { runAgent } from '../helpers/agent';
import { runNode, type RunOptions } from '../helpers/engine';
import {
	BERLIN,
	bloodPressure,
	createUser,
	fixedWorld,
	KEY,
	mindfulness,
	people,
	SILENT,
	STEADY,
} from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, queryOf, useSandbox } from '../helpers/requests';

const TEAM = 12;
const lifelike = createWorld([{ key: KEY, users: TEAM }]);
const allUsers = lifelike.teams[0].users;

/** Of several sources, at every hour of days that have 23 and 25 of them. */
const BUSY = createUser('busy', ['omron', 'withings']);
const busyReadings = Array.from({ length: 24 * 3 * 2 }, (_, i): Reading => {
	// 28 to 30 March and 24 to 26 October 2026 in UTC: the clocks of Berlin change on the 29th and the 25th.
	const hour = Date.UTC(2026, ...(i < 72 ? ([2, 28] as const) : ([9, 24] as const)), 0, 17) + (i % 72) * 3_600_000;
	const time = new Date(hour).toISOString();
	const pressure = bloodPressure(time, 100 + ((i * 37) % 60), 60 + ((i * 17) % 40), ['omron', 'withings'][i % 2]);
	return { ...pressure, source: { ...pressure.source, type: i % 3 ? 'cuff' : 'phone' } };
});
const busySessions = busyReadings.map(({ time }, i) =>
	mindfulness(new Date(time).toISOString(), (i % 9) / 10, ['oura', 'fitbit'][i % 2]),
);
const odd = fixedWorld([BUSY], {
	[BUSY.user_id]: { blood_pressure: busyReadings, mindfulness_minutes: busySessions },
});

const world: World = {
	teams: [{ key: KEY, users: [...allUsers, BUSY] }],
	readings: (userId, ...rest) => (userId === BUSY.user_id ? odd : lifelike).readings(userId, ...rest),
};

/** All that is true of days, worked out again: by Intl, and in whole thousandths. The sandbox makes null of what 3 divides. */
function expectedRows(user: User, metric: MetricName, zone: string, firstDay: string, lastDay: string) {
	const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
	const named = (time: number) => format.format(time);
	const days = new Map<string, { cells: unknown[]; points: Array<Record<string, unknown>> }>();
	for (const { time, source, point } of world.readings(
		user.user_id,
		metric,
		Date.parse(firstDay) - 2 * 86_400_000,
		Date.parse(lastDay) + 3 * 86_400_000,
	)) {
		if (named(time) < firstDay || named(time) > lastDay) continue;
		const cells = [named(time), source.provider, source.type, point.unit];
		const day = days.get(cells.join(' ')) ?? { cells, points: [] };
		days.set(cells.join(' '), day);
		day.points.push(point as never);
	}
	return [...days]
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([, { cells, points }]) => {
			const numbers = (column: keyof BloodPressurePoint | keyof MindfulnessPoint) =>
				points
					.map((point) => Number(point[column]))
					.filter((value) => value % 3 !== 0)
					.map((value) => Math.round(value * 1000));
			const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
			const orNull = (values: number[], value: number) => (values.length ? value : null);
			const threeOf = (column: 'systolic' | 'diastolic') => {
				const values = numbers(column);
				return {
					[`${column}_mean`]: orNull(values, Math.round(sum(values) / 100 / values.length) / 10),
					[`${column}_min`]: orNull(values, Math.min(...values) / 1000),
					[`${column}_max`]: orNull(values, Math.max(...values) / 1000),
				};
			};
			const [date, provider, source_type, unit] = cells;
			return {
				client_user_id: user.client_user_id,
				date,
				...(metric === 'blood_pressure'
					? { ...threeOf('systolic'), ...threeOf('diastolic') }
					: { value_sum: orNull(numbers('value'), sum(numbers('value')) / 1000) }),
				unit,
				readings: points.length,
				provider,
				source_type,
				user_id: user.user_id,
				id: expect.any(String),
			};
		});
}

const daily = (more: INodeParameters = {}, user: INodeParameters[string] = '') =>
	bloodPressureOf(user, { output: 'daily', ...(user === '' && { userScope: 'all' }), ...more });

describe("the sandbox's world", () => {
	const used = useSandbox(() => ({
		world,
		switches: { pageSize: 7, overlap: true, oddValues: 'mixed', now: () => Date.UTC(2026, 11, 1) },
	}));
	const run = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) =>
		await runNode({ credential: used.credential, parameters, timezone: 'Europe/Berlin', ...more });

	const cases = (
		[
			['bloodPressure', 'Europe/Berlin', '2026-03-28', '2026-03-30'],
			['bloodPressure', 'America/New_York', '2026-10-24', '2026-10-26'],
			['mindfulnessMinutes', 'Europe/Berlin', '2026-03-29', '2026-03-29'],
		] as const
	).map(([operation, zone, first, last]) => ({ operation, zone, first, last }));

	it.each(cases)('$operation of all users in $zone from $first to $last', async ({ operation, zone, first, last }) => {
		const metric = operation === 'bloodPressure' ? 'blood_pressure' : 'mindfulness_minutes';
		const parameters = { ...daily({ startDate: first, endDate: last, options: { timeZone: zone } }), operation };
		const { rows, error } = await run(parameters);
		expect(error).toBeUndefined();
		const expected = [...allUsers, BUSY].flatMap((user) => expectedRows(user, metric, zone, first, last));
		expect(rows).toEqual(expected);
		expect(rows.map((row) => Object.keys(row))).toEqual(expected.map((row) => Object.keys(row)));
		expect(rows.length).toBeGreaterThan(TEAM / 2);
		expect(rows.some(({ readings }) => Number(readings) > 3)).toBe(true);
		expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
	});

	it('uses the zone of the workflow where the option is empty', async () => {
		const parameters = daily({ startDate: '2026-03-29', endDate: '2026-03-29' }, byClientId('busy'));
		const inBerlin = expectedRows(BUSY, 'blood_pressure', 'Europe/Berlin', '2026-03-29', '2026-03-29');
		expect((await run(parameters)).rows).toEqual(inBerlin);
		const inKolkata = expectedRows(BUSY, 'blood_pressure', 'Asia/Kolkata', '2026-03-29', '2026-03-29');
		expect((await run(parameters, { timezone: 'Asia/Kolkata' })).rows).toEqual(inKolkata);
		expect(inKolkata).not.toEqual(inBerlin);
	});

	it.each([1, 23, 1000])('Limit %i counts complete rows', async (limit) => {
		const days = { startDate: '2026-03-28', endDate: '2026-03-30' };
		for (const user of ['', byUserId(BUSY.user_id)]) {
			const all = (await run(daily(days, user))).rows;
			const { rows } = await run(daily({ ...days, returnAll: false, limit }, user));
			expect(rows).toEqual(all.slice(0, limit));
		}
	});
});

describe('users with known readings', () => {
	const used = useSandbox(() => ({ world: people(), switches: { pageSize: 7 } }));
	const run = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) =>
		await runNode({ credential: used.credential, parameters, timezone: 'UTC', ...more });

	it('stops asking once Limit is reached', async () => {
		const { rows } = await run(daily({ returnAll: false, limit: 2, options: { concurrency: 1 } }));
		expect(rows).toHaveLength(2);
		const asked = used.sandbox.requests.filter((url) => url.includes('timeseries'));
		expect(asked.filter((url) => url.includes(STEADY.user_id))).toHaveLength(9);
		expect(asked.some((url) => url.includes(SILENT.user_id))).toBe(false);
	});

	it('gives nothing without readings', async () => {
		const { rows, error } = await run(daily({}, byUserId(SILENT.user_id)));
		expect([error, rows]).toEqual([undefined, []]);
	});

	it('has client_user_id null where it is not known, and the same ids', async () => {
		const byId = (await run(daily({}, byUserId(STEADY.user_id)))).rows;
		const byName = (await run(daily({}, byClientId('steady')))).rows;
		expect(byId).toEqual(byName.map((row) => ({ ...row, client_user_id: null })));
		expect(byId.length).toBeGreaterThan(20);
	});

	it('links each row to its item, and counts Limit for each {{ }}', async () => {
		const { items } = await run(daily({ returnAll: false, limit: 3 }, byUserId('={{ $json.id }}')), {
			input: [{ id: STEADY.user_id }, { id: BERLIN.user_id }],
		});
		expect(items.map(({ json, pairedItem }) => [json.user_id, pairedItem])).toEqual([
			...Array.from({ length: 3 }, () => [STEADY.user_id, { item: 0 }]),
			...Array.from({ length: 3 }, () => [BERLIN.user_id, { item: 1 }]),
		]);
	});

	it('gives a tool the same rows, which have no columns to leave out', async () => {
		const parameters = daily({}, byUserId(STEADY.user_id));
		const { answers } = await runAgent(used.credential, { Tool: parameters }, [['Tool', {}]]);
		expect(JSON.parse(answers[0])).toEqual((await run(parameters)).rows);
	});

	it('reads the first day from its beginning, so that a row is the same tomorrow', async () => {
		const clock = jest.spyOn(Settings, 'now').mockImplementation(() => Date.UTC(2026, 2, 29, 13, 30));
		await run(daily({ dateRange: 'last7Days' }, byUserId(BERLIN.user_id)), { timezone: 'Europe/Berlin' });
		clock.mockRestore();
		expect(queryOf(used.sandbox.requests[0]).start_date).toBe('2026-03-23T00:00:00.000+01:00');
	});
});
