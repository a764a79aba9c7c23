/** Request queue with Requests per Second, in virtual time: sleeping moves the clock, and is late as timers are. */
import { RequestQueue, type QueueOptions } from '../../../nodes/HealthDataService/http/requestQueue';
import type { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { nextTurn } from '../../helpers/machine';

let clock = 0;
let lateMs = 0;
const sleeping: Array<{ until: number; wake: () => void }> = [];
jest.mock('n8n-workflow', () => ({
	...jest.requireActual('n8n-workflow'),
	sleep: async (ms: number) =>
		await new Promise<void>((wake) => sleeping.push({ until: clock + ms + lateMs * Math.random(), wake })),
}));
beforeEach(() => {
	clock = 5_000;
	lateMs = 0;
	sleeping.length = 0;
	jest.spyOn(performance, 'now').mockImplementation(() => clock);
});
afterEach(() => jest.restoreAllMocks());

/** Lets so much time go by. */
async function pass(ms: number) {
	const end = clock + ms;
	for (;;) {
		await nextTurn();
		sleeping.sort((a, b) => a.until - b.until);
		if (sleeping.length === 0 || sleeping[0].until > end) break;
		const { until, wake } = sleeping.shift()!;
		clock = Math.max(clock, until);
		wake();
	}
	clock = end;
}

/** When each of `count` that are wanted at once was sent. */
function crowd(queue: RequestQueue, count: number, more: Partial<QueueOptions> = {}) {
	const sent: number[] = [];
	const errors: Problem[] = [];
	for (let i = 0; i < count; i++) {
		const work = async () => void sent.push(clock);
		queue.run(work, () => 'answered', { continues: true, ...more }).catch((error: Problem) => errors.push(error));
	}
	return { sent, errors };
}
const queueOf = (requestsPerSecond?: number, until?: number) => new RequestQueue({ requestsPerSecond }, until);

/** The most in any window of a second. */
function most(sent: number[]) {
	let first = 0;
	const counts = sent.map((time, index) => {
		while (time - sent[first] >= 1000) first++;
		return index - first + 1;
	});
	return Math.max(...counts);
}

it.each([
	[5, 0],
	[5, 30],
	[5, 90],
	[0.5, 50],
	[20, 10],
	[100, 3],
])('%d a second, timers up to %i ms late: at most one more in any second, and 95 %% used', async (perSecond, late) => {
	lateMs = late;
	const seconds = Math.min(60, 1200 / perSecond);
	const { sent } = crowd(queueOf(perSecond), perSecond * seconds * 1.5);
	await pass(seconds * 1000);
	expect(most(sent)).toBeLessThanOrEqual(Math.ceil(perSecond) + 1);
	expect(sent.length).toBeLessThanOrEqual(perSecond * seconds + 1);
	expect(sent.length).toBeGreaterThanOrEqual(perSecond * seconds * 0.95);
});

it('is even, and keeps the order', async () => {
	const rate = queueOf(5);
	const { sent } = crowd(rate, 11);
	await pass(2000);
	expect(sent).toEqual(Array.from({ length: 11 }, (_, i) => 5_000 + 200 * i));
});

it('no limit waits for nothing', async () => {
	const rate = queueOf();
	const { sent } = crowd(rate, 1000);
	await nextTurn();
	expect([sent.length, sleeping.length]).toEqual([1000, 0]);
});

it('unused turns are not saved up', async () => {
	const rate = queueOf(5);
	crowd(rate, 1);
	await pass(60_000);
	const { sent } = crowd(rate, 20);
	await pass(3000);
	expect(most(sent)).toBeLessThanOrEqual(6);
});

it('a long pause of the clock is not made up for', async () => {
	const rate = queueOf(5);
	const { sent } = crowd(rate, 100);
	await pass(1000);
	await nextTurn();
	clock += 5_000;
	await pass(3_000);
	expect(most(sent)).toBeLessThanOrEqual(6);
});

it('a cancelled request soon leaves the queue, and takes no turn', async () => {
	const rate = queueOf(0.1);
	crowd(rate, 1);
	let isCancelled = false;
	const gone = crowd(rate, 500, { isCancelled: () => isCancelled });
	const last = crowd(rate, 1);
	await pass(2000);
	isCancelled = true;
	await pass(200);
	expect([gone.sent.length, sleeping.length]).toEqual([0, 1]);
	await pass(7_799);
	expect(last.sent).toEqual([]);
	await pass(1);
	expect(last.sent).toEqual([15_000]);
});

it('no request waits beyond the deadline', async () => {
	const rate = queueOf(0.1, clock + 8_000);
	const all = crowd(rate, 3);
	await pass(8_000);
	await nextTurn();
	expect(all.sent).toEqual([5_000]);
	expect(all.errors).toMatchObject(
		Array(2).fill({
			message: "The time was over before 'Requests per Second' allowed the next request",
			description: "Raise 'Requests per Second' in the options, or read fewer users",
			kind: 'temporarily-unavailable',
		}),
	);
});

describe('in a queue', () => {
	type Sent = Array<{ at: number; name: string }>;
	const run = (queue: RequestQueue, name: string, sent: Sent, more = {}, outcome = 'answered' as const) =>
		queue
			.run(
				async () => {
					sent.push({ at: clock - 5_000, name });
					return outcome;
				},
				(is) => is,
				{ continues: true, ...more },
			)
			.catch(({ message }: Error) => message);

	it('a pause comes first, and uses up no turn', async () => {
		const queue = new RequestQueue({ concurrency: 8, requestsPerSecond: 1 });
		const sent: Sent = [];
		for (const name of ['a', 'b', 'c']) void run(queue, name, sent);
		await pass(500);
		queue.pause(2_000);
		await pass(10_000);
		expect(sent).toEqual([
			{ at: 0, name: 'a' },
			{ at: 2_500, name: 'b' },
			{ at: 3_500, name: 'c' },
		]);
	});

	it('the key check goes before all other requests', async () => {
		const queue = new RequestQueue({ concurrency: 2, requestsPerSecond: 1 });
		const sent: Sent = [];
		for (const name of ['a', 'b', 'c', 'd']) void run(queue, name, sent);
		await pass(500);
		void queue.probeOnce(async () => await run(queue, 'probe', sent, { isProbe: true }));
		await pass(10_000);
		expect(sent.map(({ name, at }) => `${name} ${at}`)).toEqual([
			'a 0',
			'probe 1000',
			expect.any(String),
			expect.any(String),
			expect.any(String),
		]);
	});
});
