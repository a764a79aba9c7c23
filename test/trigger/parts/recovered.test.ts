/**
 * Recovered users: their state is kept until all of their rows are emitted, however many they are.
 */
import type { IDataObject } from 'n8n-workflow';
import { MAX_ROWS_PER_POLL } from '../../../nodes/HealthDataService/trigger/detectChanges';
import { readingEvents } from '../../../nodes/HealthDataService/trigger/events';
import { RoundResults } from '../../../nodes/HealthDataService/trigger/roundResults';
import { startState, type TriggerState } from '../../../nodes/HealthDataService/trigger/state';

const HOUR = 3_600_000;
const NOW = 1000 * HOUR;
const [event] = readingEvents;

const readings = (user_id: string, count: number, hoursAgo: number): IDataObject[] =>
	Array.from({ length: count }, (_, index) => ({
		user_id,
		timestamp: new Date(NOW - hoursAgo * HOUR + index * 1000).toISOString(),
		systolic: 120,
	}));

/** After a first round of a trigger; one user failed 60 hours ago. */
const FAILED: TriggerState = {
	...startState('node', 'of', NOW - 90 * HOUR, 48 * HOUR),
	since: undefined,
	behind: { late: { from: NOW - 60 * HOUR } },
};

/** A complete round over these users, each with these rows. */
function roundAfter(before: TriggerState, users: Array<[string, IDataObject[]]>) {
	const options = {
		now: NOW,
		lookback: 48 * HOUR,
		isFirst: false,
		thresholds: [],
		windowStart: before.from,
		clock: { confirmedNow: () => NOW, earliestNow: () => NOW, latestNow: () => NOW },
	};
	const results = new RoundResults(event, { async *users() {}, whenMissing: async () => {} }, before, options);
	const listed = users.map(([user_id, rows], index) => ({
		user: { user_id, client_user_id: null },
		place: index + 1,
		rows,
	}));
	for (const one of listed) results.expect(one);
	for (const one of listed) results.take(one);
	return results.emitAndSave(true);
}

it('a user with more rows than a poll emits has recovered when the rest is emitted', () => {
	const rows = readings('late', MAX_ROWS_PER_POLL + 5, 50);
	const first = roundAfter(FAILED, [['late', rows]]);
	expect([first.items.length, first.recovered]).toEqual([MAX_ROWS_PER_POLL, 0]);
	expect(first.state.behind).toMatchObject(FAILED.behind);

	const second = roundAfter(first.state, [['late', rows]]);
	expect([second.items.length, second.recovered]).toEqual([5, 1]);
	expect(second.state.behind).toEqual({});
	expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(rows.length);
});

it('a user whose rows are all emitted has recovered, though rows of another are left', () => {
	const { recovered, state } = roundAfter(FAILED, [
		['late', readings('late', 3, 50)],
		['other', readings('other', MAX_ROWS_PER_POLL, 20)],
	]);
	expect([recovered, state.behind]).toEqual([1, {}]);
	expect(state.round).toMatchObject({ at: 1 });
});
