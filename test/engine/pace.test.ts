/** Pace of long reads: the rate limit (Requests per Second), measured at the service. */
import type { INodeParameters } from 'n8n-workflow';
import type { Switches } from '../../dev/sandbox/switches';
import { createWorld } from '../../dev/sandbox/world';
import { RETRY_LIMITS } from '../../nodes/HealthDataService/http/retry';
import { useRunner } from '../helpers/engine';
import { KEY } from '../helpers/people';
import { PollingHost } from '../helpers/pollingHost';
import { bloodPressureOf, byUserId, everyNth } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const world = createWorld([{ key: KEY, users: 100 }]);
const users = world.teams[0].users;
const used = useRunner(() => ({ world }));
const time = useVirtualTime();

const day = { startDate: '2026-03-01', endDate: '2026-03-01' };
const all = (options: INodeParameters) => bloodPressureOf('', { ...day, userScope: 'all', options });
const oneByOne = (options: INodeParameters) => bloodPressureOf(byUserId('={{ $json.user_id }}'), { ...day, options });
const items = (count: number) => users.slice(0, count).map(({ user_id }) => ({ user_id }));

/** When each request arrived; `fault` as the switch of the sandbox. */
function watch(fault: Switches['fault'] = () => undefined) {
	const arrived: number[] = [];
	used.sandbox.switches.fault = (number, url) => {
		arrived.push(time.elapsed);
		return fault(number, url);
	};
	return {
		count: () => arrived.length,
		mostInASecond: () =>
			Math.max(...arrived.map((from) => arrived.filter((at) => at >= from && at < from + 1000).length)),
		seconds: () => (arrived.at(-1)! - arrived[0]) / 1000,
	};
}
const run = async (parameters: INodeParameters, input = [{}]) => await used.run(parameters, { input, timezone: 'UTC' });

it('users who fail hold back no other, and rows come in order', async () => {
	Object.assign(RETRY_LIMITS, { baseDelayMs: 1000, maxDelayMs: 1000 });
	const broken = [10, 50, 90].map((at) => users[at].user_id);
	used.sandbox.switches.users = Object.fromEntries(broken.map((id) => [id, 'fails']));
	const begun = time.elapsed;
	const { rows } = await used.run({ ...all({}), output: 'summary' }, { onError: 'continueRegularOutput' });
	const sound = users.map(({ user_id: id }) => id).filter((id) => !broken.includes(id));
	expect(rows.map(({ user_id: id }) => id)).toEqual([...sound, ...broken]);
	Object.assign(RETRY_LIMITS, { baseDelayMs: 2, maxDelayMs: 10 });
	// Six pauses of a second at most, at the same time.
	expect(time.elapsed - begun).toBeLessThanOrEqual(6100);
});

describe('20 a second', () => {
	it.each([
		['over many input items {{ }}', () => run(oneByOne({ requestsPerSecond: 20 }), items(60)), 60],
		['inside All Users', () => run(all({ requestsPerSecond: 20, userLimit: 60 })), 61],
	])('%s: never more than 21 in any second, and not one at a time', async (_, start, count) => {
		const seen = watch();
		const { error } = await start();
		expect(error).toBeUndefined();
		expect(seen.count()).toBe(count);
		expect(seen.mostInASecond()).toBeLessThanOrEqual(21);
		// No slower than it may, either.
		expect(seen.seconds()).toBeCloseTo((count - 1) / 20, 0);
	});

	it('retries and redirects count {{ }}', async () => {
		used.sandbox.switches.redirect = 'sameOrigin';
		const seen = watch(everyNth(4, { status: 500 }));
		const { error } = await run(oneByOne({ requestsPerSecond: 20 }), items(15));
		expect(error).toBeUndefined();
		expect(seen.count()).toBeGreaterThan(35);
		expect(seen.mostInASecond()).toBeLessThanOrEqual(21);
	});
});

describe('the trigger', () => {
	const watching = (requestsPerSecond: number) =>
		new PollingHost(used.credential, { event: 'bloodPressure', userScope: 'all', options: { requestsPerSecond } });

	it('keeps to it', async () => {
		const seen = watch();
		await watching(50).start();
		expect(seen.count()).toBeGreaterThan(users.length);
		expect(seen.mostInASecond()).toBeLessThanOrEqual(51);
		expect(seen.seconds()).toBeCloseTo(users.length / 50, 1);
	});

	it('ends the search for a test event in time', async () => {
		const begun = time.now;
		await expect(watching(0.1).fetchTestEvent()).rejects.toMatchObject({
			message: 'The time was over before all requests were sent',
			description: expect.stringContaining('Requests per Second'),
		});
		expect(time.now - begun).toBeLessThan(10_000);
	});
});
