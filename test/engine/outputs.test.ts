/**
 * Timeseries operations and their Outputs in n8n's engine, over HTTP: pages, days, Limit, time zones, and the item and user of each
 * row. What is in a row of days and users: unit/service/readings/summary.test.ts.
 */
import { Settings } from 'luxon';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runAgent } from '../helpers/agent';
import type { User } from '../../dev/sandbox/schemas';
import type { Reading } from '../../dev/sandbox/world';
import { runNode, useRunner, type RunOptions } from '../helpers/engine';
import {
	BERLIN,
	bloodPressure,
	byTime,
	createUser,
	expectedRows,
	fixedWorld,
	people,
	readingsOf,
	SILENT,
	SPECIAL_ID,
	STEADY,
} from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, queryOf, useSandbox } from '../helpers/requests';

const used = useSandbox(() => ({ world: people(), switches: { pageSize: 7 } }));
const run = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) =>
	await runNode({ credential: used.credential, parameters, timezone: 'Europe/Berlin', ...more });

const steady = readingsOf(people(), STEADY);
const rowsOf = (user: User, readings: Reading[]) => expectedRows(user, readings, null, 'UTC');
const runIn = async (parameters: INodeParameters, timezone = 'UTC') => await run(parameters, { timezone });

describe('One Item per Reading', () => {
	it('gives 61 readings over pages of 7, each once', async () => {
		used.sandbox.switches.pageSize = 7;
		const { rows, error } = await runIn(bloodPressureOf(byUserId(STEADY.user_id)));

		expect(error).toBeUndefined();
		expect(byTime(rows)).toEqual(byTime(rowsOf(STEADY, steady)));
		expect(used.sandbox.requests).toHaveLength(9);
	});

	it('repeats the whole query on every page and never sends the deprecated cursor', async () => {
		used.sandbox.switches.pageSize = 7;
		await runIn(
			bloodPressureOf(byUserId(STEADY.user_id), { provider: { __rl: true, mode: 'slug', value: 'omron' } }),
			'Europe/Berlin',
		);

		const queries = used.sandbox.requests.map(queryOf);
		expect(queries.length).toBeGreaterThan(3);
		for (const { next_cursor, ...query } of queries) {
			expect(query).toEqual({
				start_date: '2026-03-01T00:00:00.000+01:00',
				end_date: '2026-03-31T23:59:59.999999+02:00',
				provider: 'omron',
			});
			expect(next_cursor === undefined).toBe(queries[0].next_cursor === next_cursor);
		}
		expect(used.sandbox.requests[0]).toContain('%2B01%3A00');
	});

	// One page more than the rows need: it may have twins of the last row.
	it.each([
		[1, 2],
		[2, 2],
		[3, 3],
		[100, 4],
	])('Limit gives %i rows or all there are, of %i pages', async (limit, pages) => {
		used.sandbox.switches.pageSize = 2;
		const { rows } = await runIn(bloodPressureOf(byUserId(BERLIN.user_id), { returnAll: false, limit }));
		const all = rowsOf(BERLIN, readingsOf(people(), BERLIN));

		expect(rows).toEqual(all.slice(0, limit));
		expect(used.sandbox.requests).toHaveLength(pages);
	});
});

it('one item per user merges the groups of all pages by provider and source', async () => {
	used.sandbox.switches.pageSize = 7;
	const { rows } = await runIn(bloodPressureOf(byClientId('steady'), { output: 'grouped' }));

	expect(rows).toHaveLength(1);
	const { groups, ...owner } = rows[0] as { groups: Record<string, Array<{ source: object; data: object[] }>> };
	expect(owner).toEqual({ user_id: STEADY.user_id, client_user_id: 'steady' });
	const points = (provider: string, type: string) =>
		steady.filter(({ source }) => source.provider === provider && source.type === type).map(({ point }) => point);
	expect(groups).toEqual({
		omron: [
			{ source: { provider: 'omron', type: 'cuff' }, data: points('omron', 'cuff') },
			{ source: { provider: 'omron', type: 'phone' }, data: points('omron', 'phone') },
		],
		withings: [{ source: { provider: 'withings', type: 'cuff' }, data: points('withings', 'cuff') }],
	});
});

