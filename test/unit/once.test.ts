/**
 * What one request may want differently: a single try whose failure is nobody else's, and not to be sent any more.
 */
import { nextTurn } from '../helpers/machine';
import { Gate } from '../../nodes/HealthDataService/http/gate';
import { RETRY_LIMITS, withRetry } from '../../nodes/HealthDataService/http/retry';
import type { Answer, Send } from '../../nodes/HealthDataService/http/send';

const answer = (statusCode: number): Answer => ({ response: { statusCode, headers: {}, body: {} } as never });
const gate = new Gate(1);
const start = (send: Send, signal?: AbortSignal) =>
	withRetry(send, { gate, signal, continues: false, tries: 3, withinMs: 10_000, sentWith: () => [] });

beforeAll(() => void Object.assign(RETRY_LIMITS, { firstWaitMs: 1, longestWaitMs: 2 }));

it('a single try is sent once, and what it learns is not held against others', async () => {
	const send = jest.fn(async (url: string) => answer(url === 'end' ? 500 : 200));
	const get = start(send);
	await expect(get('end', { tries: 1 })).rejects.toMatchObject({
		httpCode: '500',
		description: expect.stringMatching(/^Tried once /),
	});
	expect(send).toHaveBeenCalledTimes(1);
	expect(gate.losses.last).toBeUndefined();
	expect(await get('other')).toMatchObject({ statusCode: 200 });

	await expect(get('end')).rejects.toThrow();
	expect(send).toHaveBeenCalledTimes(5);
	expect(gate.losses.last).toBeDefined();
	gate.losses.forget();
});

it('what is called off while it waits is not sent, and its place is free for the next', async () => {
	const answers: Array<() => void> = [];
	const sent: string[] = [];
	const get = start(async (url) => {
		sent.push(url);
		await new Promise<void>((resolve) => answers.push(resolve));
		return answer(200);
	}, new AbortController().signal);
	let isOver = false;
	const [first, second, third] = [get('first'), get('second', { isOver: () => isOver }), get('third')];
	await nextTurn();
	isOver = true;
	answers[0]();
	await expect(second).rejects.toThrow();
	await nextTurn();
	answers[1]();
	expect([await first, await third]).toMatchObject([{ statusCode: 200 }, { statusCode: 200 }]);
	expect(sent).toEqual(['first', 'third']);
});

it('a run that is cancelled ends it too', async () => {
	const run = new AbortController();
	const get = start(async () => answer(200), run.signal);
	run.abort();
	await expect(get('any', { isOver: () => false })).rejects.toThrow('The execution was cancelled');
});
