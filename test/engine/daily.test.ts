/**
 * Output: One Item per Day in n8n's engine over HTTP, for users with known readings. What is in a row:
 * unit/service/daily.test.ts.
 */
import { Settings } from 'luxon';
import type { INodeParameters } from 'n8n-workflow';
import { runAgent } from '../helpers/agent';
import { runNode, type RunOptions } from '../helpers/engine';
import { BERLIN, people, SILENT, STEADY } from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, queryOf, useSandbox } from '../helpers/requests';

const daily = (more: INodeParameters = {}, user: INodeParameters[string] = '') =>
	bloodPressureOf(user, { output: 'daily', ...(user === '' && { userScope: 'all' }), ...more });

describe('users with known readings', () => {
	const used = useSandbox(() => ({ world: people(), switches: { pageSize: 7 } }));
	const run = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) =>
		await runNode({ credential: used.credential, parameters, timezone: 'UTC', ...more });

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

	it('adds up the readings of a day, each once, and of each source by itself', async () => {
		used.sandbox.switches.overlap = true;
		const sunday = { startDate: '2026-03-29', endDate: '2026-03-29' };
		expect((await run(daily(sunday, byUserId(BERLIN.user_id)))).rows).toMatchObject([
			{ readings: 4, systolic_mean: 125.5, systolic_min: 124, systolic_max: 127, diastolic_mean: 80 },
		]);
		const day = { startDate: '2026-03-02', endDate: '2026-03-02' };
		const rows = (await run(daily(day, byClientId('steady')))).rows;
		// The third to the fifth reading.
		expect(rows.map((row) => [row.provider, row.source_type, row.readings, row.systolic_mean])).toEqual([
			['omron', 'cuff', 1, 113],
			['omron', 'phone', 1, 115],
			['withings', 'cuff', 1, 114],
		]);
		const minutes = { ...daily({}, byClientId('steady')), operation: 'mindfulnessMinutes' };
		expect((await run(minutes)).rows.map(({ value_sum: sum }) => sum)).toEqual([5, 12.5, 20]);
	});

	it.each([1, 23, 1000])('Limit %i counts complete rows', async (limit) => {
		const { rows } = await run(daily());
		expect((await run(daily({ returnAll: false, limit }))).rows).toEqual(rows.slice(0, limit));
	});

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
