/**
 * Fields of the trigger filled by expressions: the meaning that a user would expect, or an error that names the field, before any
 * request.
 */
import type { INodeParameters } from 'n8n-workflow';
import { STEADY } from '../helpers/people';
import { PollingHost } from '../helpers/pollingHost';
import { byClientId, byUserId, queryOf, useSandbox } from '../helpers/requests';

const used = useSandbox();
const steady = byUserId(STEADY.user_id);
const locator = (mode: string) => (value: string) => ({ __rl: true, mode, value });
const slug = locator('slug');

type Fill = (given: string) => INodeParameters;
const watch = (more: INodeParameters): INodeParameters => ({ event: 'bloodPressure', user: steady, ...more });
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

const count = (requests: string[]) => requests.length;
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
	expect(used.sandbox.requests[0]).toBe('/v2/user/resolve/42');
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
