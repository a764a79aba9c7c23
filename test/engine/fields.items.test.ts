/** Fields filled by expressions, for two items that differ: the first item must not decide for all. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode } from '../helpers/engine';
import { BERLIN, SPECIAL, STEADY } from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, listUsers, resolve, useSandbox } from '../helpers/requests';

const used = useSandbox();
const steady = byUserId(STEADY.user_id);
const locator = (mode: string) => (value: string) => ({ __rl: true, mode, value });
const slug = locator('slug');
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
		['Limit', 3, 5, (limit) => ({ ...other, returnAll: false, limit })],
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
