/** Cursors: how each result of a read moves the cursor of its user, and which cursors are kept. Times in hours, beside NOW. */
import type { Clock } from '../../../nodes/HealthDataService/trigger/clock';
import { Cursors, hasFailed, labelOf, type Listed, type Miss } from '../../../nodes/HealthDataService/trigger/cursors';
import type { Settings } from '../../../nodes/HealthDataService/trigger/settings';
import { startState, type Cursor, type TriggerState } from '../../../nodes/HealthDataService/trigger/state';

const HOUR = 3_600_000;
const DAY = 24;
const LOOKBACK = 48;
const POLL = 8;
const NOW = Date.UTC(2026, 5, 1, 12);
const at = (hours: number) => NOW + hours * HOUR;
const hours = (time?: number) => (time === undefined ? undefined : (time - NOW) / HOUR);

const userOf = (user_id: string): Listed => ({ user: { user_id, client_user_id: null } });
/** An entry, resolved if `user_id` is given. */
const entryOf = (id: string, user_id = ''): Listed => ({ ...userOf(user_id), entry: { id, at: 1 } });
const [ANNA, BEN] = ['anna', 'ben'].map(userOf);

interface Given {
	/** Of the selection: undefined for the whole team. */
	entries?: string[];
	isConnectedOnly?: boolean;
	/** The service's clock, and n8n's. */
	time?: number;
	now?: number;
	/** When watching began. */
	since?: number;
	isOfUsers?: boolean;
}

function cursorsOf({ entries, isConnectedOnly, time = 0, now = 0, since = -100, isOfUsers }: Given, state = {}) {
	const before: TriggerState = { ...startState('node', 'of', at(since), POLL - 1), pass: 5, ...state };
	const selection = { entries: entries?.map((id) => ({ id, at: 1 })), isConnectedOnly };
	const event = isOfUsers ? {} : { metric: {} };
	const settings = { target: { selection }, lookback: LOOKBACK * HOUR, event } as unknown as Settings;
	const clock: Partial<Clock> = {
		...{ now: at(now), time: at(time), latestNow: at(9) },
		...{ earliest: at(Math.min(now, time)), latest: at(Math.max(now, time)) },
	};
	return new Cursors(before, settings, clock as Clock);
}
/** The state that the next poll gets. */
const savedOf = (cursors: Cursors) => ({ cursors: cursors.toSave(), names: cursors.namesToSave() });

/** A poll later: of these users, with these cursors. */
function after(known: Array<[Listed, Partial<Cursor>]>, given: Given = {}, state = {}) {
	const first = cursorsOf(given);
	const groups = known.map(([listed, cursor]) => {
		const full = { from: at(-60), tried: 3, read: at(-10), ...cursor };
		return { ...full, users: first.keyOf(listed) };
	});
	return cursorsOf(given, { cursors: groups, ...state });
}
const shown = ({ from, read, since, gone, ...cursor }: Cursor) => ({
	...{ ...cursor, from: hours(from), read: hours(read), since: hours(since), gone: hours(gone) },
});

describe('a read without success leaves the window, and the next turn is', () => {
	it.each<[Miss, Cursor['ended'], Pick<Cursor, 'tried' | 'ended'>, string]>([
		['failed', undefined, { tried: POLL, ended: 'failed' }, 'after all others'],
		['cut', undefined, { tried: 3, ended: 'cut' }, 'the first of the next poll'],
		['limited', undefined, { tried: 3, ended: 'cut' }, 'the first of the next poll'],
		['failed', 'cut', { tried: POLL, ended: 'failed' }, 'after all others'],
		['cut', 'cut', { tried: POLL, ended: 'failed' }, 'after all others: it uses up polls'],
		['limited', 'cut', { tried: POLL, ended: 'cut' }, 'in the next pass'],
		['failed', 'failed', { tried: POLL, ended: 'failed' }, 'after all others'],
		['cut', 'failed', { tried: POLL, ended: 'failed' }, 'after all others'],
		['limited', 'failed', { tried: 3, ended: 'cut' }, 'the first of the next poll'],
	])('%s, before %s: %p, %s', (miss, ended, expected) => {
		const cursors = after([[ANNA, { ended }]]);
		cursors.miss(ANNA, miss);
		expect(shown(cursors.of(ANNA))).toEqual({ ...shown({ ...expected, from: at(-60), read: at(-10) }), ...expected });
		expect(hasFailed(cursors.of(ANNA))).toBe(expected.ended === 'failed');
	});
});

