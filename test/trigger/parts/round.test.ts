/**
 * Read options of a round: time and attempts of failed users and of all other users.
 */
import type { HasFailed } from '../../../nodes/HealthDataService/service/userSelection';
import type { ReadOptions, TriggerEvent, WatchTarget } from '../../../nodes/HealthDataService/trigger/events';
import { readRound } from '../../../nodes/HealthDataService/trigger/round';
import { startState } from '../../../nodes/HealthDataService/trigger/state';
import { unresolvedKey } from '../../../nodes/HealthDataService/trigger/watchList';
import { useVirtualTime } from '../../helpers/virtualTime';

useVirtualTime();

const BUDGET_MS = 1000;

const entry = (id: string) => ({ id, at: 1 });

/** What a round asks of the event and of the list, where one user and one entry have failed. */
async function optionsOf(deadline: number): Promise<ReadOptions & { failedEntries: string[] }> {
	let options: ReadOptions | undefined;
	let failedEntries: string[] = [];
	const event = {
		async *read(_: unknown, { selection }: WatchTarget, given: ReadOptions) {
			options = given;
			for await (const one of selection.users(undefined as never)) yield { ...one, rows: [] };
		},
	} as unknown as TriggerEvent;
	const selection = {
		async *users(_: unknown, __?: number, given?: HasFailed) {
			failedEntries = ['lost', 'sound'].filter((id) => given!(entry(id)));
			yield* [];
		},
		entries: [],
		whenMissing: async () => {},
	};
	const now = Date.now();
	const behind = { late: { from: now }, [unresolvedKey(entry('lost'))]: { from: now } };
	const state = { ...startState('node', 'of', now, 1000), behind };
	const target = { selection, provider: '', concurrency: 1 };
	const round = { now, lookback: 1000, isFirst: false, thresholds: [], deadline, budgetMs: BUDGET_MS };
	await readRound((async () => ({})) as never, event, target as never, state, round);
	return { ...options!, failedEntries };
}
const user = (user_id: string) => ({ user_id, client_user_id: null });

it('a failed user has half of a poll, and one attempt', async () => {
	const { isTooSlow, hasFailed, failedEntries } = await optionsOf(Infinity);
	expect([BUDGET_MS / 2, BUDGET_MS / 2 + 1].map((ms) => isTooSlow!(user('late'), ms))).toEqual([false, true]);
	expect(isTooSlow!(user('sound'), BUDGET_MS)).toBe(false);
	expect([hasFailed!(user('late')), hasFailed!(user('sound'))]).toEqual([true, false]);
	expect(failedEntries).toEqual(['lost']);
});

it('after the deadline no user is read on', async () => {
	const { isTooSlow, isTimeUp } = await optionsOf(performance.now());
	expect([isTooSlow!(user('sound'), 0), isTimeUp!()]).toEqual([true, true]);
});
