/**
 * The way to the service with a request helper that the test plays: limits that a caller gives, and what is kept of many requests.
 */
import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { connect } from '../../nodes/HealthDataService/http/connect';
import { Gate } from '../../nodes/HealthDataService/http/gate';
import { RETRY_LIMITS } from '../../nodes/HealthDataService/http/retry';
import { heapInUse, listenersOf, nextTurn } from '../helpers/machine';

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
	['what the caller gives', 60, 300_000, 60],
	['the five minutes of everybody, where that is less', 300_000, 60, 60],
])('a whole answer may take %s', async (_, limitMs, answerMs, expected) => {
	const before = RETRY_LIMITS.answerMs;
	RETRY_LIMITS.answerMs = answerMs;
	const get = await connect(contextWith(hangs), { limitMs, tries: 1 });
	const begun = performance.now();
	await expect(get('/v2/user')).rejects.toMatchObject({
		message: 'The service could not be reached',
		description: 'Tried once in 0 seconds. health.example did not answer in time. Try again later',
		kind: 'temporarily-unavailable',
	});
	expect(performance.now() - begun).toBeGreaterThanOrEqual(expected - 1);
	expect(performance.now() - begun).toBeLessThan(expected + 400);
	RETRY_LIMITS.answerMs = before;
});

const REQUESTS = 20_000;

it(`keeps nothing of ${REQUESTS.toLocaleString('en')} requests`, async () => {
	const { signal } = new AbortController();
	const gate = new Gate(8);
	const answers: Helper = async () => ({ statusCode: 200, headers: {}, body: { users: [] } });
	const get = await connect(contextWith(answers, signal), { gate });
	let early = 0;
	for (let sent = 0; sent < REQUESTS; sent += 100) {
		await Promise.all(Array.from({ length: 100 }, async () => await get('/v2/user', { offset: sent })));
		await nextTurn();
		if (sent === 1000) early = heapInUse();
	}
	expect(listenersOf(signal)).toBe(0);
	expect(heapInUse() - early).toBeLessThan(2_000_000);
});