describe('after a read, the window begins', () => {
	it.each([
		['the lookback before the newest reading', -60, -5, {}, -5 - LOOKBACK],
		['where it began, if the newest is older', -60, -20, {}, -60],
		['where it began, if there is no reading', -60, -Infinity, {}, -60],
		['the lookback ago, if a wrong clock had moved it later', 10, -Infinity, {}, -LOOKBACK],
		['the lookback before the time of the service, not of n8n', 10, -Infinity, { time: -30, now: 5 }, -30 - LOOKBACK],
	])('%s', (_, from, newest, given, expected) => {
		const cursors = after([[ANNA, { from: at(from), since: at(-3), ended: 'failed' }]], given);
		cursors.move(ANNA, cursors.of(ANNA), at(newest));
		expect(shown(cursors.of(ANNA))).toEqual({
			...{ from: expected, tried: POLL, read: (given as Given).now ?? 0 },
			...{ since: undefined, gone: undefined },
		});
	});
});

describe('a user without a cursor is watched', () => {
	it.each<[string, Given, object, number, number | undefined]>([
		['since the last complete pass, however old the reading', {}, {}, -100, undefined],
		['in the first pass since the publication', {}, { pass: 0 }, -100, -100],
		['only from a connection on, where only connected users are read', { isConnectedOnly: true }, {}, -100, -100],
		['not since a time that is still to come: the clock was wrong', { since: 50, time: -2 }, { pass: 0 }, -2, -2],
	])('%s', (_, given, state, begun, since) => {
		const { from, tried, since: watched } = cursorsOf(given, state).of(ANNA);
		expect([hours(from), tried, hours(watched)]).toEqual([begun - LOOKBACK, -1, since]);
	});

	it.each([
		['from now on, by the earlier clock, if the entry was added', [{ from: 0, tried: 1, users: 'x'.repeat(12) }], -7],
		['since the publication, if nothing was read yet', [], -100],
	])('%s', (_, cursors, since) => {
		const cursor = cursorsOf({ entries: ['1'], time: -7 }, { cursors, pass: 0 }).of(entryOf('1'));
		expect([hours(cursor.from), hours(cursor.since)]).toEqual([since - LOOKBACK, since]);
	});
});

describe('the window that is read', () => {
	it.each<[string, Partial<Cursor>, Given, object]>([
		['once read: hashes from a day before it may be gone', {}, {}, { start: -60, watchingSince: -60 - DAY }],
		[
			'with a clock that is behind: a day earlier than the lookback',
			{ from: at(-20) },
			{},
			{ start: -LOOKBACK - DAY, watchingSince: -20 - DAY },
		],
		['of the very lookback', { from: at(-LOOKBACK) }, {}, { start: -LOOKBACK, watchingSince: -LOOKBACK - DAY }],
		['of one who joined: all of it is new', { read: undefined }, {}, { start: -60 - DAY, watchingSince: -60 }],
		[
			'at a first read: old up to the publication',
			{ read: undefined, since: at(-12) },
			{},
			{ start: -60 - DAY, watchingSince: -12, readAt: 9 },
		],
		[
			'at a first read, if the service says that the publication is still to come',
			{ read: undefined, since: at(-12) },
			{ time: -15 },
			{ end: -15, start: -63 - DAY, watchingSince: -15, readAt: 9 },
		],
		[
			'in the poll of the publication: old up to the later clock',
			{ read: undefined, since: at(0) },
			{ since: 0, time: 2 },
			{ end: 2, start: -60 - DAY, watchingSince: 2, readAt: 0 },
		],
	])('%s', (_, cursor, given, expected) => {
		jest.spyOn(Date, 'now').mockReturnValue(NOW);
		const { start, end, watchingSince, readAt } = after([[ANNA, {}]], given).windowOf({
			...{ from: at(-60), tried: 3, read: at(-10), ...cursor },
		});
		const window = { start: hours(start), end: hours(end), watchingSince: hours(watchingSince), readAt: hours(readAt) };
		expect(window).toEqual({ end: 0, readAt: undefined, ...expected });
		jest.restoreAllMocks();
	});

	it('of users has no beginning: who joins is new, however long ago created', () => {
		expect(cursorsOf({ isOfUsers: true }).windowStart({ from: at(-60), tried: 1 })).toBe(-Infinity);
	});
});

