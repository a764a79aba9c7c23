/**
 * Output: One Item per Day and Summary per User in n8n's engine over HTTP: their days, Limit, links and users. What is in a row:
 * unit/service/readings/summary.test.ts.
 */
import { Settings } from 'luxon';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runAgent } from '../helpers/agent';
import { runNode, type RunOptions } from '../helpers/engine';
import { BERLIN, people, SILENT, SPECIAL_ID, STEADY } from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, queryOf, useSandbox } from '../helpers/requests';

const used = useSandbox(() => ({ world: people(), switches: { pageSize: 7 } }));
const run = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) =>
	await runNode({ credential: used.credential, parameters, timezone: 'Europe/Berlin', ...more });

it.each<[string, (rows: IDataObject[]) => unknown]>([
	['readings', (rows) => rows.length],
	['daily', (rows) => rows.map(({ readings }) => readings)],
	['summary', ([row]) => row.readings],
	['grouped', ([{ groups }]) => (groups as { omron: Array<{ data: unknown[] }> }).omron[0].data.length],
])('without an end, a reading dated after tomorrow is in no row: %s', async (output, countOf) => {
	const clock = jest.spyOn(Settings, 'now').mockImplementation(() => Date.UTC(2026, 2, 27, 22, 30));
	const parameters = { output, dateRange: 'days', startDate: '2026-03-01', endDate: '' };
	const { rows } = await run(bloodPressureOf(byUserId(BERLIN.user_id), parameters));
	clock.mockRestore();
	// Of eight readings, one is of today and two are of tomorrow.
	expect(countOf(rows)).toEqual(output === 'daily' ? [1, 2] : 3);
});

