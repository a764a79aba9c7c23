/**
 * Saved state of the trigger: an update of the package must continue from it.
 */
import { uuid } from '../../dev/sandbox/world';
import { readingEvents } from '../../nodes/HealthDataService/trigger/events';
import { detectChanges, SeenReadings } from '../../nodes/HealthDataService/trigger/detectChanges';
import { bloodPressure } from '../helpers/people';
import type { PollingHost } from '../helpers/pollingHost';
import { HOUR, NOON, onBothSchedulers, savedState, watch } from '../helpers/watch';
import savedByVersion1 from './state-of-version-1.json';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

	/** n8n with a state that was saved before this start. */
	function withState(state: { of: string; node: string }): PollingHost {
		const n8n = w.trigger(undefined, { nodeId: state.node, workflowId: `of version 1, ${scheduler}` });
		const of = state.of.replace('https://service.example', w.used.sandbox.baseUrl);
		n8n.saved = JSON.stringify({ 'node:Node': { state: { ...state, of } } });
		return n8n;
	}

	// Recorded with this release, from two readings of "anna": 10:00 with 120/80 and 11:00 with 130/80. "ben" could not be read.
	it('continues from the state of version 1, with the same ids', async () => {
		w.history.add(w.anna, bloodPressure('2026-06-01T10:00:00Z', 120, 80));
		w.history.add(w.anna, bloodPressure('2026-06-01T11:00:00Z', 135, 80));
		w.history.add(w.anna, bloodPressure('2026-06-01T11:30:00Z', 140, 80));
		w.history.add(w.ben, bloodPressure('2026-05-31T13:00:00Z', 150, 80));
		const n8n = withState(savedByVersion1.state);
		expect(await n8n.start('init')).toMatchObject([
			{ change: 'created', systolic: 150 },
			{ id: savedByVersion1.ids[1], change: 'updated', systolic: 135 },
			{ change: 'created', systolic: 140 },
		]);
		expect(await n8n.tick()).toBeUndefined();
		expect(Object.keys(savedState(n8n)).sort()).toEqual(Object.keys(savedByVersion1.state).sort());
	});

	it.each([
		['a version to come', { version: 2 }],
		['another node', { node: 'another' }],
		['other fields', { of: 'something else' }],
	])('starts over from the state of %s', async (_, other) => {
		w.history.add(w.anna, bloodPressure('2026-06-01T11:00:00Z', 130, 80));
		const nothing = { ...savedByVersion1.state, seen: {} };
		const n8n = withState(nothing);
		const { 'node:Node': stored } = JSON.parse(n8n.saved) as Record<string, { state: object }>;
		n8n.saved = JSON.stringify({ 'node:Node': { state: { ...stored.state, ...other } } });
		expect(await n8n.start('init')).toBeUndefined();
		expect(await n8n.tick()).toBeUndefined();
	});
});

it('takes less than 2.7 MB for 100,000 readings in the window', () => {
	const seen = new SeenReadings({});
	for (let user = 0; user < 10_000; user++) {
		const user_id = uuid('many', user);
		const rows = Array.from({ length: 10 }, (_, i) => ({
			user_id,
			timestamp: new Date(NOON - i * 4 * HOUR).toISOString(),
			systolic: 120 + i,
		}));
		for (const row of detectChanges(readingEvents[0], rows, seen, { start: 0 }).changes) seen.remember(row);
	}
	const { length } = JSON.stringify(seen.toSave(0, []));
	expect(length).toBeGreaterThan(100_000 * 20);
	expect(length).toBeLessThan(2_700_000);
});
