/**
 * Long reads, measured at the service: requests in flight, Requests per Second, throttles, cancelling, and the maximum number of rows
 * that n8n can pass on.
 */
import type { INodeParameters } from 'n8n-workflow';
import { defaultSwitches } from '../../dev/sandbox/switches';
import { group } from '../../dev/sandbox/timeseries';
import { createWorld } from '../../dev/sandbox/world';
import { RETRY_LIMITS } from '../../nodes/HealthDataService/http/retry';
import { useRunner, type RunOptions } from '../helpers/engine';
import { bloodPressure, createUser, fixedWorld, KEY } from '../helpers/people';
import { PollingHost } from '../helpers/pollingHost';
import { bloodPressureOf, byUserId, everyNth, listUsers, queryOf } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const world = createWorld([{ key: KEY, users: 100 }]);
const users = world.teams[0].users;
const used = useRunner(() => ({ world, switches: { latencyMs: 5 } }));
const time = useVirtualTime();
afterEach(() => {
	Object.assign(used.sandbox.load, { mostInFlight: 0, refused: 0 });
	Object.assign(RETRY_LIMITS, { baseDelayMs: 2, maxDelayMs: 10 });
});

const day = { startDate: '2026-03-01', endDate: '2026-03-01' };
const all = (options: INodeParameters = {}, more: INodeParameters = {}) =>
	bloodPressureOf('', { ...day, userScope: 'all', options, ...more });
const oneByOne = (options: INodeParameters = {}) =>
	bloodPressureOf(byUserId('={{ $json.user_id }}'), { ...day, options });
const items = (count: number) => users.slice(0, count).map(({ user_id }) => ({ user_id }));
const run = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) =>
	await used.run(parameters, { timezone: 'UTC', ...more });

const idsOf = (rows: Array<{ user_id?: unknown; timestamp?: unknown; provider?: unknown }>) =>
	rows.map((row) => `${row.user_id} ${row.timestamp} ${row.provider}`).sort();
const expected = users
	.flatMap(({ user_id }) =>
		world
			.readings(user_id, 'blood_pressure', Date.UTC(2026, 2, 1), Date.UTC(2026, 2, 2) - 1)
			.map(({ point, source }) => `${user_id} ${(point as { timestamp: string }).timestamp} ${source.provider}`),
	)
	.sort();

it.each([
	['3 inside All Users', () => run(all({ concurrency: 3, userLimit: 20 })), 3],
	['8 over all input items, by default {{ }}', () => run(oneByOne(), { input: items(30) }), 8],
])('at most so many requests at once: %s', async (_, start, most) => {
	expect((await start()).error).toBeUndefined();
	expect(used.sandbox.load.mostInFlight).toBe(most);
});

it('prefetches no page of the list that a Limit may not need', async () => {
	used.sandbox.switches.userPageCap = 20;
	expect((await run(all({}, { returnAll: false, limit: 5 }))).rows).toHaveLength(5);
	expect(used.sandbox.requests.filter((url) => url.startsWith('/v2/user?'))).toHaveLength(1);
});

it('users who fail hold back no other, and rows come in order', async () => {
	Object.assign(RETRY_LIMITS, { baseDelayMs: 1000, maxDelayMs: 1000 });
	const broken = [10, 50, 90].map((at) => users[at].user_id);
	used.sandbox.switches.users = Object.fromEntries(broken.map((id) => [id, 'fails']));
	const begun = time.elapsed;
	const { rows } = await run(all({}, { output: 'summary' }), { onError: 'continueRegularOutput' });
	const sound = users.map(({ user_id: id }) => id).filter((id) => !broken.includes(id));
	expect(rows.map(({ user_id: id }) => id)).toEqual([...sound, ...broken]);
	// Six pauses of a second at most, at the same time.
	expect(time.elapsed - begun).toBeLessThanOrEqual(6500);
});

