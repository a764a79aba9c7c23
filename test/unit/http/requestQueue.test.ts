/** Requests of a client at once: how many are sent, after an answer, a throttle or failures, and Requests per Second. */
import { BREAKER_LIMITS, mayBeOutage } from '../../../nodes/HealthDataService/http/keyCheck';
import { RequestQueue, type RequestLimits } from '../../../nodes/HealthDataService/http/requestQueue';
import { served, useRetryLimits } from '../../helpers/playedService';
import { useVirtualTime } from '../../helpers/virtualTime';

const time = useVirtualTime();
useRetryLimits();

const paths = (count: number, name = '/x') => Array.from({ length: count }, (_, at) => name + at);
const ONCE = { maxAttempts: 1 };
/** A service that answers after 100 ms, with these statuses in the order of its requests, then with 200. */
function service(statuses: Array<number | Error> = [], limits: RequestLimits = {}, ofList = 200) {
	const queue = new RequestQueue(limits);
	let count = 0;
	const next = (path: string) => (path.startsWith('/v2/user') ? ofList : (statuses[count++] ?? 200));
	const one = served((path) => {
		const answer = next(path);
		return answer instanceof Error ? answer : { statusCode: answer, tookMs: 100 };
	}, queue);
	const all = async (many: number) => await Promise.all(paths(many).map(async (path) => await one.ask(path, ONCE)));
	return { ...one, all };
}

describe('requests in flight', () => {
	it.each([
		[1, 1, 1],
		[3, 3, 3],
		[undefined, 4, 8],
		[50, 4, 50],
	])('of %p: %i before the first answer, then %i', async (concurrency, first, then) => {
		const { all, sent } = service([], { concurrency });
		const end = all(200);
		await time.pass(50);
		expect(sent).toHaveLength(first);
		await time.pass(100);
		expect(sent).toHaveLength(first + then);
		await end;
	});

	it('are as few after failures, which prove no key', async () => {
		const { all, sent, queue } = service([500, 500, 500, 500, 429]);
		const end = all(40);
		await time.pass(150);
		expect([sent.length, queue.places]).toEqual([8, 4]);
		await end;
	});

	it.each([
		['a web page', { body: '<html>' }, false],
		['a redirect, of the list, too', { statusCode: 302 }, true],
	])('are as few after %s, which proves no key either', async (_, given, concernsAll) => {
		const { ask, queue } = served(() => given, new RequestQueue());
		expect(await ask()).toMatchObject({ concernsAll });
		expect(queue.places).toBe(4);
	});

	it('are halved by throttles, those sent together count once, and never fewer than one', async () => {
		const { all, queue } = service([200, ...Array<number>(200).fill(429)]);
		await all(1);
		const seen: number[][] = [];
		for (let round = 0; round < 5; round++) {
			await all(queue.places);
			seen.push([queue.places, queue.throttles]);
		}
		expect(seen.flat()).toEqual([4, 1, 2, 2, 1, 3, 1, 4, 1, 5]);
	});

	it('are one more after some ten answers for each, up to the setting', async () => {
		const { all, queue } = service([200, 429], { concurrency: 4 });
		await all(1);
		await all(1);
		const places: number[] = [];
		for (const count of [24, 2, 36, 200]) {
			await all(count);
			places.push(queue.places);
		}
		expect(places).toEqual([2, 3, 4, 4]);
		expect(queue.throttles).toBe(0);
	});
});

