/** Requests of a request queue that the test answers. */
import type { Outcome } from '../../nodes/HealthDataService/http/classify';
import { RequestQueue, type QueueOptions } from '../../nodes/HealthDataService/http/requestQueue';
import { nextTurn } from './machine';

/** `count` requests that are wanted at once, and what became of them. */
export function crowd(queue: RequestQueue, count: number, wanted: QueueOptions = { continues: true }) {
	const sent: Array<(outcome: Outcome) => void> = [];
	const errors: string[] = [];
	const all = Array.from({ length: count }, async () => {
		const work = async () => await new Promise<Outcome>((resolve) => sent.push(resolve));
		await queue.run(work, (outcome) => outcome, wanted).catch(({ message }: Error) => errors.push(message));
	});
	let next = 0;
	return {
		errors,
		sent: () => sent.length,
		/** Answers the next `n` of those that were sent. */
		async answer(outcome: Outcome, n = 1) {
			for (let i = 0; i < n; i++) sent[next++](outcome);
			await nextTurn();
		},
		done: async () => await Promise.all(all),
	};
}

/** So many requests, one after the other, with this outcome. */
export async function settle(queue: RequestQueue, outcome: Outcome, count = 1) {
	const work = async () => outcome;
	for (let i = 0; i < count; i++) await queue.run(work, (is) => is, { continues: true });
}

/** A queue that has seen its key accepted. */
export async function provenQueue(most: number) {
	const queue = new RequestQueue({ concurrency: most });
	await settle(queue, 'answered');
	return queue;
}

/** How many it lets out now. */
export async function room(queue: RequestQueue): Promise<number> {
	const probe = crowd(queue, 60);
	await nextTurn();
	const inFlight = probe.sent();
	for (let left = 60; left > 0; ) {
		const now = probe.sent() - (60 - left);
		await probe.answer('failed', now);
		left -= now;
	}
	return inFlight;
}
