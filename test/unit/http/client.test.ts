/**
 * Client, with a request helper of the test: options of a caller, redirects, the key check, and memory after many requests.
 */
import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { connect } from '../../../nodes/HealthDataService/http/client';
import { RequestQueue } from '../../../nodes/HealthDataService/http/requestQueue';
import { heapInUse, listenersOf, nextTurn } from '../../helpers/machine';
import { useVirtualTime } from '../../helpers/virtualTime';

const time = useVirtualTime();

type Helper = (this: { getExecutionCancelSignal(): AbortSignal }) => Promise<unknown>;

const contextWith = (helper: Helper, signal?: AbortSignal) =>
	({
		getCredentials: async () => ({ baseUrl: 'https://health.example', apiKey: 'key' }),
		continueOnFail: () => false,
		getExecutionCancelSignal: () => signal,
		helpers: { httpRequestWithAuthentication: helper },
	}) as unknown as IExecuteSingleFunctions;

const hangs: Helper = async function () {
	const signal = this.getExecutionCancelSignal();
	return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('canceled'))));
};

it.each([
	['what the caller gives', 60_000, 60],
	['five minutes, where the caller gives more', 400_000, 300],
])('a complete answer may take %s', async (_, timeoutMs, seconds) => {
	const get = await connect(contextWith(hangs), { timeoutMs, maxAttempts: 1 });
	await expect(get('/v2/user')).rejects.toMatchObject({
		message: 'The service could not be reached',
		description: `Tried once in ${seconds} seconds. health.example did not answer in time. Try again later`,
		kind: 'temporarily-unavailable',
	});
});

it('ends when the execution is cancelled', async () => {
	const cancel = new AbortController();
	const get = await connect(contextWith(hangs, cancel.signal));
	const request = get('/v2/user');
	await nextTurn();
	cancel.abort();
	await expect(request).rejects.toThrow(/cancel/i);
});

it('takes the queue of address and key, without blanks around them', async () => {
	const queue = jest.fn(() => new RequestQueue({ concurrency: 1 }));
	for (const apiKey of [' key\n', undefined]) {
		const getCredentials = async () => ({ baseUrl: ' https://health.example/ ', apiKey });
		await connect({ ...contextWith(hangs), getCredentials } as never, { queue });
	}
	expect(queue.mock.calls).toEqual([['https://health.example key'], ['https://health.example ']]);
});

const REQUESTS = 20_000;

it(`keeps nothing of ${REQUESTS.toLocaleString('en')} requests`, async () => {
	const { signal } = new AbortController();
	const queue = new RequestQueue({ concurrency: 8 });
	const answers: Helper = async () => ({ statusCode: 200, headers: {}, body: { users: [] } });
	const get = await connect(contextWith(answers, signal), { queue });
	let early = 0;
	for (let sent = 0; sent < REQUESTS; sent += 100) {
		await Promise.all(Array.from({ length: 100 }, async () => await get('/v2/user', { offset: sent })));
		await nextTurn();
		if (sent === 1000) early = heapInUse();
	}
	expect(listenersOf(signal)).toBe(0);
	expect(heapInUse() - early).toBeLessThan(2_000_000);
});

