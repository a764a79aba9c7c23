/** Deadline of a whole answer: one watchdog, distinct from a cancel, and no memory of ended requests. */
import { Deadlines } from '../../../nodes/HealthDataService/http/deadlines';
import { listenersOf } from '../../helpers/machine';
import { useVirtualTime } from '../../helpers/virtualTime';

const time = useVirtualTime();

/** Work that ends when its signal aborts, as n8n's request helper does. */
const endless = async (signal: AbortSignal) =>
	await new Promise<never>((_, reject) => {
		const end = () => reject(Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' }));
		if (signal.aborted) end();
		signal.addEventListener('abort', end);
	});
const codeOf = async (promise: Promise<unknown>) =>
	await promise.then(
		() => 'OK',
		({ code }) => code,
	);

it('ends each request at its own deadline, and no other', async () => {
	const deadlines = new Deadlines();
	const begun = time.now;
	const times: number[] = [];
	const late = [30, 1000].map(async (ms) => {
		const code = await codeOf(deadlines.within(ms, undefined, endless));
		times.push(time.now - begun);
		return code;
	});
	const quick = codeOf(deadlines.within(60_000, undefined, async () => await time.pass(1100)));
	expect(await Promise.all([...late, quick])).toEqual(['ETIMEDOUT', 'ETIMEDOUT', 'OK']);
	expect(times).toEqual([30, 1000]);
});

it('a cancel ends it at once, and is no timeout', async () => {
	const controller = new AbortController();
	const ends = codeOf(new Deadlines().within(60_000, controller.signal, endless));
	const begun = time.now;
	controller.abort();
	expect(await ends).toBe('ERR_CANCELED');
	expect(await codeOf(new Deadlines().within(60_000, controller.signal, endless))).toBe('ERR_CANCELED');
	expect(time.now).toBe(begun);
});

it('a cancel ends nothing that is not of its own execution', async () => {
	const [one, other] = [new AbortController(), new AbortController()];
	const deadlines = new Deadlines();
	const ends = [one, other].map(async ({ signal }) => await codeOf(deadlines.within(1000, signal, endless)));
	const begun = time.now;
	one.abort();
	expect(await Promise.all(ends)).toEqual(['ERR_CANCELED', 'ETIMEDOUT']);
	expect(time.now - begun).toBe(1000);
});

it("the work's own error is rethrown", async () => {
	const fail = async () => await Promise.reject(Object.assign(new Error(), { code: 'ECONNRESET' }));
	expect(await codeOf(new Deadlines().within(60_000, undefined, fail))).toBe('ECONNRESET');
});

it('keeps nothing of 2,000 requests, and at most one timer', async () => {
	const { signal } = new AbortController();
	const deadlines = new Deadlines();
	// The watchdogs of the tests above end.
	await time.pass(1000);
	expect(time.timers.size).toBe(0);
	for (let i = 0; i < 100; i++) {
		await Promise.all(
			Array.from({ length: 20 }, async () => {
				await deadlines.within(300_000, signal, async () => await Promise.resolve());
			}),
		);
	}
	expect(time.timers.size).toBeLessThanOrEqual(1);
	expect(listenersOf(signal)).toBe(0);
	expect((deadlines as unknown as { running: Set<unknown> }).running.size).toBe(0);
	// The watchdog ends as well, though each of them had five minutes.
	await time.pass(1000);
	expect(time.timers.size).toBe(0);
});

it('ends all requests with the execution, whose signal has no listener for them', async () => {
	const controller = new AbortController();
	const deadlines = new Deadlines();
	const all = Array.from(
		{ length: 50 },
		async () => await codeOf(deadlines.within(60_000, controller.signal, endless)),
	);
	expect(listenersOf(controller.signal)).toBe(0);
	controller.abort();
	expect(new Set(await Promise.all(all))).toEqual(new Set(['ERR_CANCELED']));
});

it('ends every request at the end of all', async () => {
	const deadlines = new Deadlines();
	deadlines.endAt = performance.now() + 500;
	const begun = time.now;
	expect(await codeOf(deadlines.within(60_000, undefined, endless))).toBe('ETIMEDOUT');
	expect(time.now - begun).toBe(500);
});

it('watches again after a time without requests', async () => {
	const deadlines = new Deadlines();
	await deadlines.within(300_000, undefined, async () => await Promise.resolve());
	await time.pass(1000);
	expect(await codeOf(deadlines.within(500, undefined, endless))).toBe('ETIMEDOUT');
});