describe('at the end of a poll', () => {
	const settled = (met: Listed[], isListRead: boolean, gone?: number) => {
		const cursors = after([
			[ANNA, { gone: gone && at(gone) }],
			[BEN, {}],
		]);
		for (const listed of met) cursors.meet(listed);
		cursors.settle(isListRead);
		return cursors;
	};
	const goneOf = (cursors: Cursors) => (cursors.has(ANNA) ? (hours(cursors.of(ANNA).gone) ?? 'present') : 'deleted');

	it.each<[string, Listed[], boolean, number | undefined, unknown]>([
		['a user of the list is present', [ANNA, BEN], true, undefined, 'present'],
		['one who is back is present', [ANNA, BEN], true, -5, 'present'],
		['one whom the list does not show is gone since now', [BEN], true, undefined, 0],
		['stays so', [BEN], true, -5, -5],
		['for the lookback', [BEN], true, -LOOKBACK, -LOOKBACK],
		['and not longer', [BEN], true, -LOOKBACK - 1, 'deleted'],
		['of a list that was not read to its end, nobody is gone', [BEN], false, undefined, 'present'],
	])('%s', (_, met, isListRead, gone, expected) => {
		expect(goneOf(settled(met, isListRead, gone))).toBe(expected);
	});

	it('who was met has a cursor, and users who are gone are not present', () => {
		const cursors = settled([userOf('new')], true);
		expect(cursors.has(userOf('new'))).toBe(true);
		expect(cursors.present.map(([key]) => key)).toEqual([cursors.keyOf(userOf('new'))]);
	});

	it('an entry that was removed has no cursor any more, whatever was read', () => {
		const cursors = after(
			[
				[entryOf('1'), {}],
				[entryOf('2'), {}],
			],
			{ entries: ['1'] },
		);
		cursors.settle(false);
		expect([cursors.has(entryOf('1')), cursors.has(entryOf('2'))]).toEqual([true, false]);
	});
});