describe('One Item per Day', () => {
	const daily = (more: INodeParameters = {}, user: INodeParameters[string] = '') =>
		bloodPressureOf(user, { output: 'daily', ...(user === '' && { userScope: 'all' }), ...more });

	it('has a row for each day, in the time zone of the option or of the workflow', async () => {
		const timeZone = 'Asia/Kolkata';
		const expected = { '2026-03-28': 2, '2026-03-29': 4, '2026-03-30': 2 };
		const days = { startDate: '2026-03-27', endDate: '2026-03-30' };
		const { rows, error } = await run(daily(days, byUserId(BERLIN.user_id)), { timezone: timeZone });
		expect(error).toBeUndefined();
		expect(Object.fromEntries(rows.map(({ date, readings }) => [date, readings]))).toEqual(expected);
		expect((await run(daily({ ...days, options: { timeZone } }, byUserId(BERLIN.user_id)))).rows).toEqual(rows);
	});

	it('Limit counts complete rows', async () => {
		const limit = 23;
		const { rows } = await run(daily());
		expect((await run(daily({ returnAll: false, limit }))).rows).toEqual(rows.slice(0, limit));
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

	it('gives a tool short rows', async () => {
		const parameters = daily({ endDate: '2026-03-01' }, byUserId(STEADY.user_id));
		const { answers } = await runAgent(used.credential, { Tool: parameters }, [['Tool', {}]]);
		expect(JSON.parse(answers[0])).toEqual([
			{
				...{ user_id: STEADY.user_id, date: '2026-03-01', mean: '111.0/71.0', unit: 'mmHg', readings: 3 },
				...{ latest: '112/72', latest_time: '2026-03-01 07:00:02' },
				...{ highest: '112/72', highest_time: '2026-03-01 07:00:02' },
				...{ lowest: '110/70', lowest_time: '2026-03-01 06:00:00' },
				...{ providers: 'omron, withings', source_types: 'cuff, phone' },
			},
		]);
	});

	it('reads the first day from its beginning, so that a row is the same tomorrow', async () => {
		const clock = jest.spyOn(Settings, 'now').mockImplementation(() => Date.UTC(2026, 2, 29, 13, 30));
		await run(daily({ dateRange: 'last24Hours' }, byUserId(BERLIN.user_id)));
		clock.mockRestore();
		expect(queryOf(used.sandbox.requests[0]).start_date).toBe('2026-03-28T00:00:00.000+01:00');
	});
});

describe('Summary per User', () => {
	const summary = (more: INodeParameters = {}, user: INodeParameters[string] = '') =>
		bloodPressureOf(user, { output: 'summary', ...(user === '' && { userScope: 'all' }), ...more });
	const counts = (rows: IDataObject[]) => rows.map(({ client_user_id: name, readings }) => [name, readings]);
	const ALL = [
		['steady', 61],
		[SPECIAL_ID, 3],
		['berlin', 8],
		['silent', 0],
	];

	it('has a row for each user, also without readings', async () => {
		const { rows, items } = await run(summary());
		expect(counts(rows)).toEqual(ALL);
		expect(items.every(({ pairedItem }) => JSON.stringify(pairedItem) === '{"item":0}')).toBe(true);
		expect(new Set(rows.map(({ row_id }) => row_id)).size).toBe(4);
	});

	it.each([1, 3])('Limit %i counts rows', async (limit) => {
		const options = { concurrency: 1 };
		expect(counts((await run(summary({ returnAll: false, limit, options }))).rows)).toEqual(ALL.slice(0, limit));
		const read = (user: typeof SILENT) => used.sandbox.requests.some((url) => url.includes(user.user_id));
		if (limit === 1) expect([STEADY, BERLIN, SILENT].map(read)).toEqual([true, false, false]);
	});

	it('takes the range as it was asked', async () => {
		const clock = jest.spyOn(Settings, 'now').mockImplementation(() => Date.UTC(2026, 2, 29, 13, 30));
		const parameters = summary({ dateRange: 'last24Hours' }, byUserId(BERLIN.user_id));
		const [row] = (await run(parameters)).rows;
		clock.mockRestore();
		expect(row).toMatchObject({ from: '2026-03-28 14:30:00', to: '2026-03-29 15:30:00', readings: 4 });
		expect(queryOf(used.sandbox.requests[0]).start_date).toBe('2026-03-28T14:30:00.000+01:00');
	});

	describe('options', () => {
		const MEAN = { mean: { systolic: 135, diastolic: null } };
		const judged = {
			limits: { ...MEAN, high: { systolic: 126, diastolic: null }, enough: { readings: 12, days: 3 } },
		};
		const withOptions = async (options: INodeParameters, more: INodeParameters = {}) =>
			(await run(summary({ options, ...more }))).rows;

		it('judge each user, and Return Only comes before Limit', async () => {
			const rows = await withOptions({}, judged);
			expect(rows.map((row) => [row.client_user_id, row.status, row.enough_readings, row.reached])).toEqual([
				['steady', 'high', true, 'high'],
				[SPECIAL_ID, 'in range', false, ''],
				['berlin', 'in range', false, 'high'],
				['silent', 'no readings', false, ''],
			]);
			for (const onlyStatus of ['High', ['high'], '["high"]'] as INodeParameters[string][]) {
				const only = await withOptions({ onlyStatus }, { ...judged, returnAll: false, limit: 1 });
				expect(counts(only)).toEqual([['steady', 61]]);
			}
			const options = { onlyStatus: 'high, no readings' };
			const two = await withOptions(options, { ...judged, returnAll: false, limit: 2 });
			expect(counts(two)).toEqual([ALL[0], ALL[3]]);
		});

		it.each([
			[{ options: { onlyStatus: 'height' } }, "'Return Only' is not one of its options"],
			[{ options: { compareWith: 'x' } }, "'Compare With' is not one of its options"],
			[{ options: { userTimeZone: 'x' } }, "'Use Each User's Time Zone' is not true or false"],
			[{ limits: { enough: { days: 0 } } }, "'Enough Days' is not a whole number of 1 or more"],
		])('%j is an error before any request', async (more, message) => {
			const { error } = await run(summary(more as unknown as INodeParameters));
			expect(error?.message).toBe(message);
			expect(used.sandbox.requests).toEqual([]);
		});

		it.each([
			['of an expression', { mean: { systolic: '={{ 250 }}', diastolic: '={{ null }}' } }, 'in range'],
			['of an expression that gives none', { mean: { systolic: '={{ null }}', diastolic: '={{ "" }}' } }, undefined],
		])('limits %s {{ }}', async (_, limits, status) => {
			const [row] = await withOptions({}, { limits: limits as unknown as INodeParameters });
			expect(row.status).toBe(status);
		});

		it('all limits as one expression, which n8n does not evaluate, are an error', async () => {
			const limits = '={{ ({ mean: { systolic: 135, diastolic: 85 } }) }}' as unknown as INodeParameters;
			const { error } = await run(summary({ limits, options: { onlyStatus: ['high'] } }));
			expect(error?.message).toBe("'Return Only' is High, but 'Limits' has no 'Mean At or Above'");
			expect(used.sandbox.requests).toEqual([]);
		});

		it('compare with the period before: one query, as for the longer range', async () => {
			const days = { startDate: '2026-03-11', endDate: '2026-03-20' };
			const [row] = await withOptions({ compareWith: 'period' }, { ...days, limits: MEAN });
			const asked = used.sandbox.requests.length;
			used.sandbox.requests.length = 0;
			const [before] = (await run(summary({ startDate: '2026-03-01', endDate: '2026-03-10' }))).rows;
			const [present] = (await run(summary(days))).rows;
			expect(row).toMatchObject(present);
			expect(row).toMatchObject({
				readings_before: before.readings,
				systolic_mean_before: before.systolic_mean,
				mean_before: before.mean,
			});
			used.sandbox.requests.length = 0;
			await run(summary({ startDate: '2026-03-01', endDate: '2026-03-20' }));
			expect(asked).toBe(used.sandbox.requests.length);
		});
	});

	it('shows what is connected now, where the record is known', async () => {
		const connected = (rows: IDataObject[]) => rows.map((row) => row.connected);
		expect(connected((await run(summary())).rows)).toEqual(['omron, withings', 'omron', 'omron', '']);
		expect(connected((await run(summary({}, byUserId(STEADY.user_id)))).rows)).toEqual([null]);
		used.sandbox.requests.length = 0;
		const picked = { __rl: true, mode: 'list', value: STEADY.user_id, cachedResultName: 'steady (Omron)' };
		expect(connected((await run(summary({}, picked))).rows)).toEqual(['omron, withings']);
		expect(used.sandbox.requests.filter((url) => url.includes('resolve'))).toHaveLength(1);
	});

	it('gives a tool a short row, also without readings', async () => {
		const ask = async (user: typeof SILENT) => {
			const parameters = summary(
				{ limits: { mean: { systolic: 135, diastolic: null } }, options: { compareWith: 'period' } },
				byClientId(user.client_user_id),
			);
			const { answers } = await runAgent(used.credential, { Tool: parameters }, [['Tool', {}]]);
			return JSON.parse(answers[0]) as IDataObject[];
		};
		expect(await ask(SILENT)).toEqual([
			{
				...{ client_user_id: 'silent', status: 'no readings', readings: 0, days: 0 },
				...{ readings_before: 0, from_before: '2026-01-29', to_before: '2026-02-28', status_before: 'no readings' },
			},
		]);
		const [row] = await ask(STEADY);
		expect(Object.keys(row).join(' ')).toBe(
			'client_user_id status mean unit readings days latest latest_time highest highest_time lowest lowest_time ' +
				'readings_before from_before to_before status_before providers source_types',
		);
	});
});

describe("Use Each User's Time Zone", () => {
	const zoneOf = (id: string) => ({ id, source_slug: 'omron', updated_at: '2026-01-01T00:00:00Z' });
	const KOLKATA = { ...createUser('kolkata', ['omron']), fallback_time_zone: zoneOf('Asia/Kolkata') };
	const NOWHERE = { ...createUser('nowhere', ['omron']), fallback_time_zone: zoneOf('Middle/Earth') };
	// 19:00 UTC is 00:30 of the next day in Kolkata.
	const late = bloodPressure('2026-03-02T19:00:00Z', 120, 80);
	const HONOLULU = { ...createUser('honolulu', []), fallback_time_zone: zoneOf('Pacific/Honolulu') };
	const users = [KOLKATA, NOWHERE];
	const readings = Object.fromEntries(users.map(({ user_id }) => [user_id, { blood_pressure: [late] }]));
	const used = useRunner(() => ({ world: fixedWorld([...users, HONOLULU], readings) }));
	const options = { userTimeZone: true };
	const day = { startDate: '2026-03-03', endDate: '2026-03-03', options };
	const read = async (more: INodeParameters, user: INodeParameters[string] = '') =>
		(
			await used.run(bloodPressureOf(user, { ...(user === '' && { userScope: 'all' }), ...day, ...more }), {
				timezone: 'UTC',
			})
		).rows;

	it('sets days, times and the range, where it is known', async () => {
		expect(await read({})).toMatchObject([
			{ client_user_id: 'kolkata', local_time: '2026-03-03 00:30:00', time_zone: 'Asia/Kolkata' },
		]);
		expect(Object.keys((await read({}))[0]).slice(-3)).toEqual(['time_zone', 'user_id', 'row_id']);
		expect(await read({ output: 'daily' })).toMatchObject([
			{ date: '2026-03-03', readings: 1, time_zone: 'Asia/Kolkata' },
		]);
		expect(await read({ output: 'summary' })).toMatchObject([
			{ readings: 1, time_zone: 'Asia/Kolkata', from: '2026-03-03' },
			{ readings: 0, time_zone: 'UTC' },
			{ readings: 0, time_zone: 'Pacific/Honolulu' },
		]);
		expect(await read({ output: 'grouped' })).toMatchObject([
			{ groups: { omron: [{}] } },
			{ groups: {} },
			{ groups: {} },
		]);
		expect(used.sandbox.requests.map(queryOf).filter(({ start_date }) => start_date?.includes('+05:30'))).not.toEqual(
			[],
		);
	});

	it('is known for a client user ID, a list of them and a picked user, resolved before the readings', async () => {
		const expected = [{ local_time: '2026-03-03 00:30:00', time_zone: 'Asia/Kolkata', client_user_id: 'kolkata' }];
		expect(await read({}, byClientId('kolkata'))).toMatchObject(expected);
		expect(await read({ userScope: 'listed', usersBy: 'clientUserId', userIds: 'kolkata, nowhere' })).toMatchObject(
			expected,
		);
		used.sandbox.requests.length = 0;
		const picked = { __rl: true, mode: 'list', value: KOLKATA.user_id, cachedResultName: 'kolkata (Omron)' };
		expect(await read({}, picked)).toMatchObject(expected);
		expect(used.sandbox.requests.map((url) => url.includes('resolve'))).toEqual([true, false]);
		// By user ID it is not known.
		expect(await read({}, byUserId(KOLKATA.user_id))).toEqual([]);
	});
});
