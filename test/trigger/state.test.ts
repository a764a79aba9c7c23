/**
 * What the trigger saves with the workflow: an update of the package must go on from it.
 */
import { readingEvents } from '../../nodes/HealthDataService/trigger/events';
import { findNew } from '../../nodes/HealthDataService/trigger/findNew';
import { startState } from '../../nodes/HealthDataService/trigger/state';
import { uuid } from '../../dev/sandbox/world';
import { History } from '../helpers/history';
import { bloodPressure } from '../helpers/people';
import { PollingHost } from '../helpers/pollingHost';
import { useSandbox } from '../helpers/requests';
import savedByVersion1 from './state-of-version-1.json';

const NOON = Date.UTC(2026, 5, 1, 12);
const HOUR = 3_600_000;

const history = new History();
const used = useSandbox(() => ({ world: history }));

beforeEach(() => {
	jest.spyOn(Date, 'now').mockReturnValue(NOON);
	used.sandbox.switches.now = () => NOON;
	history.entries = [];
	history.team.users = [];
});
afterEach(() => jest.restoreAllMocks());

/** n8n with a state that was saved before this start. */
function withState(state: { of: string }) {
	const n8n = new PollingHost(used.credential, { event: 'bloodPressure', userScope: 'all' });
	const of = state.of.replace('https://service.example', used.sandbox.baseUrl);
	n8n.saved = JSON.stringify({ 'node:Node': { state: { ...state, of } } });
	return n8n;
}

// Recorded with this release, from two readings of "anna": 10:00 with 120/80 and 11:00 with 130/80.
it('goes on from what version 1 saved, with the same ids', async () => {
	const anna = history.addUser('anna');
	history.add(anna, bloodPressure('2026-06-01T10:00:00Z', 120, 80));
	history.add(anna, bloodPressure('2026-06-01T11:00:00Z', 135, 80));
	history.add(anna, bloodPressure('2026-06-01T11:30:00Z', 140, 80));
	expect(await withState(savedByVersion1.state).start('init')).toMatchObject([
		{ id: savedByVersion1.ids[1], change: 'updated', systolic: 135 },
		{ change: 'created', systolic: 140 },
	]);
});

it('starts afresh from what a version to come saved', async () => {
	history.add(history.addUser('anna'), bloodPressure('2026-06-01T11:00:00Z', 130, 80));
	const n8n = withState({ ...savedByVersion1.state, seen: {}, version: 2 } as never);
	expect(await n8n.start('init')).toBeUndefined();
	expect(await n8n.tick()).toBeUndefined();
});

it('takes less than 5 MB for 100,000 readings in the window', async () => {
	const users = Array.from({ length: 10_000 }, (_, index) => uuid('many', index));
	async function* readings() {
		for (const user_id of users) {
			yield Array.from({ length: 10 }, (_, i) => ({
				user_id,
				timestamp: new Date(NOON - i * 4 * HOUR).toISOString(),
				systolic: 120 + i,
			}));
		}
	}
	const lookback = 48 * HOUR;
	const { state } = await findNew(readingEvents[0], readings(), startState('size', NOON, lookback), {
		now: NOON,
		lookback,
		isBaseline: true,
	});
	const { length } = JSON.stringify(state);
	expect(length).toBeGreaterThan(100_000 * 20);
	expect(length).toBeLessThan(5_000_000);
});