describe('an entry of User IDs', () => {
	const given = { entries: ['1'] };
	/** After a poll in which the entry was read as anna. */
	function named() {
		const cursors = after([[entryOf('1'), {}]], given);
		cursors.move(entryOf('1', 'anna'), cursors.of(entryOf('1')), at(-5));
		cursors.settle(true);
		return savedOf(cursors);
	}

	it('names a user after the first read, who has its cursor then', () => {
		const cursors = cursorsOf(given, named());
		expect([cursors.keyOf(entryOf('1')), cursors.has(ANNA)]).toEqual([cursors.keyOf(ANNA), true]);
		expect(cursors.present).toHaveLength(1);
	});

	it('and nothing else is saved', () => {
		const { cursors, names } = named();
		expect(cursors).toHaveLength(1);
		expect(Object.values(names!)).toEqual([cursors[0].users]);
	});

	it('that is the ID of its user needs no name', () => {
		const cursors = cursorsOf({ entries: ['anna'] });
		cursors.move(entryOf('anna', 'anna'), cursors.of(entryOf('anna')), at(-5));
		expect(cursors.namesToSave()).toBeUndefined();
	});

	it('another spelling of the user goes on where the first one is', () => {
		const cursors = cursorsOf({ entries: ['1', '2'] }, named());
		expect(hours(cursors.ofRead(entryOf('2', 'anna')).from)).toBe(-5 - LOOKBACK);
	});

	it('a wrong answer of Resolve without a read moves nothing; its user is watched from then on', () => {
		const cursors = cursorsOf(given, named());
		cursors.miss(entryOf('1', 'ben'), 'failed');
		cursors.settle(true);
		expect(cursors.keyOf(entryOf('1'))).toBe(cursors.keyOf(ANNA));
		expect(shown(cursors.of(BEN))).toMatchObject({ tried: -1, gone: 0, since: 0 });
		expect(cursors.of(ANNA).ended).toBe('failed');
	});

	it.each([
		['its own user, as usual', 'anna', 'failed' as const],
		['nobody', '', 'failed' as const],
	])('a read without success of %s watches nobody else', (_, user_id, miss) => {
		const cursors = cursorsOf(given, named());
		cursors.miss(entryOf('1', user_id), miss);
		expect(savedOf(cursors).cursors).toHaveLength(1);
		expect(cursors.of(ANNA).gone).toBeUndefined();
	});

	it('whom it names after another read is watched from then on, and the one before is kept for a while', () => {
		const cursors = cursorsOf(given, named());
		const before = cursors.ofRead(entryOf('1', 'ben'));
		expect(shown(before)).toMatchObject({ from: -LOOKBACK, since: 0, read: undefined });
		cursors.move(entryOf('1', 'ben'), before, at(-1));
		cursors.settle(true);
		expect(cursors.keyOf(entryOf('1'))).toBe(cursors.keyOf(BEN));
		expect(shown(cursors.of(ANNA))).toMatchObject({ gone: 0, read: 0 });
	});

	it.each<[string, string | undefined, Miss | undefined, boolean]>([
		['is forgotten when a read of the entry names another for longer than the lookback', 'ben', undefined, false],
		['is kept where the entry could not be read: n8n may have been down meanwhile', undefined, 'failed', true],
		['is kept where the entry was not reached', undefined, undefined, true],
	])('whom it does not name any more %s', (_, read, miss, isKept) => {
		const two = { entries: ['1', '2'] };
		const first = cursorsOf(two, named());
		for (const entry of [entryOf('1', 'ben'), entryOf('2', 'cora')]) first.move(entry, first.ofRead(entry), at(-1));
		first.settle(true);
		const later = 20 * DAY;
		const state = { ...savedOf(first), poll: POLL };
		const next = cursorsOf({ ...two, time: later, now: later }, state);
		next.move(entryOf('2', 'cora'), next.of(entryOf('2')), at(later));
		if (read) next.move(entryOf('1', read), next.of(entryOf('1')), at(later));
		if (miss) next.miss(entryOf('1'), miss);
		next.settle(true);
		expect(next.has(ANNA)).toBe(isKept);
	});

	it.each([
		['its own, if it was read', { read: at(-10), from: at(-10) }, -10],
		['that of the entry, if it began earlier', { read: undefined, from: at(-10) }, -60],
		['its own, if it began earlier', { read: undefined, from: at(-70) }, -70],
	])('a first read has the cursor of its user: %s', (_, own, from) => {
		const cursors = after(
			[
				[entryOf('1'), { read: undefined }],
				[ANNA, own],
			],
			given,
		);
		expect(hours(cursors.ofRead(entryOf('1', 'anna')).from)).toBe(from);
	});
});

describe('whoever joins is watched', () => {
	it.each<[string, boolean, boolean, Given, object, number]>([
		['since before, until a pass is complete', false, false, {}, {}, -100],
		['since this poll began, by the earlier clock', true, false, { time: -3 }, {}, -3],
		['never earlier than before', true, false, { since: -1, time: -3 }, {}, -3],
		['a lookback earlier, if only connected users are read', true, false, { isConnectedOnly: true }, {}, -LOOKBACK],
		['a lookback earlier, if the team has nobody yet', false, true, {}, { cursors: [] }, -LOOKBACK],
		['since before, if the list is empty but was not', false, true, {}, {}, -100],
	])('%s', (_, isComplete, isEmpty, given, state, expected) => {
		expect(hours(after([[ANNA, {}]], given, state).sinceNext(isComplete, isEmpty))).toBe(expected);
	});
});

