/**
 * What a round asks of whoever reads the users: how long, and how often, of somebody who is behind and of anybody else.
 */
import type { ReadOptions, TriggerEvent } from '../../../nodes/HealthDataService/trigger/events';
import { readRound } from '../../../nodes/HealthDataService/trigger/round';
import { startState } from '../../../nodes/HealthDataService/trigger/state';
import { useVirtualTime } from '../../helpers/virtualTime';

useVirtualTime();

const BUDGET_MS = 1000;

async function reachOf(deadline: number): Promise<ReadOptions> {
	let asked: ReadOptions | undefined;
	const event = {
		async *read(_: unknown, __: unknown, readOptions: ReadOptions) {
			asked = readOptions;
			yield* [];
		},
	} as unknown as TriggerEvent;
	const now = Date.now();
	const state = { ...startState('node', 'of', now, 1000), behind: { late: { from: now } } };
	const scope = { selection: { async *users() {}, whenMissing: async () => {} }, provider: '', concurrency: 1 };
	const options = { now, lookback: 1000, begins: false, isWanted: () => true, deadline, budgetMs: BUDGET_MS };
	await readRound((async () => ({})) as never, event, scope, state, options);
	return asked!;
}
const user = (user_id: string) => ({ user_id, client_user_id: null });

it('one who is behind has half of a poll, and one try', async () => {
	const { isTooSlow, hasFailed } = await reachOf(Infinity);
	expect([BUDGET_MS / 2, BUDGET_MS / 2 + 1].map((ms) => isTooSlow!(user('late'), ms))).toEqual([false, true]);
	expect(isTooSlow!(user('sound'), BUDGET_MS)).toBe(false);
	expect([hasFailed!(user('late')), hasFailed!(user('sound'))]).toEqual([true, false]);
});

it('after its end nobody is read on', async () => {
	const { isTooSlow, isTimeUp } = await reachOf(performance.now());
	expect([isTooSlow!(user('sound'), 0), isTimeUp!()]).toEqual([true, true]);
});
