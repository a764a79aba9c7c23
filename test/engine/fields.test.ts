/**
 * Fields filled by expressions: for two items that differ, because the first item must not decide for all; an error that names
 * the field, before any request, never a wider read. A sample of each kind of field: test/unit/fields shows what each makes of any value.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { useRunner } from '../helpers/engine';
import { BERLIN, SPECIAL_ID, STEADY } from '../helpers/people';
import { PollingHost } from '../helpers/pollingHost';
import { bloodPressureOf, byClientId, byUserId, listUsers, resolve } from '../helpers/requests';

const used = useRunner();

/** Parameters with the field filled. */
type Fill = (given: string) => INodeParameters;

const steady = byUserId(STEADY.user_id);
const locator = (mode: string) => (value: string) => ({ __rl: true, mode, value });
const slug = locator('slug');
const ofSteady = (more: INodeParameters) => bloodPressureOf(steady, more);
const all = (options: INodeParameters) => ofSteady({ userScope: 'all', provider: slug('withings'), options });
const listed = (more: INodeParameters) =>
	ofSteady({ userScope: 'listed', userIds: STEADY.user_id, options: { whenNotFound: 'empty' }, ...more });

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** A field of each kind, and two values that read something different. */
const FIELDS: Array<[name: string, at: Fill, first: unknown, second: unknown]> = [
	['Users', (userScope) => ofSteady({ userScope }), 'one', 'all'],
	['User', (user) => bloodPressureOf(user), STEADY.user_id, BERLIN.user_id],
	['User', (value) => bloodPressureOf(locator('list')(value)), STEADY.user_id, BERLIN.user_id],
	[
		'Client User ID',
		(value) => bloodPressureOf(byClientId(value), { options: { whenNotFound: 'empty' } }),
		'steady',
		SPECIAL_ID,
	],
	['Identified By', (usersBy) => listed({ usersBy }), 'userId', 'clientUserId'],
	['User IDs', (userIds) => listed({ userIds }), [STEADY.user_id], [BERLIN.user_id, STEADY.user_id]],
	[
		'When Not Found',
		(whenNotFound) => bloodPressureOf(byUserId(UNKNOWN), { options: { whenNotFound } }),
		'empty',
		'error',
	],
	['Date Range', (dateRange) => ofSteady({ dateRange }), 'days', 'today'],
	['Start Date', (startDate) => ofSteady({ startDate }), '2026-03-05', '2026-03-09'],
	['End Date', (endDate) => ofSteady({ dateRange: 'times', endDate }), '2026-03-05T07:30', '2026-03-09'],
	['Provider', (value) => ofSteady({ provider: slug(value) }), 'omron', 'withings'],
	['Output', (output) => ofSteady({ output }), 'readings', 'grouped'],
	['Return All', (returnAll) => ofSteady({ returnAll, limit: 2 }), true, false],
	['Limit', (limit) => ofSteady({ returnAll: false, limit }), 3, ' 5 '],
	[
		'Time Zone',
		(timeZone) => ofSteady({ startDate: '2026-03-03', endDate: '2026-03-04', options: { timeZone } }),
		'Asia/Tokyo',
		'America/New_York',
	],
	['Max Users', (userLimit) => all({ userLimit }), 1, 3],
	['Only Connected Users', (onlyConnected) => all({ onlyConnected }), true, false],
	['Connected Provider', (provider) => listUsers({ returnAll: true, options: { provider } }), 'omron', 'withings'],
	['Skip First Users', (offset) => listUsers({ options: { offset } }), 1, 3],
	['Client User ID', (id) => resolve(id, { whenNotFound: 'empty' }), 'steady', 'berlin'],
];

/** In one run, because each run of an isolate takes a while: nothing, null, an empty list and an object. */
const WRONG = '={{ [undefined, null, [], ({ a: 1 })][$itemIndex] }}';