describe('one request', () => {
	type Given = { statusCode?: number; headers?: object; body?: unknown };
	/** A service that gives these answers by path; what n8n was asked to send. */
	function playing(answers: (path: string) => Given | Error, continues = false) {
		const sent: Array<Record<string, unknown> & { url: string }> = [];
		const context = contextWith(async () => ({}));
		Object.assign(context, {
			continueOnFail: () => continues,
			helpers: {
				httpRequestWithAuthentication: async (_: string, request: (typeof sent)[number]) => {
					sent.push(request);
					const given = answers(request.url.replace('https://health.example', ''));
					if (given instanceof Error) throw given;
					return { statusCode: 200, headers: {}, body: {}, ...given };
				},
			},
		});
		return { context, sent, urls: () => sent.map(({ url }) => url.replace('https://health.example', '')) };
	}

	it('is a GET with what n8n and the user say of it, and nothing that they say of ours', async () => {
		const { context, sent } = playing(() => ({ body: { users: [] } }));
		const defaults = { headers: { a: 'b' }, timeout: 5, method: 'POST', url: '/x', json: false } as never;
		const get = await connect(context, { defaults });
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
		const get = await connect(context);
		await get('/v2/user', { offset: 0, limit: undefined, provider: '', start_date: '2026-03-01T00:00+01:00' });
		await get('/v2/user', { provider: '' });
		expect(urls()).toEqual(['/v2/user?offset=0&start_date=2026-03-01T00%3A00%2B01%3A00', '/v2/user']);
	});

	it.each([
		[404, 200, 'missing'],
		[404, 404, '404'],
		[404, 500, 'missing'],
		[422, 200, '422'],
	])('a %i is what is missing, where the list answers %i: %s', async (statusCode, list, expected) => {
		const { context } = playing((path) => (path.startsWith('/v2/user?') ? { statusCode: list } : { statusCode }));
		const get = await connect(context);
		expect(await get('/v2/x', {}, () => 'missing').catch(({ httpCode }: { httpCode: string }) => httpCode)).toBe(
			expected,
		);
	});

	it('a 404 needs no check where the list is requested next, or data have come before', async () => {
		const { context, urls } = playing((path) => (path === '/v2/y' ? { body: {} } : { statusCode: 404 }));
		const get = await connect(context);
		expect(await get('/v2/x', {}, () => 'missing', { isListNext: true })).toBe('missing');
		await get('/v2/y');
		expect(await get('/v2/x', {}, () => 'missing')).toBe('missing');
		expect(urls()).toEqual(['/v2/x', '/v2/y', '/v2/x']);
	});

	it('with any other status from 200 to 299 has the data, and the caller gets its headers', async () => {
		for (const [statusCode, headers] of [
			[200, { 'x-total': '1' }],
			[299, undefined],
		] as const) {
			const onAnswer = jest.fn();
			const { context } = playing(() => ({ statusCode, headers, body: { users: [] } }));
			expect(await (await connect(context, { onAnswer }))('/v2/user')).toEqual({ users: [] });
			expect(onAnswer.mock.calls).toEqual([[headers ?? {}]]);
		}
	});

	it.each([199, 300, 304])('status %i is no answer, with any body', async (statusCode) => {
		const get = await connect(playing(() => ({ statusCode, body: { users: [] } })).context);
		await expect(get('/v2/user')).rejects.toMatchObject({ httpCode: String(statusCode) });
	});

	it.each([null, [], 'text', 7])('%j with status 200 is not the data', async (body) => {
		const get = await connect(playing(() => ({ body })).context);
		await expect(get('/v2/user')).rejects.toMatchObject({ httpCode: '200' });
	});

	it('with NaN in its answer is sent once', async () => {
		const { context, urls } = playing(() => ({ body: '{"users": [], "total": NaN}' }));
		await expect((await connect(context))('/v2/user')).rejects.toMatchObject({
			message: "The service's answer is not valid JSON",
			isTransient: false,
		});
		expect(urls()).toHaveLength(1);
	});

	it('with status 206 has no complete answer', async () => {
		const get = await connect(playing(() => ({ statusCode: 206, body: { users: [] } })).context);
		await expect(get('/v2/user')).rejects.toMatchObject({
			message: 'The service sent a part of its answer only (status 206)',
			httpCode: '206',
		});
	});

	it('follows one redirect, not two', async () => {
		const to = (location: string) => ({ statusCode: 307, headers: { location } });
		const once = playing((path) => (path === '/v2/user?limit=1' ? to('/v2/user/?limit=1') : { body: { users: [] } }));
		expect(await (await connect(once.context))('/v2/user', { limit: 1 })).toEqual({ users: [] });
		expect(once.urls()).toEqual(['/v2/user?limit=1', '/v2/user/?limit=1']);
		const twice = playing(() => to('/again'));
		await expect((await connect(twice.context))('/v2/user')).rejects.toMatchObject({
			message: 'The service redirects without arriving anywhere',
			concernsAll: true,
		});
		expect(twice.urls()).toEqual(['/v2/user', '/again']);
	});

	it('is not retried after the deadline of the caller', async () => {
		for (const [soon, times] of [
			[-1, 1],
			[60_000, 7],
		]) {
			const { context, urls } = playing(() => ({ statusCode: 500 }));
			const get = await connect(context, { retryUntil: time.elapsed + soon });
			await expect(get('/v2/user')).rejects.toMatchObject({ httpCode: '500' });
			expect(urls()).toHaveLength(times);
		}
	});

	describe('that is refused', () => {
		const readings = '/v2/timeseries/u/x/grouped';
		const end = async (get: Awaited<ReturnType<typeof connect>>, path: string) =>
			await get(path).then(
				() => 'OK',
				({ message }: Error) => message,
			);
		const KEY_401 = 'The service did not accept the API key (status 401)';
		const KEY_403 = 'The service did not accept the API key (status 403)';

		it('with 401: nothing is sent with this key any more', async () => {
			const { context, urls } = playing(() => ({ statusCode: 401 }), true);
			const get = await connect(context, { queue: new RequestQueue({ concurrency: 4 }) });
			expect(await end(get, readings)).toBe(KEY_401);
			expect(await end(get, '/v2/user')).toBe(KEY_401);
			expect(urls()).toEqual([readings]);
		});

		it('with 403: the user list tells whether it is the key, in one request for all', async () => {
			const key = playing(() => ({ statusCode: 403 }), true);
			const refused = await connect(key.context, { queue: new RequestQueue({ concurrency: 4 }) });
			expect(await Promise.all([end(refused, readings), end(refused, readings)])).toEqual([KEY_403, KEY_403]);
			expect(key.urls().filter((path) => path === '/v2/user?limit=1')).toHaveLength(1);
			expect(await end(refused, '/v2/user')).toBe(KEY_403);

			const theirs = playing((path) => (path.startsWith('/v2/user') ? {} : { statusCode: 403 }), true);
			const get = await connect(theirs.context, { queue: new RequestQueue({ concurrency: 4 }) });
			for (let i = 0; i < 2; i++) expect(await end(get, readings)).toMatch(/refuses this user's data/);
			expect(theirs.urls()).toEqual([readings, '/v2/user?limit=1', readings]);
			expect(await end(get, '/v2/user')).toBe('OK');
		});

		it('with 403: the list is requested over a redirect, too', async () => {
			const { context, urls } = playing((path) => {
				if (path === '/v2/user?limit=1') return { statusCode: 307, headers: { location: '/v2/user/?limit=1' } };
				return path.startsWith('/v2/user') ? {} : { statusCode: 403 };
			}, true);
			const get = await connect(context, { queue: new RequestQueue({ concurrency: 1 }) });
			expect(await end(get, readings)).toMatch(/refuses this user's data/);
			expect(urls()).toEqual([readings, '/v2/user?limit=1', '/v2/user/?limit=1']);
		}, 20_000);

		it('with 403: no other request is sent before the list has answered', async () => {
			const { context, urls } = playing((path) => (path.startsWith('/v2/user') ? {} : { statusCode: 403 }), true);
			const get = await connect(context, { queue: new RequestQueue({ concurrency: 1 }) });
			await Promise.all([end(get, readings), end(get, '/other'), end(get, '/third')]);
			expect(urls()).toEqual([readings, '/v2/user?limit=1', '/other', '/third']);
		});

		it.each(['/v2/user', '/v2/user/', '/v2/user?limit=5'])('with 403 by the list (%s): it is the key', async (path) => {
			const { context, urls } = playing(() => ({ statusCode: 403 }), true);
			expect(await end(await connect(context), path)).toBe(KEY_403);
			expect(urls()).toEqual([path]);
		});
	});

	it('that fails for good stops the others, unless On Error is Continue', async () => {
		for (const continues of [false, true]) {
			const answer = (path: string) => (path === '/broken' ? { statusCode: 500 } : { body: {} });
			const { context, urls } = playing(answer, continues);
			const get = await connect(context);
			await expect(get('/broken')).rejects.toMatchObject({ httpCode: '500' });
			const other = await get('/other').catch(({ httpCode }: { httpCode: string }) => httpCode);
			expect([continues, other]).toEqual([continues, continues ? {} : '500']);
			expect(urls().filter((path) => path === '/broken')).toHaveLength(7);
		}
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
			const get = await connect({ ...context, getExecutionCancelSignal: () => cancel.signal } as never);
			await expect(get('/v2/x', {}, () => 'missing')).rejects.toThrow(/cancel/i);
		},
	);

	it('that n8n 2.8.4 reports without its cause, with the code of the connection', async () => {
		const failing = Object.assign(new Error('secret'), { cause: undefined, httpCode: 'ENOTFOUND' });
		const get = await connect(playing(() => failing).context);
		await expect(get('/v2/user')).rejects.toMatchObject({
			message: 'The service could not be reached',
			description: "The name of health.example is not known. Check 'Base URL' in the credential",
		});
	});

	it('that may not have the key is not handed to n8n, which might drop the reason', async () => {
		const { context, urls } = playing(() => new Error('not sent'));
		const get = await connect(context, { defaults: { headers: { Host: 'other.example' } } });
		await expect(get('/v2/user')).rejects.toThrow("The API key is not sent with a 'Host' header of a node");
		expect(urls()).toEqual([]);
	});

	it('that could not be sent names the address, and nothing of the key', async () => {
		const failing = Object.assign(new Error('secret'), { code: 'ENOTFOUND' });
		const get = await connect(playing(() => failing).context);
		await expect(get('/v2/user')).rejects.toMatchObject({
			message: 'The service could not be reached',
			description: "The name of health.example is not known. Check 'Base URL' in the credential",
		});
	});
});
