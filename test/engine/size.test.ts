/**
 * As many rows as n8n can hand on, and one more.
 */
import { runNode } from '../helpers/engine';
import { bloodPressure, createUser, fixedWorld, KEY } from '../helpers/people';
import { bloodPressureOf, byUserId, listUsers, useSandbox } from '../helpers/requests';

const MOST = 100_000;
const busy = createUser('busy', ['omron']);
const crowd = Array.from({ length: MOST + 1 }, (_, i) => ({ ...busy, user_id: `u${i}` }));
const reading = bloodPressure('2026-03-10T00:00:00Z', 120, 80);
let count = MOST;

describe('readings', () => {
	const world = fixedWorld([busy], {});
	const used = useSandbox(() => ({
		world: { ...world, readings: () => Array(count).fill(reading) },
		switches: { pageSize: 10_000 },
	}));
	const run = async (more = {}) =>
		await runNode({ credential: used.credential, parameters: bloodPressureOf(byUserId(busy.user_id), more) });

	it('hands on 100,000 rows', async () => {
		count = MOST;
		const { rows, error } = await run();
		expect(error).toBeUndefined();
		expect(rows).toHaveLength(MOST);
	});

	it('says how to split more', async () => {
		count = MOST + 1;
		const { rows, error } = await run();
		expect(error?.message).toBe('More than 100,000 rows for one input item are more than n8n can hand on');
		expect(error?.description).toContain("a shorter 'Date Range'");
		expect(rows).toEqual([]);
	});

	it('takes as many as Limit says, and more readings in one item', async () => {
		count = MOST + 1;
		expect((await run({ returnAll: false, limit: 5 })).rows).toHaveLength(5);
		expect((await run({ returnAll: false, limit: MOST + 1 })).error?.message).toContain('More than 100,000 rows');
		expect((await run({ output: 'grouped' })).rows).toHaveLength(1);
	});
});

describe('users', () => {
	const used = useSandbox(() => ({
		world: { teams: [{ key: KEY, users: crowd }], readings: () => [] },
		checksItself: false,
	}));

	it('says how to split more than 100,000', async () => {
		const { error } = await runNode({ credential: used.credential, parameters: listUsers({ returnAll: true }) });
		expect(error?.description).toContain("'Skip First Users'");
	});
});
