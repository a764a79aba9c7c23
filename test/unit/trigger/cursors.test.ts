/** Cursors of the trigger: where the window of a user begins, by the cursors of all. */
import { userPrefix } from '../../../nodes/HealthDataService/service/readings/identity';
import { Cursors, keyOf, NOBODY } from '../../../nodes/HealthDataService/trigger/cursors';
import { startState, type Cursor } from '../../../nodes/HealthDataService/trigger/state';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 5, 1, 12);
const POLL = 9;
const ago = (hours: number) => NOW - hours * HOUR;
const user = (name: string) => ({ user: { user_id: name, client_user_id: null } });
const failed = { missed: 4 };

/** A lookback of 48 hours; hashes are retained for a day more, or since `kept`. */
function cursorsOf(saved: Record<string, Partial<Cursor>>, kept = ago(72)) {
	const cursors = Object.entries(saved).map(([name, cursor]) => ({
		...{ from: ago(48), tried: POLL, ...cursor },
		users: keyOf(user(name)),
	}));
	const before = { ...startState('node', 'all', NOW, 48 * HOUR, [], POLL), since: undefined, kept, cursors };
	return new Cursors(before, { now: NOW, clock: { earliest: () => NOW, corrected: (at) => at }, lookback: 48 * HOUR });
}
const after = (name: string, from: number, newest?: number) => {
	const cursors = cursorsOf({ [name]: { from } });
	cursors.move(user(name), POLL + 1, newest);
	return cursors.of(user(name));
};

it.each([
	['the lookback', {}, ago(24), ago(48)],
	['the last complete pass, after time without polls', {}, ago(100), ago(76)],
	['the earliest window of the others, after a wrong clock', { a: { from: ago(60) }, b: {} }, undefined, ago(60)],
	['not the window of a failed user', { a: { from: ago(60), ...failed } }, undefined, ago(48)],
])('who joins is read from %s', (_, saved, kept, from) => {
	expect(cursorsOf(saved, kept).of(user('new'))).toEqual({ from, tried: 0, since: from });
});

it.each([
	['where its cursor says', { from: ago(50) }, ago(50)],
	['from the first hash on, when it begins too late', { from: ago(10) }, ago(72)],
	['from the first hash on, at a first read', { from: ago(50), since: ago(50) }, ago(72)],
])('a window begins %s', (_, cursor, start) => {
	expect(cursorsOf({}).windowStart({ tried: 0, ...cursor })).toBe(start);
});

it.each([
	['stays without a reading', ago(50), undefined, ago(50)],
	['begins the lookback before the newest reading', ago(50), ago(1), ago(49)],
	['begins the lookback before now at the latest', ago(50), ago(-5), ago(48)],
	['moves back after a wrong clock, to the first hash', ago(10), ago(40), ago(72)],
	['that begins before the first hash, moves back no more', ago(80), ago(40), ago(80)],
])('after a read the window %s', (_, from, newest, moved) => {
	expect(after('a', from, newest)).toEqual({ from: moved, tried: POLL + 1 });
});

it('counts the users who cannot be read, and those of one poll', () => {
	const cursors = cursorsOf({ a: failed, b: { ...failed, tried: 3 }, c: {} });
	expect(cursors.unreadable()).toBe(2);
	expect(cursors.unreadable(3)).toBe(1);
});

it.each([
	['a day before the earliest window', { a: { from: ago(40) }, b: { from: ago(30) } }, ago(64)],
	['no longer than before', { a: { from: ago(50) } }, ago(72)],
	['without the windows of failed users', { a: { from: ago(40) }, b: { from: ago(47), ...failed } }, ago(64)],
	['as before while all have failed', { a: failed }, ago(72)],
])('hashes are retained from %s', (_, saved, kept) => {
	expect(cursorsOf(saved).kept()).toBe(kept);
});

it('names the windows from before the first hash, of entries with one user the earliest', () => {
	const owner = userPrefix('anna');
	const entries = ['late', 'early', 'more', 'edge'].map((id) => ({ id }));
	const cursors = entries.map((entry, at) => ({
		...{ from: ago([80, 90, 85, 72][at]), tried: POLL },
		users: `${keyOf({ ...user(''), entry: entry as never })}${at < 3 ? owner : userPrefix('ben')}`,
	}));
	const before = { ...startState('node', 'ids', NOW, 48 * HOUR, [], POLL), cursors };
	const options = { now: NOW, clock: { earliest: () => NOW, corrected: (at: number) => at }, lookback: 48 * HOUR };
	const all = new Cursors(before, { ...options, entries: entries as never });
	expect([...all.earlierThan(ago(72))]).toEqual([[owner, ago(90)]]);
	expect(all.of({ user: NOBODY, entry: entries[0] as never })).toMatchObject({ owner });
});

it('a list that is read again from its beginning must show its users once more', () => {
	const cursors = cursorsOf({ a: {}, b: {} });
	for (const name of ['a', 'b']) cursors.meet(user(name));
	cursors.forgetMet();
	cursors.meet(user('a'));
	cursors.removeUnmet();
	expect(cursors.toSave().map(({ users }) => users)).toEqual([keyOf(user('a'))]);
});
