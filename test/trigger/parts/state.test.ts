/**
 * Saved state: to which trigger it belongs, and how the time window moves.
 */
import {
	confirmTime,
	isStateOf,
	moveWindow,
	pollClock,
	startState,
	windowStart,
	withThresholds,
	type TriggerState,
} from '../../../nodes/HealthDataService/trigger/state';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 1000 * DAY;

it('begins with nothing seen, a window of the lookback, and a day more that is remembered', () => {
	expect(startState('node', 'of', NOW, 2 * HOUR)).toEqual({
		version: 1,
		node: 'node',
		of: 'of',
		turn: expect.any(Number),
		from: NOW - 2 * HOUR,
		kept: NOW - 2 * HOUR - DAY,
		since: NOW,
		seen: {},
		behind: {},
	});
});

it('counts from anywhere: no turn of one state is taken for that of another', () => {
	const turns = Array.from({ length: 20 }, () => startState('', '', 0, 0).turn);
	expect(new Set(turns).size).toBe(20);
	expect(turns.every((turn) => Number.isSafeInteger(turn) && turn >= 0)).toBe(true);
});

it.each<[string, object | undefined, boolean]>([
	['the same', {}, true],
	['of another node', { node: 'other' }, false],
	['of other fields', { of: 'other' }, false],
	['of another version', { version: 2 }, false],
	['of none', { version: undefined }, false],
])('the state is %s', (_, more, is) => {
	expect(isStateOf({ ...startState('node', 'of', NOW, HOUR), ...more }, 'node', 'of')).toBe(is);
});

it.each([undefined, null, 7, 'x'])('%p is no state', (stored) => {
	expect(isStateOf(stored, 'node', 'of')).toBe(false);
});

describe('thresholds', () => {
	const minimum = (least: number) => [{ column: 'systolic', least }];
	const state = startState('node', 'of', NOW, HOUR, minimum(140));

	it('are saved, and none of before a change without one', () => {
		expect(withThresholds(state, minimum(140), NOW + 1)).toEqual(state);
		expect(state.minimums).toEqual(minimum(140));
		expect(startState('node', 'of', NOW, HOUR)).not.toHaveProperty('minimums');
	});

	it('of before each change are saved with its time', () => {
		const lowered = withThresholds(state, minimum(100), NOW + 1);
		const removed = withThresholds(lowered, [], NOW + 2);
		const past = [
			{ until: NOW + 1, minimums: minimum(140) },
			{ until: NOW + 2, minimums: minimum(100) },
		];
		expect(removed).toEqual({ ...startState('node', 'of', NOW, HOUR), turn: state.turn, past });
		expect(withThresholds(removed, minimum(90), NOW + 3).past).toEqual([...past, { until: NOW + 3, minimums: [] }]);
	});

	it('from before a change, made with a clock ahead, do not filter what is measured now', () => {
		const ahead = withThresholds(state, minimum(100), NOW + DAY);
		expect(withThresholds(ahead, minimum(100), NOW).past).toEqual([{ until: NOW, minimums: minimum(140) }]);
	});
});

describe('the window after a whole round', () => {
	const LOOKBACK = 2 * HOUR;
	const before = { from: NOW - LOOKBACK, kept: NOW - LOOKBACK - DAY } as never;
	const after = (now: number, newest?: number, window = before) => moveWindow(window, { now, newest }, LOOKBACK);

	it('begins the lookback before the newest reading, and a day before that all is remembered', () => {
		expect(after(NOW + 5 * HOUR, NOW + 3 * HOUR)).toEqual({ from: NOW + HOUR, kept: NOW + HOUR - DAY });
	});

	it('stays where there was no reading', () => {
		expect(after(NOW + 100 * DAY)).toEqual(before);
	});

	it('does not follow a reading of the future', () => {
		expect(after(NOW, NOW + 99 * DAY).from).toBe(NOW - LOOKBACK);
	});

	it('goes back after a clock that was ahead, as far as all is remembered, and no further', () => {
		expect(after(NOW - 3 * HOUR)).toEqual({ from: NOW - 5 * HOUR, kept: NOW - LOOKBACK - DAY });
		const { kept } = before as { kept: number };
		expect(after(NOW - 99 * DAY)).toEqual({ from: kept, kept });
		expect(after(NOW, NOW - 99 * DAY)).toEqual({ from: kept, kept });
	});
});

