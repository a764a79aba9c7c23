/** Client, with a request helper of the test: options of a caller, answers, and memory after many requests. */
import { connect, withOptions, type Get } from '../../../nodes/HealthDataService/http/client';
import { RequestQueue } from '../../../nodes/HealthDataService/http/requestQueue';
import { heapInUse, listenersOf, nextTurn } from '../../helpers/machine';
import { contextWith, playing, type Helper } from '../../helpers/playedService';
import { useVirtualTime } from '../../helpers/virtualTime';

const time = useVirtualTime();

const queueOf = () => new RequestQueue();

it("a request's own options come before those of all requests", async () => {
	const get = jest.fn();
	await withOptions(get as Get, { maxAttempts: 5 })('/a', {}, undefined, { maxAttempts: 1 });
	expect(get).toHaveBeenCalledWith('/a', {}, undefined, { maxAttempts: 1 });
});

const hangs: Helper = async function () {
	const signal = this.getExecutionCancelSignal();
	return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('canceled'))));
};

it.each([60, 300])('a complete answer may take %i seconds, if the caller gives as many', async (seconds) => {
	const get = await connect(contextWith(hangs), { queueOf, timeoutMs: seconds * 1000, maxAttempts: 2 });
	await expect(get('/v2/user')).rejects.toMatchObject({
		message: 'The service could not be reached',
		description: `Tried 2 times in ${2 * seconds} s. health.example did not answer in time. Try again later, or raise 'Timeout' if the request options have it`,
		kind: 'temporarily-unavailable',
	});
});

it('ends when the execution is cancelled', async () => {
	const cancel = new AbortController();
	const get = await connect(contextWith(hangs, cancel.signal), { queueOf });
	const request = get('/v2/user');
	await nextTurn();
	cancel.abort();
	await expect(request).rejects.toThrow(/cancel/i);
});

const REQUESTS = 3000;

it(`keeps nothing of ${REQUESTS.toLocaleString('en')} requests`, async () => {
	const { signal } = new AbortController();
	const queue = new RequestQueue({ concurrency: 8 });
	const answers: Helper = async () => ({ statusCode: 200, headers: {}, body: { users: [] } });
	const get = await connect(contextWith(answers, signal), { queueOf: () => queue });
	let early = 0;
	for (let sent = 0; sent < REQUESTS; sent += 100) {
		await Promise.all(Array.from({ length: 100 }, async () => await get('/v2/user', { offset: sent })));
		await nextTurn();
		if (sent === 1000) early = heapInUse();
	}
	// The last sleep of the queue ends.
	await time.pass(1000);
	expect([listenersOf(signal), time.timers.size]).toEqual([0, 0]);
	expect(heapInUse() - early).toBeLessThan(800_000);
});

describe('one request', () => {
	it('is a GET with what n8n and the user say of it, and nothing that they say of ours', async () => {
		const { context, sent } = playing(() => ({ body: { users: [] } }));
		const defaults = { headers: { a: 'b' }, timeout: 5, method: 'POST', url: '/x', json: false } as never;
		const get = await connect(context, { queueOf, defaults });
		expect(await get('/v2/user')).toEqual({ users: [] });
		expect(sent[0]).toEqual({
			headers: { a: 'b' },
			timeout: 5,
			method: 'GET',
			url: 'https://health.example/v2/user',
			json: true,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			abortSignal: expect.any(AbortSignal),
		});
	});

	it('has no blank in its query, and every sign as itself', async () => {
		const { context, urls } = playing(() => ({}));
		const get = await connect(context, { queueOf });
		await get('/v2/user', { offset: 0, limit: undefined, provider: '', start_date: '2026-03-01T00:00+01:00' });
		await get('/v2/user', { provider: '' });
		expect(urls()).toEqual(['/v2/user?offset=0&start_date=2026-03-01T00%3A00%2B01%3A00', '/v2/user']);
	});

	it.each([
		[200, { 'x-total': '1' }],
		[299, undefined],
	])('status %i has the data, and the caller gets its headers (%j)', async (statusCode, headers) => {
		const onAnswer = jest.fn();
		const { context } = playing(() => ({ statusCode, headers, body: { users: [] } }));
		expect(await (await connect(context, { queueOf, onAnswer }))('/v2/user')).toEqual({ users: [] });
		expect(onAnswer.mock.calls).toEqual([[headers ?? {}]]);
	});

	it.each([403, 404])(
		'with status %i, cancelled while the list is checked, is cancelled and nothing else',
		async (statusCode) => {
			const cancel = new AbortController();
			const { context } = playing((path) => {
				if (!path.startsWith('/v2/user?')) return { statusCode };
				cancel.abort();
				return new Error('canceled');
			});
			const get = await connect({ ...context, getExecutionCancelSignal: () => cancel.signal } as never, { queueOf });
			await expect(get('/v2/x', {}, () => 'missing')).rejects.toThrow(/cancel/i);
		},
	);

	it.each([
		['in n8n 2.8.4, which loses its cause', { cause: undefined, httpCode: 'ENOTFOUND' }],
		['now', { code: 'ENOTFOUND' }],
	])('that could not be sent names the address, and nothing of the key, as n8n reports it %s', async (_, error) => {
		const failing = Object.assign(new Error('secret'), error);
		const get = await connect(playing(() => failing).context, { queueOf });
		await expect(get('/v2/user')).rejects.toMatchObject({
			message: 'The service could not be reached',
			description: "The name of health.example is not known. Check 'Base URL' in the credential",
		});
	});

	it('that may not have the key is not handed to n8n, which might drop the reason', async () => {
		const { context, urls } = playing(() => new Error('not sent'));
		const defaults = { headers: { Host: 'other.example' } };
		await expect(connect(context, { queueOf, defaults })).rejects.toThrow(
			"The API key is not sent with a 'Host' header of a node",
		);
		expect(urls()).toEqual([]);
	});
});