describe('failures in a row', () => {
	const UNKNOWN_HOST = Object.assign(new Error(), { code: 'ENOTFOUND' });
	const failing = (count: number, code: number | Error = 500, ofList = 200) =>
		service(Array<number | Error>(count).fill(code), { concurrency: 1 }, ofList);

	it.each([
		[500, BREAKER_LIMITS.forMs, 3, true],
		[503, BREAKER_LIMITS.forMs, 3, true],
		[500, BREAKER_LIMITS.forMs - 300, 3, false],
		[500, BREAKER_LIMITS.forMs, 2, false],
		[UNKNOWN_HOST, BREAKER_LIMITS.forMs, 3, false],
	])('of %p for %i ms, %i: may be an outage %p', async (code, ms, count, expected) => {
		const { all, queue } = failing(count, code);
		await all(1);
		await time.pass(ms - 200);
		for (let i = 1; i < count; i++) queue.noteFailure();
		await time.pass(200);
		expect(mayBeOutage(queue.failures)).toBe(expected);
	});

	it.each([
		[500, 50, { httpCode: '500', concernsAll: true, kind: 'temporarily-unavailable' }],
		[200, 54, { concernsAll: false }],
	])('after 50 the list is requested, and answers %i: %i requests are sent', async (ofList, count, last) => {
		const { all, sent } = failing(200, 500, ofList);
		const others = () => sent.filter(([path]) => path !== '/v2/user?limit=1');
		await all(49);
		expect([sent.length, others().length]).toEqual([49, 49]);
		const ends = await all(5);
		expect(others()).toHaveLength(count);
		expect(ends.at(-1)).toMatchObject(last);
	});

	it('of requests sent together ask the list once', async () => {
		const { all, times } = service(Array<number>(60).fill(500));
		await all(60);
		expect(times('/v2/user?limit=1')).toHaveLength(1);
	});

	it.each([200, 403])('are forgotten with an answer: %i', async (code) => {
		// The first 403 asks the list, too.
		const { all, queue } = service([code, ...Array<number>(49).fill(500), code, 500, 500], { concurrency: 1 });
		await all(51);
		await time.pass(BREAKER_LIMITS.forMs);
		await all(2);
		expect(queue.failures.count).toBe(2);
	});
});

describe('Requests per Second', () => {
	/** The most in any window of a second. */
	const most = (sent: number[]) =>
		Math.max(...sent.map((from) => sent.filter((at) => at >= from && at < from + 0.9999).length));

	/** When each of `count` requests is sent, with timers that are late. */
	async function sentAt(requestsPerSecond: number, count: number, lateMs: (timer: number) => number) {
		let timers = 0;
		const after = time.after.bind(time);
		jest.spyOn(time, 'after').mockImplementation((ms, run) => after(ms + lateMs(++timers), run));
		const { ask, sent } = served(() => ({}), new RequestQueue({ requestsPerSecond }));
		await Promise.all(paths(count).map(async (path) => await ask(path)));
		return sent.map(([, at]) => at);
	}

	it.each([
		[5, 0],
		[5, 90],
		[0.5, 50],
		[20, 10],
		[100, 3],
	])('%d, timers up to %i ms late: at most one more in any second, 95 %% used', async (requestsPerSecond, lateMs) => {
		const count = Math.min(400, requestsPerSecond * 40);
		const times = await sentAt(requestsPerSecond, count, (timer) => lateMs * ((timer * 0.618) % 1));
		expect(most(times)).toBeLessThanOrEqual(Math.ceil(requestsPerSecond) + 1);
		expect(times.at(-1)).toBeGreaterThanOrEqual((count - 1) / requestsPerSecond - 0.2);
		expect(times.at(-1)).toBeLessThanOrEqual(count / requestsPerSecond / 0.95);
	});

	it('ends what it would hold back beyond the deadline', async () => {
		const end = time.elapsed + 8000;
		const { ask, sent } = served(() => ({}), new RequestQueue({ requestsPerSecond: 0.1 }, end));
		const ends = await Promise.all(paths(3).map(async (path) => await ask(path)));
		expect([sent, time.elapsed]).toEqual([[['/x0', 0]], end]);
		const message = 'The time was over before all requests were sent';
		const late = { message, kind: 'temporarily-unavailable' };
		expect(ends).toMatchObject(['OK', late, late]);
	});

	it.each(['execution', 'request'])('a cancelled %s ends soon, behind a request that waits', async (cancelled) => {
		const stop = new AbortController();
		const signal = cancelled === 'execution' ? stop.signal : undefined;
		const { ask, sent } = served(() => ({}), new RequestQueue({ requestsPerSecond: 0.1 }), signal);
		await ask('/first');
		const waiting = ask('/waiting');
		const gone = ask('/gone', {}, { isCancelled: () => stop.signal.aborted });
		await time.pass(2000);
		stop.abort();
		const begun = time.elapsed;
		expect(await gone).toMatchObject({ concernsAll: true });
		expect(time.elapsed - begun).toBeLessThanOrEqual(400);
		await waiting;
		expect(sent.map(([path]) => path)).toEqual(signal ? ['/first'] : ['/first', '/waiting']);
	});

	it('makes up for no timer that is seconds late', async () => {
		const times = await sentAt(5, 40, (timer) => (timer % 7 === 0 ? 3000 : 0));
		expect(times.at(-1)).toBeGreaterThan(15);
		expect(most(times)).toBeLessThanOrEqual(6);
	});
});