describe('the confirmed time', () => {
	const known = NOW - HOUR;
	/** Polls five minutes apart, with the errors of n8n's clock and of the service's; without one it sends none. */
	function timeAfter(polls: Array<{ error?: number; service?: number; gap?: number; isNewProcess?: true }>) {
		let last: ReturnType<typeof confirmTime> | undefined;
		let passed = 0;
		for (const { error = 0, service, gap = 5 * 60_000, isNewProcess } of polls) {
			passed += gap;
			const right = NOW + passed;
			last = confirmTime(isNewProcess ? undefined : last, {
				now: right + error,
				monotonic: isNewProcess ? 0 : passed,
				known,
				...(service !== undefined && { service: right + service }),
			});
		}
		return last!.time - NOW - passed;
	}

	it.each<[string, Parameters<typeof timeAfter>[0], number]>([
		['is that of n8n, where the service confirms it', [{ service: 0 }], 0],
		['is that of the service, where n8n is ahead', [{ error: 9 * DAY, service: 0 }], 0],
		['is that of n8n, where it is behind', [{ error: -9 * DAY, service: 0 }], -9 * DAY],
		['is that of the saved state in the first poll of a process without the time of the service', [{ gap: 0 }], -HOUR],
		[
			'is that of the saved state in the first poll of the next process',
			[{ service: 0 }, { gap: 0, isNewProcess: true }],
			-HOUR - 5 * 60_000,
		],
		['moves as time passes', [{ service: 0 }, {}, { gap: 7 * HOUR }], 0],
		['does not move with a clock that jumps ahead', [{ service: 0 }, { error: 3 * DAY }], 0],
		[
			'is right again after a clock that jumped, ahead or back',
			[{ service: 0 }, { error: 3 * DAY }, { error: -3 * DAY }, {}],
			0,
		],
		['is not that of a service which is ahead of n8n', [{ service: 0 }, { error: 3 * DAY, service: 9 * DAY }], 0],
		['is that of n8n, where a service less than an hour ahead confirms it', [{ gap: 0 }, { service: HOUR - 1 }], 0],
		['is not that of n8n, where the service is an hour ahead', [{ gap: 0 }, { gap: 0, service: HOUR }], -HOUR],
		['is right after a clock that was set back after a day', [{ gap: 0 }, { gap: DAY }, { error: -5 * HOUR }, {}], 0],
		[
			'follows clocks that were less than an hour off for one poll',
			[{ gap: 0 }, { gap: HOUR, error: HOUR - 1 }, { gap: DAY - HOUR }],
			0,
		],
		[
			'does not follow clocks that were set by an hour within the day',
			[{ gap: 0 }, { gap: HOUR, error: HOUR }, { gap: DAY - HOUR, error: HOUR }],
			-HOUR,
		],
		['follows clocks that ran steadily for a day', [{ gap: 0 }, { gap: 23 * HOUR }, { gap: HOUR }], 0],
		['does not follow clocks that ran steadily for less', [{ gap: 0 }, { gap: DAY - 1 }], -HOUR],
		[
			'does not follow clocks that were set within the day',
			[{ gap: 0 }, { gap: 23 * HOUR, error: 2 * HOUR }, { gap: HOUR }],
			-HOUR,
		],
	])('%s', (_, polls, expected) => expect(timeAfter(polls)).toBe(expected));

	it('of a poll that started before the last one is that of the saved state', () => {
		const later = confirmTime(undefined, { now: NOW, monotonic: 2 * HOUR, service: NOW, known });
		expect(confirmTime(later, { now: NOW, monotonic: HOUR, known: NOW - 9 * HOUR }).time).toBe(NOW - 9 * HOUR);
	});

	it('is that of the service at the start of the poll, however late the answer came', () => {
		jest.spyOn(performance, 'now').mockReturnValue(HOUR);
		const clock = pollClock('late answer', { now: NOW + DAY, started: 0 }, 0);
		clock.onAnswer({ date: new Date(NOW + HOUR).toUTCString() });
		expect(clock.confirmedNow()).toBe(NOW);
	});

	it('is the same each time that a poll asks for it', () => {
		const first = pollClock('asked again', { now: NOW, started: 0 }, NOW - HOUR);
		expect(first.confirmedNow()).toBe(NOW - HOUR);
		const second = pollClock('asked again', { now: NOW + HOUR, started: HOUR }, NOW - 9 * HOUR);
		expect([second.confirmedNow(), second.confirmedNow()]).toEqual([NOW, NOW]);
	});

	it('is that of the latest answer: a cache repeats older ones', () => {
		jest.spyOn(performance, 'now').mockReturnValue(0);
		const clock = pollClock('cache', { now: NOW + DAY, started: 0 }, 0);
		for (const time of [NOW - HOUR, NOW, NOW - 2 * HOUR]) clock.onAnswer({ date: new Date(time).toUTCString() });
		clock.onAnswer({});
		expect(clock.confirmedNow()).toBe(NOW);
	});

	it('moves on from the last poll of the trigger, not from the saved state or another trigger', () => {
		const timeAt = (name: string, hour: number, saved: number) =>
			pollClock(name, { now: NOW + hour * HOUR, started: hour * HOUR }, saved).confirmedNow();
		expect(timeAt('moves on', 1, NOW - HOUR)).toBe(NOW - HOUR);
		expect(timeAt('moves on', 2, NOW - 9 * HOUR)).toBe(NOW);
		expect(timeAt('another trigger', 2, NOW - 9 * HOUR)).toBe(NOW - 9 * HOUR);
	});

	it.each<[string, string | undefined, number, number]>([
		['is sure, where the service sends its time', new Date(NOW - HOUR).toUTCString(), NOW - HOUR, NOW - HOUR],
		['may be a day earlier without it', undefined, known, known - DAY],
	])('%s', (name, date, confirmed, earliest) => {
		jest.spyOn(performance, 'now').mockReturnValue(5);
		const clock = pollClock(name, { now: NOW, started: 5 }, known);
		clock.onAnswer({ date });
		expect([clock.confirmedNow(), clock.earliestNow()]).toEqual([confirmed, earliest]);
	});

	it.each<[string, number | undefined, number]>([
		['is that of the service by now, and a minute', NOW + HOUR, NOW + HOUR + 3 + 60_000],
		['is that of n8n, where the service is behind', NOW - HOUR, NOW + 60_000],
		['is a day after that of n8n, where the service sends none', undefined, NOW + DAY],
	])('at the latest %s', (name, service, latest) => {
		const monotonic = jest.spyOn(performance, 'now').mockReturnValue(5);
		jest.spyOn(Date, 'now').mockReturnValue(NOW);
		const clock = pollClock(name, { now: NOW, started: 5 }, known);
		clock.onAnswer({ date: service && new Date(service).toUTCString() });
		monotonic.mockReturnValue(8);
		expect(clock.latestNow()).toBe(latest);
	});
});

describe('the window of this round', () => {
	const LOOKBACK = 2 * HOUR;
	const state = { from: NOW - LOOKBACK, kept: NOW - LOOKBACK - DAY } as TriggerState;

	it.each<[string, Partial<TriggerState>, number, number]>([
		['starts where the last complete round put it', {}, NOW, state.from],
		['starts where hashes are retained, after a clock that was ahead', {}, NOW - 1, state.kept],
		['starts where hashes are retained, until a first round is complete', { since: NOW }, NOW, state.kept],
	])('%s', (_, more, now, start) => expect(windowStart({ ...state, ...more }, now, LOOKBACK)).toBe(start));
});
