/** Adaptive concurrency over HTTP: requests in flight, the effect of a 429, and cancelling. */
import { defaultSwitches } from '../../dev/sandbox/switches';
import { createWorld } from '../../dev/sandbox/world';
import { RETRY_LIMITS } from '../../nodes/HealthDataService/http/retry';
import { runNode } from '../helpers/engine';
import { KEY } from '../helpers/people';
import { bloodPressureOf, byUserId, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const world = createWorld([{ key: KEY, users: 120 }]);
const users = world.teams[0].users;
const used = useSandbox(() => ({ world, switches: { latencyMs: 5 } }));
const time = useVirtualTime();
afterEach(() => Object.assign(used.sandbox.load, { mostInFlight: 0, refused: 0 }));

const month = { startDate: '2026-03-01', endDate: '2026-03-01' };
const all = (options = {}, more = {}) => bloodPressureOf('', { ...month, userScope: 'all', options, ...more });
const oneByOne = (options = {}) => bloodPressureOf(byUserId('={{ $json.user_id }}'), { ...month, options });
const run = async (parameters: ReturnType<typeof all>, more = {}) =>
	await runNode({ credential: used.credential, parameters, timezone: 'UTC', ...more });

const idsOf = (rows: Array<{ user_id?: unknown; timestamp?: unknown; provider?: unknown }>) =>
	rows.map((row) => `${row.user_id} ${row.timestamp} ${row.provider}`);
const expected = users.flatMap(({ user_id }) =>
	world
		.readings(user_id, 'blood_pressure', Date.UTC(2026, 2, 1), Date.UTC(2026, 2, 2) - 1)
		.map(({ point, source }) => `${user_id} ${(point as { timestamp: string }).timestamp} ${source.provider}`),
);

describe('at most so many requests at once', () => {
	it('3 inside All Users', async () => {
		const { rows, error } = await run(all({ concurrency: 3, userLimit: 40 }));
		expect(error).toBeUndefined();
		expect(rows.length).toBeGreaterThan(20);
		expect(used.sandbox.load.mostInFlight).toBe(3);
	});

	it('8 over all input items together, by default {{ }}', async () => {
		const input = users.slice(0, 40).map(({ user_id }) => ({ user_id }));
		const { error } = await run(oneByOne(), { input });
		expect(error).toBeUndefined();
		expect(used.sandbox.load.mostInFlight).toBe(8);
	});
});

describe('All Users', () => {
	it('keeps the order of the list, in any order of answers', async () => {
		used.sandbox.switches.fault = (number) => ({ delayMs: number % 3 === 0 ? 20 : 0 });
		const { rows } = await run(all());
		const order = [...new Set(rows.map(({ user_id }) => user_id))];
		const inList = users.map(({ user_id }) => user_id).filter((id) => order.includes(id));
		expect(order).toEqual(inList);
		expect(new Set(idsOf(rows))).toEqual(new Set(expected));
		expect(rows).toHaveLength(expected.length);
	});

	it('prefetches no page of the list that a Limit may not need', async () => {
		used.sandbox.switches.userPageCap = 20;
		expect((await run(all({}, { returnAll: false, limit: 5 }))).rows).toHaveLength(5);
		expect(used.sandbox.requests.filter((url) => url.startsWith('/v2/user?'))).toHaveLength(1);
	});
});

it.each([
	['inside All Users', true],
	['over 120 input items {{ }}', false],
])('of a service that refuses more than six at once nothing is lost, and few are refused: %s', async (_, isAll) => {
	used.sandbox.switches.mostAtOnce = 6;
	const input = isAll ? [{}] : users.map(({ user_id }) => ({ user_id }));
	const { rows, error } = await run(isAll ? all() : oneByOne(), { input });

	expect(error).toBeUndefined();
	expect(idsOf(rows).sort()).toEqual([...expected].sort());
	const { mostInFlight, refused } = used.sandbox.load;
	expect(mostInFlight).toBeLessThanOrEqual(8);
	expect(refused).toBeGreaterThan(0);
	expect(refused / used.sandbox.requests.length).toBeLessThan(0.1);
});

it.each([
	['says when', true],
	['does not say when', false],
])(
	'a service that allows 60 requests a minute and %s: nothing is lost, and few are refused',
	async (_, isAnnounced) => {
		const before = { ...RETRY_LIMITS };
		Object.assign(RETRY_LIMITS, { baseDelayMs: 500, maxDelayMs: 30_000 });
		let minute = 0;
		let count = 0;
		used.sandbox.switches.fault = () => {
			const now = Math.floor(time.now / 60_000);
			count = now === minute ? count + 1 : 1;
			minute = now;
			const seconds = 60 - (Math.floor(time.now / 1000) % 60);
			const headers: Record<string, string> = isAnnounced ? { 'retry-after': String(seconds) } : {};
			return count > 60 ? { status: 429, headers } : undefined;
		};
		const { rows, error } = await run(all());
		Object.assign(RETRY_LIMITS, before);
		expect(error).toBeUndefined();
		expect(idsOf(rows).sort()).toEqual([...expected].sort());
		expect(used.sandbox.requests.length).toBeLessThan(1.3 * users.length);
	},
);

it('a service that refuses everything ends the run, instead of waiting once per item {{ }}', async () => {
	used.sandbox.switches.fault = () => ({ status: 429 });
	const input = users.slice(0, 40).map(({ user_id }) => ({ user_id }));
	const { error } = await run(oneByOne(), { input });
	expect(error).toMatchObject({ message: 'The service is receiving too many requests (status 429)', httpCode: '429' });
	expect(error?.description).toMatch(/^Tried \d+ times in \d+ s\./);
	// Each could try seven times: the pauses go for all, and the first that gives up ends it.
	expect(used.sandbox.requests.length).toBeLessThan(input.length * 1.5);
});

describe('cancelling {{ }}', () => {
	/** The waits are longer than a test may take: a run that waits to the end does not end in time. */
	const MINUTE = 60_000;
	/** Something was sent, all of it is answered, and what comes next has to wait. */
	const isQuiet = () => used.sandbox.requests.length > 0 && used.sandbox.load.inFlight === 0;

	it.each([
		['while requests are on their way', { latencyMs: 50 }, {}, () => used.sandbox.requests.length > 20],
		[
			'while waiting for the service',
			{ fault: () => ({ status: 429, headers: { 'retry-after': '60' } }) },
			{},
			isQuiet,
		],
		['while backing off', { fault: () => ({ status: 500 }) }, { baseDelayMs: MINUTE, maxDelayMs: MINUTE }, isQuiet],
	])('sends no more and waits no longer: %s', async (_, switches, slower, isReached) => {
		const before = { ...RETRY_LIMITS };
		Object.assign(RETRY_LIMITS, slower);
		Object.assign(used.sandbox.switches, switches);
		const input = users.slice(0, 40).map(({ user_id }) => ({ user_id }));
		let sent = 0;
		const cancelWhen = (async () => {
			while (!isReached()) await time.pass(1);
			sent = used.sandbox.requests.length;
		})();
		await run(oneByOne(), { input, cancelWhen });
		Object.assign(RETRY_LIMITS, before);

		// Any further requests are sent before another user has been read.
		Object.assign(used.sandbox.switches, defaultSwitches());
		const { error } = await run(bloodPressureOf(byUserId(users[119].user_id), month));
		expect(error).toBeUndefined();
		const ofInput = used.sandbox.requests.filter((url) => !url.includes(users[119].user_id));
		// Beside those that had left and not arrived: as many as may be on their way.
		expect(ofInput.length).toBeLessThanOrEqual(sent + 8);
	});
});
