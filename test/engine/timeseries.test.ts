/**
 * Timeseries operations in n8n's engine, against the sandbox: pages, limits, days around the change of clocks, the forms of
 * Output, and the item that each row came from.
 */
import type { User } from '../../dev/sandbox/schemas';
import type { Reading } from '../../dev/sandbox/world';
import { runNode } from '../helpers/engine';
import { BERLIN, byTime, expectedRows, people, readingsOf, STEADY } from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, queryOf, useSandbox } from '../helpers/requests';

const used = useSandbox();
const steady = readingsOf(people(), STEADY);
const run = async (parameters: ReturnType<typeof bloodPressureOf>, timezone = 'UTC') =>
	await runNode({ credential: used.credential, parameters, timezone });
const rowsOf = (user: User, readings: Reading[], clientUserId: string | null = null) =>
	expectedRows(user, readings, clientUserId, 'UTC');

it('the local_time of a row as Start Date reads its day, also at midnight UTC, where timestamp reads the next one', async () => {
	const zone = 'America/New_York';
	const ofDay = async (day: string) =>
		await run(bloodPressureOf(byUserId(STEADY.user_id), { startDate: day, endDate: day }), zone);
	const { rows } = await run(bloodPressureOf(byUserId(STEADY.user_id)), zone);
	for (const row of [rows[0], rows[30]]) expect((await ofDay(String(row.local_time))).rows).toContainEqual(row);
	used.sandbox.requests.length = 0;
	for (const day of ['2026-03-09 20:00:00', '2026-03-10T00:00:00+00:00']) await ofDay(day);
	const asked = used.sandbox.requests.map((url) => new Date(queryOf(url).start_date).toISOString());
	expect(asked).toEqual(['2026-03-09T04:00:00.000Z', '2026-03-10T04:00:00.000Z']);
});

describe('all pages', () => {
	it('gives 61 readings over pages of 7, each once', async () => {
		used.sandbox.switches.pageSize = 7;
		const { rows, error } = await run(bloodPressureOf(byUserId(STEADY.user_id)));

		expect(error).toBeUndefined();
		expect(byTime(rows)).toEqual(byTime(rowsOf(STEADY, steady)));
		expect(used.sandbox.requests).toHaveLength(9);
	});

	it('repeats the whole query on every page and never sends the deprecated cursor', async () => {
		used.sandbox.switches.pageSize = 7;
		await run(
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
});

// One page more than the rows need: it may have twins of the last row.
it.each([
	[1, 2],
	[2, 2],
	[3, 3],
	[100, 4],
])('Limit gives %i rows or all there are, of %i pages', async (limit, pages) => {
	used.sandbox.switches.pageSize = 2;
	const { rows } = await run(bloodPressureOf(byUserId(BERLIN.user_id), { returnAll: false, limit }));
	const all = rowsOf(BERLIN, readingsOf(people(), BERLIN));

	expect(rows).toEqual(all.slice(0, limit));
	expect(used.sandbox.requests).toHaveLength(pages);
});

it('gives mindfulness minutes with their own columns, in a fixed order', async () => {
	const { rows } = await run({ ...bloodPressureOf(byUserId(STEADY.user_id)), operation: 'mindfulnessMinutes' });

	expect(rows).toEqual(rowsOf(STEADY, readingsOf(people(), STEADY, 'mindfulness_minutes')));
	expect(Object.keys(rows[0]).join(' ')).toBe(
		'client_user_id local_time value unit provider source_type start end user_id row_id',
	);
});

const all = expectedRows(BERLIN, readingsOf(people(), BERLIN), null, 'Europe/Berlin');
it.each([
	['days', '2026-03-28', '2026-03-30', 1, 8],
	['times', '2026-03-29T01:30:00', '2026-03-29T03:30:00', 4, 6],
])('%s in Berlin around the change of clocks, %s to %s', async (dateRange, startDate, endDate, first, end) => {
	const parameters = bloodPressureOf(byUserId(BERLIN.user_id), { dateRange, startDate, endDate });
	expect((await run(parameters, 'Europe/Berlin')).rows).toEqual(all.slice(first, end));
});

it('one item per user merges the groups of all pages by provider and source', async () => {
	used.sandbox.switches.pageSize = 7;
	const { rows } = await run(bloodPressureOf(byClientId('steady'), { output: 'grouped' }));

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
