/** Service of the client's tests: n8n's request helper, which answers as a test says. */
import { sleep, type IExecuteSingleFunctions } from 'n8n-workflow';
import { connect, type ClientOptions, type RequestOptions } from '../../nodes/HealthDataService/http/client';
import { RequestQueue } from '../../nodes/HealthDataService/http/requestQueue';
import { RETRY_LIMITS } from '../../nodes/HealthDataService/http/retry';

export type Helper = (this: { getExecutionCancelSignal(): AbortSignal }) => Promise<unknown>;

export const contextWith = (helper: Helper, signal?: AbortSignal) =>
	({
		getCredentials: async () => ({ baseUrl: 'https://health.example', apiKey: 'key' }),
		getExecutionCancelSignal: () => signal,
		helpers: { httpRequestWithAuthentication: helper },
	}) as unknown as IExecuteSingleFunctions;

export type Given = { statusCode?: number; headers?: object; body?: unknown; tookMs?: number };
/** A service that gives these answers by path; what n8n was asked to send. */
export function playing(answers: (path: string) => Given | Error | Promise<Given>) {
	const sent: Array<Record<string, unknown> & { url: string }> = [];
	const context = contextWith(async () => ({}));
	Object.assign(context, {
		helpers: {
			httpRequestWithAuthentication: async (_: string, request: (typeof sent)[number]) => {
				sent.push(request);
				const given = await answers(request.url.replace('https://health.example', ''));
				if (given instanceof Error) throw given;
				if (given.tookMs) await sleep(given.tookMs);
				return { statusCode: 200, headers: {}, body: {}, ...given };
			},
		},
	});
	return { context, sent, urls: () => sent.map(({ url }) => url.replace('https://health.example', '')) };
}

/** RETRY_LIMITS as the node has them, and each pause as long as it may be: after useVirtualTime. */
export function useRetryLimits() {
	const before = { ...RETRY_LIMITS };
	beforeEach(() => {
		Object.assign(RETRY_LIMITS, { baseDelayMs: 500, maxDelayMs: 30_000 });
		Math.random = () => 1;
	});
	afterEach(() => void Object.assign(RETRY_LIMITS, before));
}

type Answer = (path: string, nth: number) => Given | Error | Promise<Given>;

/** A client with a queue of its own: when each request was sent, in seconds, and its result (`OK`, or the error). */
export function served(answer: Answer, queue = new RequestQueue({ concurrency: 1 }), signal?: AbortSignal) {
	const begun = performance.now();
	const sent: Array<[path: string, at: number]> = [];
	const { context } = playing((path) => {
		sent.push([path, (performance.now() - begun) / 1000]);
		return answer(path, sent.filter(([one]) => one === path).length);
	});
	Object.assign(context, { getExecutionCancelSignal: () => signal });
	const ask = async (path = '/a', options: Partial<ClientOptions> = {}, request: RequestOptions = {}) => {
		const get = await connect(context, { queueOf: () => queue, ...options });
		return await get(path, {}, undefined, request).then(
			() => 'OK',
			(error: Record<string, unknown>) => error,
		);
	};
	return { queue, sent, ask, times: (path = '/a') => sent.filter(([one]) => one === path).map(([, at]) => at) };
}
