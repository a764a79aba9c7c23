/** Many rows after weeks down: a poll emits at most 10,000 rows, the oldest first; the next one the rest. */
import { bloodPressure } from '../helpers/people';
import { HOUR, iso, isPassComplete, onBothSchedulers, savedState, watch } from '../helpers/watch';

const MAX_ROWS = 10_000;

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	const add = (user: typeof w.anna, count: number, from: number) => {
		const step = Math.floor((w.clock - from) / (count + 1));
		for (let i = 1; i <= count; i++) w.history.add(user, bloodPressure(iso(from + i * step), 100 + (i % 50), 80));
	};

	const teams: Array<[string, number[]]> = [
		['three users', [4500, 4500, 4500]],
		['one of them alone', [0, 12_345, 5]],
		['exactly as many', [5000, 5000, 0]],
	];
	it.each(scheduler === 'memory' ? teams : teams.slice(0, 1))(
		'of %s: none is lost, none comes twice',
		async (_, counts) => {
			w.used.sandbox.switches.pageSize = 5000;
			const users = [w.anna, w.ben, w.history.addUser('carl')];
			const n8n = w.trigger();
			await n8n.start();
			const from = w.clock;
			n8n.kill();
			w.pass(20 * 24 * HOUR);
			users.forEach((user, at) => add(user, counts[at], from));

			const total = counts.reduce((a, b) => a + b);
			const first = (await n8n.start('init'))!;
			expect(first).toHaveLength(MAX_ROWS);
			expect(first.map(({ timestamp }) => timestamp)).toEqual(first.map(({ timestamp }) => timestamp).sort());
			if (total > MAX_ROWS) {
				const second = (await n8n.tick())!;
				expect(second).toHaveLength(total - MAX_ROWS);
				expect(String(second[0].timestamp) >= String(first.at(-1)!.timestamp) || counts[0] === 0).toBe(true);
			}
			expect(await n8n.tick()).toBeUndefined();
			expect(new Set(n8n.executions.flat().map(({ id }) => id)).size).toBe(total);
			if (scheduler === 'durable') expect(isPassComplete(savedState(n8n))).toBe(true);
		},
	);
});