it('a service that refuses more than six at once: nothing is lost, and few are refused', async () => {
	used.sandbox.switches.mostAtOnce = 6;
	const { rows, error } = await run(all());
	expect(error).toBeUndefined();
	expect(idsOf(rows)).toEqual(expected);
	const { refused } = used.sandbox.load;
	expect(refused).toBeGreaterThan(0);
	expect(refused / used.sandbox.requests.length).toBeLessThan(0.1);
});

it('a service that allows 60 requests a minute and does not say when: nothing is lost, and few are refused', async () => {
	Object.assign(RETRY_LIMITS, { baseDelayMs: 500, maxDelayMs: 30_000 });
	let minute = 0;
	let count = 0;
	used.sandbox.switches.fault = () => {
		const now = Math.floor(time.now / 60_000);
		count = now === minute ? count + 1 : 1;
		minute = now;
		return count > 60 ? { status: 429 } : undefined;
	};
	const { rows, error } = await run(all());
	expect(error).toBeUndefined();
	expect(idsOf(rows)).toEqual(expected);
	expect(used.sandbox.requests.length).toBeLessThan(1.3 * users.length);
});

it('a service that refuses everything ends the run, instead of waiting once per item {{ }}', async () => {
	used.sandbox.switches.fault = () => ({ status: 429 });
	const { error } = await run(oneByOne(), { input: items(40) });
	expect(error).toMatchObject({ message: 'The service is receiving too many requests (status 429)', httpCode: '429' });
	expect(error?.description).toMatch(/^Tried \d+ times in \d+ s\./);
	// Each could try seven times: the pauses go for all, and the first that gives up ends it.
	expect(used.sandbox.requests.length).toBeLessThan(60);
});

it('Stop in the editor: sends no more, and does not wait for a throttle of a minute {{ }}', async () => {
	used.sandbox.switches.fault = () => ({ status: 429, headers: { 'retry-after': '60' } });
	let sent = 0;
	const cancelWhen = (async () => {
		while (used.sandbox.requests.length === 0 || used.sandbox.load.inFlight > 0) await time.pass(1);
		sent = used.sandbox.requests.length;
	})();
	const begun = time.elapsed;
	await run(oneByOne(), { input: items(40), cancelWhen });
	expect(time.elapsed - begun).toBeLessThan(60_000);

	// Any further requests are sent before another user has been read.
	Object.assign(used.sandbox.switches, defaultSwitches());
	await run(bloodPressureOf(byUserId(users[99].user_id), day));
	const ofInput = used.sandbox.requests.filter((url) => !url.includes(users[99].user_id));
	expect(ofInput).toHaveLength(sent);
});

describe('Requests per Second', () => {
	/** When each request arrived. */
	function watchArrivals(faultOf = used.sandbox.switches.fault) {
		const arrived: number[] = [];
		used.sandbox.switches.fault = (number, url) => {
			arrived.push(time.elapsed);
			return faultOf(number, url);
		};
		return arrived;
	}
	const mostInASecond = (arrived: number[]) =>
		Math.max(...arrived.map((from) => arrived.filter((at) => at >= from && at < from + 1000).length));

	it('over many input items, retries and redirects count {{ }}', async () => {
		used.sandbox.switches.redirect = 'sameOrigin';
		const arrived = watchArrivals(everyNth(4, { status: 500 }));
		const { error } = await run(oneByOne({ requestsPerSecond: 20 }), { input: items(15) });
		expect(error).toBeUndefined();
		expect(arrived.length).toBeGreaterThan(35);
		expect(mostInASecond(arrived)).toBeLessThanOrEqual(21);
	});

	it('the trigger keeps to it', async () => {
		const arrived = watchArrivals();
		const options = { requestsPerSecond: 50 };
		await new PollingHost(used.credential, { event: 'bloodPressure', userScope: 'all', options }).start();
		expect(mostInASecond(arrived)).toBeLessThanOrEqual(51);
		// No slower than it may, either.
		expect((arrived.at(-1)! - arrived[0]) / 1000).toBeCloseTo(users.length / 50, 1);
	});

	it('ends the search for a test event in time', async () => {
		const begun = time.now;
		const options = { requestsPerSecond: 0.1 };
		const host = new PollingHost(used.credential, { event: 'bloodPressure', userScope: 'all', options });
		await expect(host.fetchTestEvent()).rejects.toMatchObject({
			description: expect.stringContaining('Requests per Second'),
		});
		expect(time.now - begun).toBeLessThan(10_000);
	});
});

