/**
 * Options of one request: a single attempt, a failure that does not count, and cancelling.
 */
import { nextTurn } from '../../helpers/machine';
import { RequestQueue } from '../../../nodes/HealthDataService/http/requestQueue';
import { RETRY_LIMITS, SINGLE_ATTEMPT, withRetry } from '../../../nodes/HealthDataService/http/retry';
import type { Answer } from '../../../nodes/HealthDataService/http/classify';
import type { Send } from '../../../nodes/HealthDataService/http/transport';

const answer = (statusCode: number): Answer => ({ response: { statusCode, headers: {}, body: {} } as never });
const queue = new RequestQueue({ concurrency: 1 });
const start = (send: Send, signal?: AbortSignal) =>
	withRetry(send, { queue, signal, continues: false, maxAttempts: 3, retryForMs: 10_000 });

beforeAll(() => void Object.assign(RETRY_LIMITS, { baseDelayMs: 1, maxDelayMs: 2 }));

it('a single attempt is sent once, and its failure does not count towards the circuit breaker', async () => {
	const send = jest.fn(async (url: string) => answer(url === 'end' ? 500 : 200));
	const get = start(send);
	await expect(get('end', SINGLE_ATTEMPT)).rejects.toMatchObject({
		httpCode: '500',
		description: expect.stringMatching(/^Tried once /),
	});
	expect(send).toHaveBeenCalledTimes(1);
	expect(queue.circuitBreaker.lastFailure).toBeUndefined();
	expect(await get('other')).toMatchObject({ statusCode: 200 });

	await expect(get('end')).rejects.toThrow();
	expect(send).toHaveBeenCalledTimes(5);
	expect(queue.circuitBreaker.lastFailure).toBeDefined();
	queue.circuitBreaker.reset();
});

it('a request that is cancelled in the queue is not sent, and leaves its place to the next', async () => {
	const answers: Array<() => void> = [];
	const sent: string[] = [];
	const get = start(async (url) => {
		sent.push(url);
		await new Promise<void>((resolve) => answers.push(resolve));
		return answer(200);
	}, new AbortController().signal);
	let isCancelled = false;
	const [first, second, third] = [get('first'), get('second', { isCancelled: () => isCancelled }), get('third')];
	await nextTurn();
	isCancelled = true;
	answers[0]();
	await expect(second).rejects.toThrow();
	await nextTurn();
	answers[1]();
	expect([await first, await third]).toMatchObject([{ statusCode: 200 }, { statusCode: 200 }]);
	expect(sent).toEqual(['first', 'third']);
});

it('cancelling the execution cancels it', async () => {
	const run = new AbortController();
	const get = start(async () => answer(200), run.signal);
	run.abort();
	await expect(get('any', { isCancelled: () => false })).rejects.toThrow('The execution was cancelled');
});