describe('One Item per Day', () => {
	const daily = (more: INodeParameters = {}, user: INodeParameters[string] = '') =>
		bloodPressureOf(user, { output: 'daily', ...(user === '' && { userScope: 'all' }), ...more });

	it.each([
		['Europe/Berlin', { '2026-03-27': 1, '2026-03-28': 2, '2026-03-29': 4, '2026-03-30': 1 }],
		['Asia/Kolkata', { '2026-03-28': 2, '2026-03-29': 4, '2026-03-30': 2 }],
	])('has a row for each day in %s, by the option or by the workflow', async (timeZone, expected) => {
		const days = { startDate: '2026-03-27', endDate: '2026-03-30' };
		const { rows, error } = await run(daily(days, byUserId(BERLIN.user_id)), { timezone: timeZone });
		expect(error).toBeUndefined();
		expect(Object.fromEntries(rows.map(({ date, readings }) => [date, readings]))).toEqual(expected);
		expect((await run(daily({ ...days, options: { timeZone } }, byUserId(BERLIN.user_id)))).rows).toEqual(rows);
	});

	it('adds up the readings of a day, each once, its sources together', async () => {
		used.sandbox.switches.overlap = true;
		const sunday = { startDate: '2026-03-29', endDate: '2026-03-29' };
		expect((await run(daily(sunday, byUserId(BERLIN.user_id)))).rows).toMatchObject([
			{ readings: 4, systolic_mean: 124.5, systolic_min: 123, systolic_max: 126, diastolic_mean: 80 },
		]);
		const day = { startDate: '2026-03-02', endDate: '2026-03-02' };
		// The third to the fifth reading.
		expect((await run(daily(day, byClientId('steady')))).rows).toMatchObject([
			{ readings: 3, systolic_mean: 114, providers: 'omron, withings', source_types: 'cuff, phone' },
		]);
		const cuffs = { ...day, options: { sourceTypes: 'cuff' } };
		expect((await run(daily(cuffs, byClientId('steady')))).rows).toMatchObject([{ readings: 2, source_types: 'cuff' }]);
		const minutes = { ...daily({}, byClientId('steady')), operation: 'mindfulnessMinutes' };
		expect((await run(minutes)).rows.map(({ value_sum: sum }) => sum)).toEqual([5, 12.5, 20]);
	});

	it.each([1, 23, 1000])('Limit %i counts complete rows', async (limit) => {
		const { rows } = await run(daily());
		expect((await run(daily({ returnAll: false, limit }))).rows).toEqual(rows.slice(0, limit));
	});

	it('has client_user_id null where it is not known, and the same ids', async () => {
		const byId = (await run(daily({}, byUserId(STEADY.user_id)))).rows;
		const byName = (await run(daily({}, byClientId('steady')))).rows;
		expect(byId).toEqual(byName.map((row) => ({ ...row, client_user_id: null })));
		expect(byId).toHaveLength(21);
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

	it('one user without readings, whose name is known from the list', async () => {
		const user = { __rl: true, mode: 'list', value: SILENT.user_id, cachedResultName: 'silent' };
		expect(counts((await run(summary({}, user))).rows)).toEqual([['silent', 0]]);
	});

	it.each([1, 3, 4, 50])('Limit %i counts rows', async (limit) => {
		const options = { concurrency: 1 };
		expect(counts((await run(summary({ returnAll: false, limit, options }))).rows)).toEqual(ALL.slice(0, limit));
		const read = (user: typeof SILENT) => used.sandbox.requests.some((url) => url.includes(user.user_id));
		if (limit === 1) expect([STEADY, BERLIN, SILENT].map(read)).toEqual([true, false, false]);
	});

	it.each([
		[
			'last24Hours',
			'2026-03-28 14:30:00',
			'2026-03-29 15:30:00',
			'2026-03-28T14:30:00.000+01:00',
			'2026-03-29 03:30:00',
			4,
		],
		['days', '2026-03-27', '2026-03-29', '2026-03-27T00:00:00.000+01:00', '2026-03-30 00:00:00', 8],
	])('%s takes the range as it was asked', async (dateRange, from, to, start_date, latest_time, readings) => {
		const clock = jest.spyOn(Settings, 'now').mockImplementation(() => Date.UTC(2026, 2, 29, 13, 30));
		const parameters = summary({ dateRange, startDate: '2026-03-27', endDate: '' }, byUserId(BERLIN.user_id));
		const [row] = (await run(parameters)).rows;
		clock.mockRestore();
		expect(row).toMatchObject({ from, to, latest_time, readings });
		expect(queryOf(used.sandbox.requests[0]).start_date).toBe(start_date);
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
			[{ options: { onlyStatus: ['high'] } }, "'Return Only' is High, but 'Limits' has no 'Mean At or Above'"],
			[{ options: { compareWith: 'x' } }, "'Compare With' is not one of its options"],
			[{ options: { userTimeZone: 'x' } }, "'Use Each User's Time Zone' is not true or false"],
			[{ limits: { enough: { days: 0 } } }, "'Enough Days' is not a whole number of 1 or more"],
		])('%j is an error before any request', async (more, message) => {
			const { error } = await run(summary(more as unknown as INodeParameters));
			expect(error?.message).toBe(message);
			expect(used.sandbox.requests).toEqual([]);
		});

		it('of another output or metric are ignored', async () => {
			const options = { onlyStatus: 'x', compareWith: 'x' };
			const limits = { mean: { systolic: 'x' }, high: { systolic: 'x' }, enough: { days: 'x' } };
			const plain = bloodPressureOf(byUserId(BERLIN.user_id), { options, limits });
			expect((await run(plain)).rows).toHaveLength(8);
			const [row] = (await run({ ...summary({ limits }), operation: 'mindfulnessMinutes' })).rows;
			expect(row).not.toHaveProperty('status');
		});

		it.each([
			['of an expression', { mean: { systolic: '={{ 250 }}', diastolic: '={{ null }}' } }, 'in range'],
			['of an expression that gives none', { mean: { systolic: '={{ null }}', diastolic: '={{ "" }}' } }, undefined],
		])('limits %s {{ }}', async (_, limits, status) => {
			const [row] = await withOptions({}, { limits: limits as unknown as INodeParameters });
			expect(row.status).toBe(status);
		});

		it('limits filled in by n8n', async () => {
			const [row] = await withOptions({}, { limits: { mean: { systolic: 130 } } });
			expect(row.status).toBe('high');
		});

		it('a limit that an expression loses is an error {{ }}', async () => {
			const limits = { mean: { systolic: '={{ undefined }}', diastolic: 85 } };
			const { error } = await run(summary({ limits, options: { onlyStatus: ['high'] } }));
			expect(error?.message).toBe("'Mean Systolic' is empty");
			expect(used.sandbox.requests).toEqual([]);
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