describe('100,000 rows', () => {
	const MOST = 100_000;
	const TOO_MANY = 'More than 100,000 rows for one input item are more than n8n can hand on';
	const team = Array.from({ length: 12 }, (_, at) => createUser(`user ${at}`, ['omron']));
	const [first] = team;
	const big = useRunner(() => ({ world: fixedWorld(team, {}), checksItself: false }));

	/** At different times, because same-time readings cost the node several times as much. */
	const readings = Array.from({ length: MOST + 1 }, (_, at) =>
		bloodPressure(new Date(Date.UTC(2026, 2, 10) + at * 1000).toISOString(), 120, 80),
	);
	const answer = (body: object) => ({ status: 200, body: JSON.stringify(body), type: 'application/json' });
	const pageOf = (from: number, to: number, next_cursor: string | null = null) =>
		answer({ groups: group(readings.slice(from, to)), next_cursor });
	/** The first user has so many readings, on pages of 25,000, the others have none. */
	const firstHas = (count: number) => {
		big.sandbox.switches.fault = (_, url) => {
			if (!url.includes(first.user_id)) return undefined;
			const from = Number(queryOf(url).next_cursor ?? 0);
			const to = Math.min(from + 25_000, count);
			return pageOf(from, to, to < count ? String(to) : null);
		};
	};

	it('of one user are returned', async () => {
		firstHas(MOST);
		const { rows, error } = await big.run(bloodPressureOf(byUserId(first.user_id)));
		expect(error).toBeUndefined();
		expect(rows).toHaveLength(MOST);
	});

	it('of one user and one more are an error of that user only', async () => {
		firstHas(MOST + 1);
		const parameters = bloodPressureOf('', { userScope: 'all', output: 'summary' });
		const { rows } = await big.run(parameters, { onError: 'continueRegularOutput' });
		expect(rows).toHaveLength(team.length);
		expect(rows.at(-1)).toMatchObject({
			user_id: first.user_id,
			error: 'More than 100,000 readings of one user: read fewer days',
			details:
				"Choose a shorter 'Date Range', or one 'Provider'. If a few days have as many, ask the people who run the service",
		});
	});

	it('of many users and more end the read, also while the first user is read, and nothing more is sent', async () => {
		const page = pageOf(0, 26_000);
		big.sandbox.switches.fault = (_, url) => {
			if (!url.includes('timeseries')) return undefined;
			return url.includes(first.user_id) ? { delayMs: 3000 } : page;
		};
		const { rows, error } = await big.run(bloodPressureOf('', { userScope: 'all', options: { concurrency: 4 } }));
		expect([error?.message, error?.description]).toEqual([
			TOO_MANY,
			"Read less in one go: a shorter 'Date Range', 'Output' set to One Item per Day or One Item per User, or 'Users' set to Listed Users, with the user IDs shared between several input items",
		]);
		expect(rows).toEqual([]);

		await time.pass(10_000);
		const read = big.sandbox.requests.filter((url) => url.includes('timeseries'));
		expect(read.length).toBeLessThan(team.length);
		expect(read.filter((url) => url.includes(first.user_id))).toHaveLength(1);
	});

	it('of User → List and one more are an error', async () => {
		// All on one page: the service ignores the limit.
		const page = answer({ users: readings.map((_, at) => ({ user_id: `u${at}` })) });
		big.sandbox.switches.fault = () => page;
		const { error } = await big.run(listUsers({ returnAll: true }));
		expect([error?.message, error?.description]).toEqual([
			TOO_MANY,
			"Read the list in parts, an input item for each: 'Return All' off, 'Limit' 100,000 at most, and 'Skip First Users' in the options",
		]);
	});
});
