/** Runs with n8n's settings: *Retry On Fail*, *Batching*, and an item that cannot start. */
import type { IDataObject } from 'n8n-workflow';
import { runNode } from '../helpers/engine';
import { watchUnhandled } from '../helpers/machine';
import { BERLIN, people, SILENT, SPECIAL, STEADY } from '../helpers/people';
import { bloodPressureOf, byUserId, queryOf, resolve, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const used = useSandbox(() => ({ world: people() }));
const time = useVirtualTime();
const run = async (options: Omit<Parameters<typeof runNode>[0], 'credential'>) =>
	await runNode({ credential: used.credential, ...options });

const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const users = [STEADY, SPECIAL, BERLIN, SILENT];
const perUser = (more = {}) => bloodPressureOf(byUserId('={{ $json.user }}'), more);
const input = users.map(({ user_id }): IDataObject => ({ user: user_id }));

/** When everything that is still on its way has arrived. */
const later = async () => await time.pass(50);

/** An unhandled rejection would end n8n. */
let unhandled: ReturnType<typeof watchUnhandled>;
beforeEach(() => (unhandled = watchUnhandled()));
afterEach(async () => {
	await later();
	unhandled.stop();
	expect(unhandled.seen).toEqual([]);
});

describe('Retry On Fail', () => {
	it('sends failed requests again, in every try', async () => {
		used.sandbox.switches.fault = () => ({ status: 500 });
		const { error } = await run({ parameters: resolve('steady'), settings: RETRY });
		expect(error?.message).toContain('status 500');
		// Seven tries of ours in each of n8n's three.
		expect(used.sandbox.requests).toHaveLength(21);
	});

	it('succeeds when the service is back in the second try {{ }}', async () => {
		used.sandbox.switches.fault = (number) => (number <= 4 ? { status: 422, body: { detail: 'no' } } : undefined);
		const { error, items } = await run({ parameters: perUser(), input, settings: RETRY });
		expect(error).toBeUndefined();
		expect(new Set(items.map(({ pairedItem }) => JSON.stringify(pairedItem))).size).toBe(3);
		expect(items).toHaveLength(61 + 3 + 8);
	});

	it('has a new "now" for each try', async () => {
		used.sandbox.switches.fault = (number) => (number === 1 ? { status: 422, body: { detail: 'no' } } : undefined);
		const parameters = bloodPressureOf(byUserId(STEADY.user_id), { dateRange: 'last24Hours' });
		await run({ parameters, settings: { ...RETRY, waitBetweenTries: 30 } });
		const [first, second] = used.sandbox.requests.map((url) => queryOf(url).end_date);
		expect(Date.parse(second)).toBeGreaterThan(Date.parse(first));
	});

	it('does not read the team again because its first user fails, with On Error Continue', async () => {
		used.sandbox.switches.users = { [STEADY.user_id]: 'invalid' };
		const parameters = bloodPressureOf('', { userScope: 'all' });
		const { rows } = await run({ parameters, onError: 'continueRegularOutput', settings: RETRY });
		expect(rows).toHaveLength(3 + 8 + 1);
		const lists = used.sandbox.requests.filter((url) => url.startsWith('/v2/user'));
		expect(new Set(lists).size).toBe(lists.length);
	});
});

describe('Batching {{ }}', () => {
	const requestOptions = { batching: { batch: { batchSize: 1, batchInterval: 20 } } };

	it.each([
		['of the first item only', '={{ $itemIndex === 0 ? 20 : undefined }}'],
		['of all but the first item', '={{ $itemIndex === 0 ? 0 : 20 }}'],
	])('reads every item with an interval %s', async (_, batchInterval) => {
		const batching = { batch: { batchSize: 1, batchInterval } };
		const { items } = await run({ parameters: perUser({ requestOptions: { batching } }), input });
		expect(items).toHaveLength(61 + 3 + 8);
	});

	it('reports an item that fails, though n8n has not started the others yet', async () => {
		used.sandbox.switches.users = { [STEADY.user_id]: 'invalid' };
		const { error } = await run({ parameters: perUser({ requestOptions }), input });
		expect(error?.message).toBe("The service did not accept 'User'");
		expect(used.sandbox.requests).toHaveLength(1);
	});

	it('handles every rejection when n8n cannot start a later item', async () => {
		used.sandbox.switches.users = { [STEADY.user_id]: 'invalid' };
		const parameters = perUser({ requestOptions, provider: wrongFrom(2) });
		const { error } = await run({ parameters, input });
		expect(error).toBeDefined();
	});
});

/** An expression that n8n cannot evaluate from item `number` on. */
const wrongFrom = (number: number) => ({
	__rl: true,
	mode: 'slug',
	value: `={{ $itemIndex >= ${number} ? $('Missing').item.json.x : '' }}`,
});

it('an item that cannot be started {{ }} ends the run: no request, and no unhandled rejection', async () => {
	used.sandbox.switches.fault = () => ({ status: 422, body: { detail: 'no' } });
	// A day of its own: on a busy machine something of the test before may still arrive.
	const startDate = '2026-03-02';
	const { error } = await run({ parameters: perUser({ startDate, provider: wrongFrom(2) }), input });
	expect(error).toBeDefined();
	await later();
	expect(used.sandbox.requests.filter((url) => url.includes(startDate))).toEqual([]);
});

it('after an error that ends the run, no request of other users is sent', async () => {
	used.sandbox.switches.users = { [STEADY.user_id]: 'invalid' };
	const parameters = bloodPressureOf('', { userScope: 'all', options: { concurrency: 1 } });
	await run({ parameters });
	await later();
	// The list, its end, the user, and at most the next request in the queue.
	expect(used.sandbox.requests.length).toBeLessThanOrEqual(4);
});

it('On Error Stop {{ }}, one of many items not found: the rest is not sent, and the error is its', async () => {
	const bad = 50;
	const input = Array.from({ length: 101 }, (_, at) => ({ user: at === bad ? 'unknown' : STEADY.client_user_id }));
	// Every other item would be answered later.
	used.sandbox.switches.fault = (_, url) => (url.endsWith('/unknown') ? undefined : { delayMs: 1000 });
	const { error } = await run({ parameters: resolve('={{ $json.user }}'), input });
	await later();
	expect(error).toMatchObject({ httpCode: '404', context: { itemIndex: bad } });
	expect(used.sandbox.requests.length).toBeLessThan(bad + 30);
});
