/** Virtual time of the tests: over real HTTP it advances only while nothing is on its way. */
import axios, { type AxiosRequestConfig } from 'axios';
import { sleep } from 'n8n-workflow';
import { KEY } from '../helpers/people';
import { useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const HOUR = 3_600_000;
const used = useSandbox();
const time = useVirtualTime();

const get = async (more: AxiosRequestConfig = {}) =>
	await axios.get<{ users: unknown[] }>(`${used.sandbox.baseUrl}/v2/user`, {
		headers: { 'x-service-api-key': KEY },
		validateStatus: null,
		proxy: false,
		...more,
	});

it('an answer in work comes before any timer', async () => {
	const body = 'x'.repeat(20_000_000);
	used.sandbox.switches.fault = () => ({ status: 200, body });
	const order: string[] = [];
	const answer = get().then(({ data }) => order.push(`${String(data).length} characters`));
	const timer = sleep(1).then(() => order.push('a millisecond'));
	await Promise.all([answer, timer]);
	expect(order).toEqual(['20000000 characters', 'a millisecond']);
});

it('what the service holds back takes its time, and no other', async () => {
	used.sandbox.switches.latencyMs = HOUR;
	const begun = [time.elapsed, performance.now(), Date.now()];
	expect((await get()).status).toBe(200);
	expect([time.elapsed, performance.now(), Date.now()]).toEqual(begun.map((ms) => ms + HOUR));
});

it.each<[string, AxiosRequestConfig, object]>([
	['of all of an answer', { maxRedirects: 0 }, { delayMs: 2 * HOUR }],
	['of all of an answer that follows redirects', {}, { delayMs: 2 * HOUR }],
	['of a stream before its first byte', { maxRedirects: 0, responseType: 'stream' }, { delayMs: 2 * HOUR }],
])('a timeout %s ends it', async (_, more, fault) => {
	used.sandbox.switches.fault = () => fault as never;
	const begun = time.elapsed;
	await expect(get({ timeout: HOUR, ...more })).rejects.toThrow('timeout of 3600000ms exceeded');
	expect(time.elapsed - begun).toBe(HOUR);
});

it('a drip is seen byte by byte, and its reader can end it', async () => {
	used.sandbox.switches.fault = () => ({ dripMs: HOUR });
	const begun = time.elapsed;
	const controller = new AbortController();
	const answer = get({ signal: controller.signal });
	void sleep(10 * HOUR + 1).then(() => controller.abort());
	await expect(answer).rejects.toThrow('canceled');
	expect(time.elapsed - begun).toBe(10 * HOUR + 1);
	await time.pass(HOUR);
	expect(used.sandbox.load.inFlight).toBe(0);
});

it.each(['beforeAnswer', 'insideBody', 'insideChunks', 'withoutLength'] as const)(
	'a connection that is cut %s is seen before any timer',
	async (drop) => {
		used.sandbox.switches.fault = () => ({ drop });
		const begun = time.elapsed;
		await Promise.allSettled([get(), get()]);
		expect(time.elapsed).toBe(begun);
	},
);
