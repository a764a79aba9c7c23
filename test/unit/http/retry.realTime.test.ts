/**
 * Real timers of the node: a deadline that ends a hanging request and the pauses between attempts. All other tests of time run
 * in virtual time (test/helpers/virtualTime.js).
 */
import { sleep } from 'n8n-workflow';
import { RequestQueue } from '../../../nodes/HealthDataService/http/requestQueue';
import { RETRY_LIMITS, withRetry } from '../../../nodes/HealthDataService/http/retry';
import { networkError } from '../../../nodes/HealthDataService/http/errors';

it('a hanging request times out, is retried after a pause, and fails', async () => {
	Object.assign(RETRY_LIMITS, { baseDelayMs: 2, maxDelayMs: 4 });
	const queue = new RequestQueue({ concurrency: 1 });
	const events: string[] = [];
	const hang = async (signal: AbortSignal) =>
		await new Promise<never>((_, reject) => {
			signal.addEventListener('abort', () => reject(new Error('ended')));
		});
	const send = async () => {
		events.push('sent');
		void sleep(1).then(() => events.push('a millisecond'));
		return await queue.deadlines.within(10, undefined, hang).catch((error: Error) => {
			events.push('deadline');
			return { failure: networkError(error, 'https://health.example') };
		});
	};
	const options = { queue, continues: true, maxAttempts: 3, retryForMs: 60_000, secretsOf: () => [] };
	await expect(withRetry(send, options)('https://health.example/v2/user')).rejects.toMatchObject({
		description: expect.stringMatching(/^Tried 3 times/),
	});
	expect(events).toEqual(Array(3).fill(['sent', 'a millisecond', 'deadline']).flat());
});
