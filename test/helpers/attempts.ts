/** Requests through one queue in virtual time: when each attempt was sent, and its result. */
import { sleep } from 'n8n-workflow';
import type { Answer } from '../../nodes/HealthDataService/http/classify';
import type { RequestQueue } from '../../nodes/HealthDataService/http/requestQueue';
import {
	RETRY_LIMITS,
	withRetry,
	type Budget,
	type RequestOptions,
	type RetryOptions,
} from '../../nodes/HealthDataService/http/retry';
import type { Problem } from '../../nodes/HealthDataService/shared/problem';
import { VirtualTime } from './virtualTime';

const limits = { ...RETRY_LIMITS };
/** Another one for each test. */
export let time: VirtualTime;

/** To be called once per test file. */
export function useAttempts() {
	beforeEach(() => {
		Object.assign(RETRY_LIMITS, { baseDelayMs: 500, maxDelayMs: 30_000, maxRetryAfterMs: 60_000 });
		time = new VirtualTime(Date.UTC(2026, 5, 1));
		time.install();
		// Each pause as long as it may be.
		Math.random = () => 1;
	});
	afterEach(() => {
		time.uninstall();
		Object.assign(RETRY_LIMITS, limits);
	});
}

export const status = (statusCode: number, headers = {}, body: unknown = {}): Answer => ({
	response: { statusCode, headers, body } as never,
});

/** Requests through one queue: when each was sent, in seconds, and its result. */
export function service(queue: RequestQueue, answer: (name: string, nth: number) => Answer, tookMs = 0) {
	const sent: Array<[name: string, at: number]> = [];
	const send = async (url: string) => {
		const { pathname } = new URL(url);
		sent.push([pathname.slice(1), time.elapsed / 1000]);
		const nth = sent.filter(([name]) => name === pathname.slice(1)).length;
		if (tookMs > 0) await sleep(tookMs);
		return answer(pathname.slice(1), nth);
	};
	const ask = async (name: string, more: Partial<RetryOptions> = {}, once?: RequestOptions) =>
		await withRetry(send, {
			queue,
			continues: true,
			maxAttempts: 7,
			retryForMs: 180_000,
			...more,
		})(`https://health.example/${name}`, once).then(
			({ statusCode }) => statusCode,
			(error: Problem) => error,
		);
	return { sent, ask, times: (name = 'a') => sent.filter(([one]) => one === name).map(([, at]) => at) };
}

/** Options with the budget of a user. */
export const budget = (own: Partial<Budget> = {}) => ({
	budget: { stoppedBy: () => undefined, mayRetry: () => true, ...own } as Budget,
});
