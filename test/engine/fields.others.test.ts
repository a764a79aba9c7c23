/**
 * Fields filled by expressions, beside fields.test.ts: for two items that differ, because the first item must not decide for all; and
 * those of the trigger: the meaning that a user would expect, or an error that names the field, before any request.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode } from '../helpers/engine';
import { BERLIN, SPECIAL, STEADY } from '../helpers/people';
import { PollingHost } from '../helpers/pollingHost';
import { bloodPressureOf, byClientId, byUserId, listUsers, queryOf, resolve, useSandbox } from '../helpers/requests';

const used = useSandbox();
const steady = byUserId(STEADY.user_id);
const locator = (mode: string) => (value: string) => ({ __rl: true, mode, value });
const slug = locator('slug');

describe('the node', () => {
	const all = (more: INodeParameters) => bloodPressureOf(steady, { userScope: 'all', ...more });
	const listed = (more: INodeParameters) =>
		bloodPressureOf('', { userScope: 'listed', userIds: STEADY.user_id, options: { whenNotFound: 'empty' }, ...more });

	describe('two items that differ in {{ }}', () => {
		const other = { ...bloodPressureOf(steady), dateRange: 'days' };
		const times = { ...other, dateRange: 'times' };
		const FIELDS: Array<[string, unknown, unknown, (value: string) => INodeParameters]> = [
			['Users', 'one', 'all', (userScope) => ({ ...other, userScope })],
			['User', STEADY.user_id, BERLIN.user_id, (value) => bloodPressureOf(byUserId(value))],
			[
				'User and nothing else, by client user ID',
				STEADY.client_user_id,
				SPECIAL.client_user_id,
				(value) => bloodPressureOf(byClientId(value)),
			],
			['Identified By', 'userId', 'clientUserId', (usersBy) => listed({ usersBy })],
			['User IDs', [STEADY.user_id], [BERLIN.user_id, STEADY.user_id], (userIds) => listed({ userIds })],
			[
				'User IDs and nothing else, by client user ID',
				'steady',
				'berlin, steady',
				(userIds) => listed({ userIds, usersBy: 'clientUserId' }),
			],
			['Date Range', 'days', 'today', (dateRange) => ({ ...other, dateRange })],
			['Start Date', '2026-03-05', '2026-03-09', (startDate) => ({ ...other, startDate })],
			['End Date', '2026-03-05', '2026-03-09', (endDate) => ({ ...other, endDate })],
			['the time in Start Date', '2026-03-05T07:30', '2026-03-09', (startDate) => ({ ...times, startDate })],
			['the time in End Date', '2026-03-05T07:30', '2026-03-09', (endDate) => ({ ...times, endDate })],
			['Provider', 'omron', 'withings', (value) => ({ ...other, provider: slug(value) })],
			['Provider as a text', 'omron', 'withings', (provider) => ({ ...other, provider })],
			['Provider of the list', 'omron', 'withings', (value) => ({ ...other, provider: locator('list')(value) })],
			['Return All', true, 'false', (returnAll) => ({ ...other, returnAll, limit: 2 })],
			['Limit', 3, ' 5 ', (limit) => ({ ...other, returnAll: false, limit })],
			['Output', 'readings', 'grouped', (output) => ({ ...other, output })],
			[
				'Time Zone',
				'Asia/Tokyo',
				'America/New_York',
				(timeZone) => ({ ...other, startDate: '2026-03-03', endDate: '2026-03-04', options: { timeZone } }),
			],
			['Max Users', 1, 3, (userLimit) => all({ options: { userLimit } })],
			['Skip First Users', 0, 2, (userOffset) => all({ options: { userOffset } })],
			[
				'Only Connected Users',
				true,
				false,
				(onlyConnected) => all({ provider: slug('withings'), options: { onlyConnected } }),
			],
			['Limit of List', 1, 3, (limit) => listUsers({ limit })],
			['Return All of List', false, true, (returnAll) => listUsers({ returnAll, limit: 2 })],
			['Connected Provider', 'omron', 'withings', (provider) => listUsers({ options: { provider } })],
			['Skip First Users of List', 1, 3, (offset) => listUsers({ options: { offset } })],
			['Client User ID', 'steady', 'berlin', (id) => resolve(id)],
			['When Not Found', 'empty', 'error', (whenNotFound) => resolve('unknown', { whenNotFound })],
		];

		it.each(FIELDS)('%s each get the result that they would get alone', async (_, first, second, at) => {
			jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 2, 20, 12));
			const run = async (...values: unknown[]) => {
				used.sandbox.requests.length = 0;
				const input = values.map((value) => ({ value }) as IDataObject);
				const { items } = await runNode({
					credential: used.credential,
					input,
					parameters: at('={{ $json.value }}'),
					onError: 'continueRegularOutput',
				});
				const rows = values.map((__, index) =>
					items.filter(({ pairedItem }) => (pairedItem as { item: number }).item === index).map(({ json }) => json),
				);
				// Whether the Base URL is right is asked once for both.
				const requests = used.sandbox.requests.filter((url) => !url.endsWith('/v2/user?limit=1'));
				return { rows, requests: requests.sort() };
			};
			const [alone, others] = [await run(first), await run(second)];
			const together = await run(first, second);
			jest.restoreAllMocks();

			expect([alone.rows[0], alone.requests]).not.toEqual([others.rows[0], others.requests]);
			expect(together.rows).toEqual([...alone.rows, ...others.rows]);
			expect(together.requests).toEqual([...alone.requests, ...others.requests].sort());
		});
	});
});

describe('the trigger', () => {
	type Fill = (given: string) => INodeParameters;
	const watch = (more: INodeParameters): INodeParameters => ({
		event: 'bloodPressure',
		userScope: 'one',
		user: steady,
		...more,
	});
	const watchList = (more: INodeParameters) => watch({ userScope: 'listed', userIds: STEADY.user_id, ...more });
	async function poll(parameters: INodeParameters) {
		let error: { message: string; description?: string } | undefined;
		await new PollingHost(used.credential, parameters).start().catch((thrown: Error) => (error = thrown));
		return { requests: used.sandbox.requests, error };
	}
	const watching =
		(name: string, more: INodeParameters = {}): Fill =>
		(given) =>
			watch({ ...more, options: { [name]: given } });
	const connected = watching('onlyConnected', { userScope: 'all', provider: slug('withings') });
	const lookback = watching('lookback');
	const thresholds = [
		['Minimum Systolic', 'minSystolic', 'bloodPressure'],
		['Minimum Diastolic', 'minDiastolic', 'bloodPressure'],
		['Minimum Minutes', 'minValue', 'mindfulnessMinutes'],
	].map(([name, option, event]): [string, Fill] => [name, watching(option, { event })]);

	const count = (requests: string[]) => requests.filter((url) => url.includes('timeseries')).length;
	const users = (requests: string[]) =>
		new Set(requests.flatMap((url) => /timeseries\/([^/]+)/.exec(url)?.[1] ?? [])).size;
	const provider = (requests: string[]) => queryOf(requests.at(-1)!).provider;

	it.each<[string, string, unknown, Fill, (requests: string[]) => unknown]>([
		['Provider', '3', '3', (value) => watch({ provider: value }), provider],
		['Provider', '"  "', undefined, (value) => watch({ provider: slug(value) }), provider],
		['Provider', '"nonsense"', 'nonsense', (value) => watch({ provider: slug(value) }), provider],
		['Lookback Hours', '" 3 "', 1, lookback, count],
		['Concurrent Requests', '3', 1, watching('concurrency'), count],
		['Requests per Second', '2.5', 1, watching('requestsPerSecond'), count],
		['Only Connected Users', '" True "', 1, connected, users],
		['Only Connected Users', 'false', 4, connected, users],
		...thresholds.map(([name, at]): [string, string, number, Fill, typeof count] => [name, '2.5', 1, at, count]),
	])('%s filled with {{ %s }}: %p', async (_, given, meaning, at, shows) => {
		const { requests, error } = await poll(at(`={{ ${given} }}`));
		expect(error).toBeUndefined();
		expect(shows(requests)).toEqual(meaning);
	});

	it.each<[string, Fill]>([
		['Users', (userScope) => watch({ userScope })],
		['User', (user) => watch({ user })],
		['User', (value) => watch({ user: byUserId(value) })],
		['User', (value) => watch({ user: locator('list')(value) })],
		['Identified By', (usersBy) => watchList({ usersBy })],
		['User IDs', (userIds) => watchList({ userIds })],
		['Provider', (provider) => watch({ provider })],
		['Provider', (value) => watch({ provider: slug(value) })],
		['Lookback Hours', lookback],
		['Concurrent Requests', watching('concurrency')],
		['Requests per Second', watching('requestsPerSecond')],
		['Only Connected Users', connected],
		...thresholds,
	])('%s is refused when filled with nothing or an object {{ }}', async (name, at) => {
		for (const one of ['={{ undefined }}', '={{ ({ a: 1 }) }}']) {
			const { error, requests } = await poll(at(one));
			expect(error?.message).toContain(`'${name}' is `);
			expect(error?.description).toMatch(/\S/);
			expect(requests).toEqual([]);
		}
	});

	// n8n evaluates no expression in this field.
	it.each([
		['an unknown event', 'nonsense'],
		['an expression', '={{ "bloodPressure" }}'],
	])('refuses %s in Trigger On', async (_, event) => {
		const { error, requests } = await poll(watch({ event }));
		expect(error?.message).toMatch("'Trigger On' is ");
		expect(requests).toEqual([]);
	});

	it('accepts a client user ID that is a number, and no list {{ }}', async () => {
		await poll(watch({ user: byClientId('={{ 42 }}') }));
		expect(used.sandbox.requests).toContain('/v2/user/resolve/42');
		expect((await poll(watch({ user: byClientId('={{ [42] }}') }))).error?.message).toBe(
			"'Client User ID' is not a text",
		);
	});

	it('reads no further back than its field allows {{ }}', async () => {
		expect((await poll(watch({ options: { lookback: '={{ 721 }}' } }))).error?.message).toBe(
			"'Lookback Hours' is not a whole number from 1 to 720",
		);
		expect((await poll(watch({ options: { lookback: '={{ 720 }}' } }))).error).toBeUndefined();
	});

	it('watches all users without anything in User when an expression says so {{ }}', async () => {
		expect((await poll({ event: 'bloodPressure', userScope: '={{ "all" }}' })).error).toBeUndefined();
		expect(used.sandbox.requests.length).toBeGreaterThan(1);
	});
});
