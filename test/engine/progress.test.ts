/**
 * Progress of long reads in n8n's log: a line when a user is done and the last is 30 seconds old, one for all input items, with numbers only.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { createWorld } from '../../dev/sandbox/world';
import { PROGRESS_INTERVAL_MS } from '../../nodes/HealthDataService/service/progress';
import { runNode } from '../helpers/engine';
import { useLogLines } from '../helpers/logLines';
import { KEY } from '../helpers/people';
import { bloodPressureOf, byUserId, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const USERS = 60;
const world = createWorld([{ key: KEY, users: USERS }]);
const [{ users }] = world.teams;
const used = useSandbox(() => ({ world }));
useVirtualTime();
const log = useLogLines();

/** One request at a time, each of which takes one second: one user a second. */
const run = async (parameters: INodeParameters, options: INodeParameters = {}, input?: IDataObject[]) => {
	const parametersOf = { ...parameters, options: { concurrency: 1, ...options } };
	used.sandbox.switches.latencyMs = 1000;
	return await runNode({
		credential: used.credential,
		parameters: bloodPressureOf('', { output: 'summary', ...parametersOf }),
		input,
		mode: 'trigger',
		onError: 'continueRegularOutput',
	});
};
const progress = () =>
	log.map((line) => /^Workflow "[^"]*", node "Node": (.*)$/.exec(line)?.[1]).map((line) => line?.split(', ') ?? []);

/** Users done, of how many, seconds, and requests that wait. */
const numbers = () =>
	progress().map(([done, held]) => [done, held].map((part) => part.match(/[\d,]+/g)!.map(Number)).flat());

it('logs every 30 seconds how many users are done, and how many requests wait', async () => {
	const { rows } = await run({ userScope: 'all' });
	expect(rows).toHaveLength(USERS);
	expect(PROGRESS_INTERVAL_MS).toBe(30_000);
	expect(log).toHaveLength(2);
	for (const [done, held] of progress()) {
		expect(done).toMatch(/^\d+ of 60 users done after \d+ seconds$/);
		expect(held).toMatch(/^\d+ requests wait\.$/);
	}
	const [first, second] = numbers();
	expect(first[2]).toBe(30);
	expect([60, 61]).toContain(second[2]);
	// The list took a request or two.
	expect(first[0]).toBeGreaterThanOrEqual(27);
	expect(first[0]).toBeLessThanOrEqual(30);
	expect(second[0] - first[0]).toBeGreaterThanOrEqual(27);
	expect(second[0] - first[0]).toBeLessThanOrEqual(30);
	// Four users for each concurrent request are in work: one is done now, one is sent.
	expect(first[3]).toBe(2);
});

it('logs nothing for a shorter read', async () => {
	await run({ userScope: 'all', options: {} }, { userLimit: 25 });
	expect(log).toEqual([]);
});

it('counts the users of a list, failed ones too', async () => {
	used.sandbox.switches.users = Object.fromEntries(users.slice(0, 5).map(({ user_id }) => [user_id, 'refused']));
	const userIds = users.slice(0, 40).map(({ user_id }) => user_id);
	await run({ userScope: 'listed', userIds });
	const [[done, ...others], ...more] = numbers();
	expect(others[0]).toBe(40);
	expect(more).toEqual([]);
	// Five have failed, and the first of them took more requests.
	expect(done).toBeGreaterThanOrEqual(26);
});

it('{{ }}: is one line for all input items', async () => {
	const input = users.slice(0, 35).map(({ user_id }) => ({ user_id }));
	await run({ userScope: 'one', user: byUserId('={{ $json.user_id }}') }, {}, input);
	expect(numbers()).toEqual([[expect.any(Number), 35, 30, expect.any(Number)]]);
});

it('has no total with Only Connected Users, which is not known in advance', async () => {
	await run(
		{ userScope: 'all', provider: { __rl: true, mode: 'slug', value: 'omron' } },
		{ onlyConnected: true, requestsPerSecond: 0.2 },
	);
	expect(progress()[0][0]).toMatch(/^\d+ users done after 3[0-4] seconds$/);
});

it('is silent while all wait for a limit of the service, and goes on after it', async () => {
	let asked = 0;
	used.sandbox.switches.fault = () => (++asked === 10 ? { status: 429, headers: { 'retry-after': '70' } } : undefined);
	await run({ userScope: 'all' }, { userLimit: 20 });
	const [[done, , seconds, held], ...more] = numbers();
	expect(done).toBe(9);
	expect(seconds).toBeGreaterThan(70);
	expect(held).toBeGreaterThan(0);
	expect(more).toEqual([]);
});
