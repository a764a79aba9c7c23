/** Deadline of a whole answer, distinct from a cancel. */
import { Deadlines } from '../../../nodes/HealthDataService/http/deadlines';
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