describe('hashes are needed', () => {
	/** How the keys of readings begin. */
	const prefixOf = (key: string) => Buffer.from(key, 'base64url').toString('hex').slice(0, 6);
	it.each<[string, Listed, number]>([
		['from a day before the window', ANNA, -60 - DAY],
		['of users without a cursor from a day before the lookback', BEN, -100 - LOOKBACK - DAY],
	])('%s', (_, listed, expected) => {
		const cursors = after([[ANNA, {}]]);
		expect(hours(cursors.neededFrom(prefixOf(cursors.keyOf(listed))))).toBe(expected);
	});

	it('by the earlier window of two users whose keys begin alike', () => {
		const ids = ['776bf8ed-7fa6-459f-8476-33ceb7761cf7', '83955a7b-7019-4a3b-8dd2-39a3cf322d0e'];
		const [one, other] = ids.map(userOf);
		const cursors = after([
			[one, {}],
			[other, { from: at(-20) }],
		]);
		expect(hours(cursors.neededFrom(prefixOf(cursors.keyOf(other))))).toBe(-60 - DAY);
	});
});

describe('a pass', () => {
	it.each([
		[4, false],
		[5, true],
		[6, true],
	])('that poll 5 began has read a user who was tried in poll %i: %p', (tried, expected) => {
		expect(cursorsOf({}).isDone({ from: 0, tried })).toBe(expected);
	});

	it('that begins has read nobody', () => {
		const cursors = after([[ANNA, { tried: POLL - 1 }]]);
		cursors.beginPass();
		expect(cursors.isDone(cursors.of(ANNA))).toBe(false);
	});

	it.each([
		['cut' as const, 'cut'],
		['failed' as const, 'cut'],
		[undefined, undefined],
	])('that starts again has users who were %s before others aside: %p', (ended, expected) => {
		const cursors = after([
			[ANNA, { ended }],
			[BEN, { ended }],
		]);
		cursors.meet(ANNA);
		cursors.restart();
		expect([cursors.of(ANNA), cursors.of(BEN)]).toMatchObject([
			{ tried: -1, ended: expected },
			{ tried: 3, ended },
		]);
	});
});

it('who was not read for a while: how many, since when', () => {
	const cursors = after([
		[ANNA, { read: at(-3) }],
		[BEN, { read: undefined, from: at(-4 - LOOKBACK) }],
		[userOf('gone'), { read: at(-9), gone: at(-1) }],
	]);
	const overdue = (than: number) => cursors.overdue((time) => time <= at(than));
	expect(overdue(-3)).toEqual({ users: 2, since: at(-4) });
	expect(overdue(-4)).toEqual({ users: 1, since: at(-4) });
	expect(overdue(-5)).toBeUndefined();
});

it('equal cursors are saved together, without an ID, and come back', () => {
	const cursors = after([
		[ANNA, {}],
		[BEN, {}],
		[userOf('cora'), { tried: 4 }],
	]);
	const saved = savedOf(cursors);
	expect(saved.cursors.map(({ users }) => users.length)).toEqual([24, 12]);
	expect(JSON.stringify(saved)).not.toMatch(/anna|ben|cora/);
	expect(saved.names).toBeUndefined();
	const next = cursorsOf({}, saved);
	expect([ANNA, BEN, userOf('cora')].map((one) => next.of(one).tried)).toEqual([3, 3, 4]);
	expect(next.has(userOf('dora'))).toBe(false);
});

it('IDs that agree in 48 bits of their hash have cursors of their own', () => {
	const [one, other] = ['u20171639', 'u32115492'].map((id) => cursorsOf({}).keyOf(userOf(id)));
	expect(one).not.toBe(other);
});

it.each<[Listed, string]>([
	[userOf('3f1c0a52-8d0e-4b57-9f43-5a2c8a6f1e90'), '3f1c0a52-8d0e-4b57-9f43-5a2c8a6f1e90'],
	[
		{ ...userOf('3f1c0a52-8d0e-4b57-9f43-5a2c8a6f1e90'), entry: { id: 'secret', at: 7 } },
		'3f1c0a52-8d0e-4b57-9f43-5a2c8a6f1e90',
	],
	[{ ...userOf(''), entry: { id: 'secret', at: 7 } }, "entry 7 of 'User IDs'"],
	[{ ...userOf(''), entry: { id: 'secret', at: 0 } }, "the 'User'"],
])('in words a user is never the text of an entry: %#', (listed, expected) => {
	expect(labelOf(listed)).toBe(expected);
});