describe('the node {{ }}', () => {
	it.each(FIELDS)('%s is refused when filled with what is no value of it', async (name, at) => {
		const { rows } = await used.run(at(WRONG), { input: [{}, {}, {}, {}], onError: 'continueRegularOutput' });
		expect(rows).toHaveLength(4);
		for (const { error, details } of rows) {
			expect(error).toMatch(`'${name}' is `);
			expect(details).toMatch(/\S/);
		}
		// Each item had a value of its own.
		expect(new Set(rows.map(({ error }) => error)).size).toBeGreaterThan(1);
		expect(used.sandbox.requests).toEqual([]);
	});

	it.each(FIELDS)('%s of two items that differ: each gets what it would get alone', async (_, at, first, second) => {
		jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 2, 20, 12));
		const run = async (...values: unknown[]) => {
			used.sandbox.requests.length = 0;
			const input = values.map((value) => ({ value }) as IDataObject);
			const { items } = await used.run(at('={{ $json.value }}'), { input, onError: 'continueRegularOutput' });
			const rows = values.map((__, index) =>
				items.filter(({ pairedItem }) => (pairedItem as { item: number }).item === index).map(({ json }) => json),
			);
			// What both need, such as the list for the check of a provider, may be asked once.
			const requests = used.sandbox.requests.filter((url) => !url.endsWith('/v2/user?limit=1'));
			return { rows, requests: new Set(requests) };
		};
		const [alone, others] = [await run(first), await run(second)];
		const together = await run(first, second);
		jest.restoreAllMocks();

		expect([alone.rows[0], alone.requests]).not.toEqual([others.rows[0], others.requests]);
		expect(together.rows).toEqual([...alone.rows, ...others.rows]);
		expect(together.requests).toEqual(new Set([...alone.requests, ...others.requests]));
	});
});

it('refuses a locator without its value, which would widen what is read', async () => {
	const provider = { __rl: true, mode: 'slug' } as INodeParameters;
	const { error } = await used.run(bloodPressureOf(steady, { provider }));
	expect(error?.message).toMatch("'Provider' is ");
});

describe('the trigger', () => {
	const watch = (more: INodeParameters): INodeParameters => ({
		event: 'bloodPressure',
		userScope: 'one',
		user: steady,
		...more,
	});
	async function poll(parameters: INodeParameters) {
		let error: { message: string; description?: string } | undefined;
		await new PollingHost(used.credential, parameters).start().catch((thrown: Error) => (error = thrown));
		return { requests: used.sandbox.requests, error };
	}
	const watching =
		(name: string): Fill =>
		(given) =>
			watch({ options: { [name]: given } });
	const lookback = watching('lookback');
	const limit =
		(name: string, event = 'bloodPressure'): Fill =>
		(given) =>
			watch({ event, limits: { high: { [name]: given } } });

	const count = (requests: string[]) => requests.filter((url) => url.includes('timeseries')).length;
	it.each<[string, string, Fill]>([
		['Lookback Hours', '" 3 "', lookback],
		['High Systolic', '200', limit('systolic')],
	])('%s filled with {{ %s }} is read', async (_, given, at) => {
		const { requests, error } = await poll(at(`={{ ${given} }}`));
		expect(error).toBeUndefined();
		expect(count(requests)).toBe(1);
	});

	it.each<[string, Fill]>([
		['Users', (userScope) => watch({ userScope })],
		['User', (value) => watch({ user: byUserId(value) })],
		['User IDs', (userIds) => watch({ userScope: 'listed', userIds })],
		['Provider', (value) => watch({ provider: slug(value) })],
		['Lookback Hours', lookback],
		['Requests per Second', watching('requestsPerSecond')],
		[
			'Only Connected Users',
			(onlyConnected) => watch({ userScope: 'all', provider: slug('withings'), options: { onlyConnected } }),
		],
		['High Systolic', limit('systolic')],
		['Minutes', limit('minutes', 'mindfulnessMinutes')],
	])('%s is refused when filled with nothing or an object {{ }}', async (name, at) => {
		for (const one of ['={{ undefined }}', '={{ ({ a: 1 }) }}']) {
			const { error, requests } = await poll(at(one));
			expect(error?.message).toContain(`'${name}' is `);
			expect(error?.description).toMatch(/\S/);
			expect(requests).toEqual([]);
		}
	});

	// n8n evaluates no expression in this field.
	it('refuses an expression in Trigger On', async () => {
		const { error, requests } = await poll(watch({ event: '={{ "bloodPressure" }}' }));
		expect(error?.message).toMatch("'Trigger On' is ");
		expect(requests).toEqual([]);
	});

	it('reads no further back than its field allows {{ }}', async () => {
		expect((await poll(watch({ options: { lookback: '={{ 721 }}' } }))).error?.message).toMatch(
			"'Lookback Hours' is not a whole number from 1 to 720. ",
		);
		expect((await poll(watch({ options: { lookback: '={{ 720 }}' } }))).error).toBeUndefined();
	});
});
