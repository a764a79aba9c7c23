/**
 * Windows of the users in a poll: how far a read goes back, and which readings are old.
 */
import { userPrefix } from '../../../nodes/HealthDataService/service/readingId';
import { SeenReadings, UserWindows, type WindowOptions } from '../../../nodes/HealthDataService/trigger/detectChanges';
import { WatchList, fingerprintOf } from '../../../nodes/HealthDataService/trigger/watchList';

const HOUR = 3_600_000;
const NOW = 1000 * HOUR;
const KEPT = NOW - 72 * HOUR;
const START = NOW - 48 * HOUR;
const entry = { id: 'a', at: 1 };
const user = { user_id: 'u', client_user_id: null };

/** Windows where the users of `known` have readings with hashes, and `listed` are the entries of before. */
function windowsOf({
	known = [] as string[],
	listed = undefined as Record<string, string> | undefined,
	since = undefined as number | undefined,
	published = undefined as number | undefined,
	...more
}: Partial<WindowOptions> & {
	known?: string[];
	listed?: Record<string, string>;
	since?: number;
	published?: number;
} = {}) {
	const seen = new SeenReadings({ 1: known.map((id) => userPrefix(id).padEnd(26, '0')).join('') });
	const clock = { confirmedNow: () => NOW, earliestNow: () => NOW, latestNow: () => NOW + 2 };
	const options = { now: NOW, lookback: 48 * HOUR, isFirst: false, windowStart: START, clock, ...more };
	return new UserWindows(seen, new WatchList(listed && [entry], listed), { kept: KEPT, since, published }, options);
}
const ahead = (hours: number) => ({
	confirmedNow: () => NOW,
	earliestNow: () => NOW - hours * HOUR,
	latestNow: () => NOW + 2,
});

it('of a known user is that of all', () => {
	const windows = windowsOf({ known: ['u', 'v'] });
	expect(windows.startOf('u')).toBe(START);
	expect(windows.of({ user })).toEqual({ start: START });
	expect(windows.afterFailure({ user })).toEqual({ from: KEPT });
});

it('of a user without readings so far is read from where hashes are retained; what has passed the lookback is old', () => {
	const windows = windowsOf({ known: ['v'] });
	expect(windows.startOf('u')).toBe(KEPT);
	expect(windows.of({ user })).toEqual({ start: START, lateUntil: START });
	expect(windows.afterFailure({ user })).toEqual({ from: KEPT, late: START });
});

it.each([
	['the window starts before the lookback', { windowStart: START - HOUR }, START - HOUR],
	['n8n’s clock may have been ahead', { clock: ahead(1) }, START - HOUR],
])('what has not surely passed the lookback is left for later: %s', (_, options, lateUntil) => {
	expect(windowsOf(options).of({ user }).lateUntil).toBe(lateUntil);
});

it('a failed user keeps nothing that the own window says anyway', () => {
	expect(windowsOf({ clock: ahead(24) }).afterFailure({ user })).toEqual({ from: KEPT });
	expect(windowsOf().of({ user }, { from: 3, since: 4, late: 5 })).toEqual({
		start: 3,
		watchingSince: 4,
		readAt: NOW + 2,
		lateUntil: 5,
	});
});

it('of a user whose entry is new begins now, whatever the clocks say, also if the user was listed before', () => {
	jest.spyOn(Date, 'now').mockReturnValue(NOW + 1);
	const windows = windowsOf({ known: ['u'], listed: {}, clock: ahead(24) });
	windows.expect({ user, entry });
	expect(windows.startOf('u')).toBe(KEPT);
	expect(windows.of({ user, entry })).toEqual({
		start: START,
		watchingSince: NOW,
		readAt: NOW + 1,
		lateUntil: START,
	});
	expect(windows.afterFailure({ user, entry })).toEqual({ from: KEPT, since: NOW, late: START });
	const listed = { [fingerprintOf({ entry })]: userPrefix('u') };
	const before = windowsOf({ known: ['u'], listed });
	before.expect({ user, entry });
	expect([before.startOf('u'), before.of({ user, entry })]).toEqual([START, { start: START }]);
});

it.each<[string, { since?: number; published?: number }, number | undefined, number | undefined]>([
	['after publication: readings of before it are old', { published: 7 }, 8, 7],
	['at publication: they count', { published: 7 }, 7, undefined],
	['at an unknown time: they count', { published: 7 }, undefined, undefined],
	['when the window no longer reaches back to it: all count', {}, 8, undefined],
	['in the first round: readings of before publication are old', { since: 6 }, undefined, 6],
])('of a user who connected the provider %s', (_, state, connectedOn, watchingSince) => {
	const windows = windowsOf({ known: ['u'], ...state });
	expect(windows.of({ user, connectedOn }).watchingSince).toBe(watchingSince);
	expect(windows.of({ user, connectedOn }).readAt).toBe(state.since && NOW + 2);
	expect(windows.afterFailure({ user, connectedOn }).since).toBe(watchingSince);
});

it('of an entry without a user has no readings that came too late', () => {
	const windows = windowsOf({ listed: {} });
	const unresolved = { user: { user_id: '', client_user_id: 'a' }, entry };
	windows.expect(unresolved);
	expect(windows.afterFailure(unresolved)).toEqual({ from: KEPT, since: NOW });
});

it('of a page of the user list is that of all', () => {
	expect(windowsOf().of({})).toEqual({ start: START });
});

it('until a first round is complete, readings of before are old; in the first poll, those dated ahead too', () => {
	jest.spyOn(Date, 'now').mockReturnValue(NOW + 1);
	expect(windowsOf({ since: 5 }).of({}).watchingSince).toBe(5);
	expect(windowsOf({ since: 5 }).afterFailure({}).since).toBe(5);
	expect(windowsOf({ since: 5, isFirst: true }).of({}).readAt).toBe(NOW + 1);
	// Later n8n's clock may be behind.
	expect(windowsOf({ since: 5 }).of({}).readAt).toBe(NOW + 2);
	expect(windowsOf({ since: 5 }).of({ user }, { from: 3 }).readAt).toBeUndefined();
});
