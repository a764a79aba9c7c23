/**
 * Saved state: what the trigger keeps between polls, its version, and the time window of the next round. Keys are saved names and
 * never change; another `version` starts over, so a change of this shape must convert the old one.
 */

/** All times in ms since 1970. */
export interface TriggerState {
	version: 1;
	/** Node ID: n8n keeps static data by node name in memory, by node ID on the durable scheduler. */
	node: string;
	/** What is watched: event, users, provider, Base URL. Another value starts over. */
	of: string;
	/** Hash of the users' team. Another team under the same address starts over. */
	team?: string;
	/** Counts the saves that emitted rows. The durable scheduler may hand a poll the state before the last save. */
	turn: number;
	/** Start of the window that each round reads of each user. */
	from: number;
	/** Hashes of readings from here on are retained: after a wrong clock the window moves back this far at most. */
	kept: number;
	/** Start of watching, until a first round is complete: readings measured up to then are old. */
	since?: number;
	/** With connected users only, when watching began, while the window may reach back to it. */
	published?: number;
	/** Hour since 1970 → hashes of the readings seen in it (detectChanges.ts). */
	seen: Record<string, string>;
	/** Checkpoint of a round that takes several polls. */
	round?: Checkpoint;
	/** Failed users by user ID, or by a hash where an entry of the watch list is unresolved (watchList.ts). */
	behind: Record<string, FailedUser>;
	/** Thresholds of the last poll. */
	minimums?: Threshold[];
	/** Thresholds of before a change, until a round that began after it is complete. */
	past?: PastThresholds[];
	/** The watch list, where users are listed. */
	members?: SavedWatchList;
	/** Set if the last poll had no time for the failed users: the next one reads some of them first. */
	overdue?: true;
	/** Time of the last report. */
	told?: number;
	/** Nothing is sent until then: a Retry-After of the service, or a learnt rest. */
	pausedUntil?: number;
	/** Set while the service limits the requests. */
	limit?: LearntLimit;
}

/** What polls have learnt of the service's limit. */
export interface LearntLimit {
	/** Between two requests, in ms. */
	spacing: number;
	/** After a poll that read no user, in ms. */
	rest: number;
}

/** Hash of an entry of 'User IDs' → first characters of the hash of its user ID; empty until the entry is resolved. */
export type SavedWatchList = Record<string, string>;

/** The least value of a column for which a reading is emitted. */
export interface Threshold {
	column: string;
	least: number;
}

/** Earlier thresholds: readings measured up to `until` (ms) must reach them too. */
export interface PastThresholds {
	until: number;
	minimums: Threshold[];
}

/** Position in a round over all users that takes several polls. */
export interface Checkpoint {
	/** How many users of the list are done. */
	at: number;
	/** Fingerprints of the last users done: the list may have moved since. */
	last: string[];
	/** Hashes of users done after the first one who is not. */
	done?: string[];
	/** Hashes of users with a limit of the service in the last poll while others were answered, or cut off by its end. */
	limited?: string[];
	/** Whether answers timed out at the end of the last poll. */
	hangs?: true;
	/** When the round began. */
	began: number;
	/** Set if n8n's clock was ahead of the confirmed time at the beginning: that time. */
	sure?: number;
	/** Time of the newest reading of the round so far. */
	newest?: number;
}

/** A failed user: the last read failed. */
export interface FailedUser {
	/** Start of this user's own window. */
	from: number;
	/** Set until the user's first successful read: readings measured up to then are old. */
	since?: number;
	/** Set for a user who was not known at the first failure: earlier readings are old. */
	late?: number;
	/** Start of the round that last found the user on the list. */
	met?: number;
	/** Time of the last report, as it was saved before reports were one for all users. */
	told?: number;
}

const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** How far the window may move back. Clocks are set wrong by time zones and dates, which makes a day. */
export const CLOCK_ERROR_MS = 24 * HOUR_MS;

/** What a process knows of the time. */
interface ConfirmedTime {
	/** The time that is confirmed, at most that of n8n's clock (ms). */
	time: number;
	/** Whether clocks confirm it, not only the saved state and the time that has passed since. */
	isSure: boolean;
	/** What the monotonic clock adds to until something else confirms the time (ms). */
	limit: number;
	/** By the monotonic clock, as is `steadySince`. */
	at: number;
	/** By how much the clocks are ahead of the monotonic one: they run steadily while it stays the same. */
	offset: number;
	steadySince: number;
}

/**
 * The time that something besides n8n's clock confirms: the service's clock, or as much time as has passed in this process. Clocks that
 * run steadily for a day are right.
 *
 * @param clocks.service `Date` header, if the service sends one
 * @param clocks.known time by the saved state, for the first poll of a process
 */
export function confirmTime(
	before: ConfirmedTime | undefined,
	{ now, monotonic, service, known }: { now: number; monotonic: number; service?: number; known: number },
): ConfirmedTime {
	const last = before && before.at <= monotonic ? before : undefined;
	const clock = Math.min(now, service ?? now);
	const offset = clock - monotonic;
	const steadySince = last && Math.abs(offset - last.offset) < HOUR_MS ? last.steadySince : monotonic;
	// The service confirms nothing while its clock is ahead of n8n's.
	const isConfirmed = (service ?? Infinity) < now + HOUR_MS;
	const isSteady = monotonic - steadySince >= CLOCK_ERROR_MS;
	const passed = last ? last.limit + monotonic - last.at : known;
	const isSure = isConfirmed || isSteady;
	const limit = isSure ? clock : passed;
	return { time: Math.min(clock, limit), isSure, limit, at: monotonic, offset, steadySince };
}

/** Confirmed times of the triggers of this process, at the start of the last poll of each. */
const confirmed = new Map<string, ConfirmedTime>();

export type PollClock = ReturnType<typeof pollClock>;

/** Clock of a poll that starts at `now`, or `started` by the monotonic clock. @param known time by the saved state (ms) */
export function pollClock(name: string, { now, started }: { now: number; started: number }, known: number) {
	let service: number | undefined;
	const confirm = () => {
		const time = confirmTime(confirmed.get(name), { now, monotonic: started, service, known });
		confirmed.set(name, time);
		return time;
	};
	return {
		/** Notes the `Date` of an answer. The latest counts: a cache repeats older ones. */
		onAnswer({ date }: { date?: unknown }) {
			const atStart = Date.parse(String(date)) - (performance.now() - started);
			if (Number.isFinite(atStart)) service = Math.max(service ?? atStart, atStart);
		},
		/** The time that is confirmed at the start of the poll (ms), once answers have come. */
		confirmedNow: () => confirm().time,
		/** The earliest that it may be at the start of the poll (ms): n8n's clock may have been a day ahead when watching began. */
		earliestNow(): number {
			const { time, isSure } = confirm();
			return isSure ? time : time - CLOCK_ERROR_MS;
		},
		/** The latest that it may be now (ms), with a minute for the clocks of devices. */
		latestNow(): number {
			if (service === undefined) return Date.now() + CLOCK_ERROR_MS;
			return Math.max(Date.now(), service + performance.now() - started) + MINUTE_MS;
		},
	};
}

/** @param lookback ms */
export const startState = (
	node: string,
	of: string,
	now: number,
	lookback: number,
	thresholds: Threshold[] = [],
): TriggerState => ({
	version: 1,
	node,
	of,
	// Random, so that the counts of two states never match.
	turn: Math.floor(Math.random() * 1e9),
	from: now - lookback,
	kept: now - lookback - CLOCK_ERROR_MS,
	since: now,
	seen: {},
	behind: {},
	...(thresholds.length > 0 && { minimums: thresholds }),
});

/** Whether the same node saved this for the same selection, in a known version. */
export function isStateOf(stored: unknown, node: string, of: string): stored is TriggerState {
	const state = stored as TriggerState | undefined;
	return state?.version === 1 && state.node === node && state.of === of;
}

/** From when on (ms) this round reads. A window that starts too late, after a wrong clock, starts where hashes are retained. */
export const windowStart = ({ from, kept, since }: TriggerState, now: number, lookback: number): number =>
	since === undefined && from <= now - lookback ? from : kept;

/**
 * The window after a complete round: `lookback` before the newest reading, never later than before `now`.
 *
 * @param round.now when the round began (ms): a confirmed time, because what the window passes over is lost
 */
export function moveWindow(
	{ from, kept }: Pick<TriggerState, 'from' | 'kept'>,
	{ now, newest }: { now: number; newest?: number },
	lookback: number,
) {
	// Without readings the window stays, unless a clock that was ahead moved it too far.
	const next = Math.max(kept, Math.min(now, newest ?? from + lookback) - lookback);
	return { from: next, kept: Math.max(kept, next - CLOCK_ERROR_MS) };
}

/** With the thresholds of this poll, and those of before a change. Saved before the poll, which may fail. */
export function withThresholds(state: TriggerState, thresholds: Threshold[], now: number): TriggerState {
	const { minimums = [], past = [], ...rest } = state;
	const isChanged = JSON.stringify(minimums) !== JSON.stringify(thresholds);
	const all = isChanged ? [...past, { until: now, minimums }] : past;
	// A clock that was set back since was wrong at the change.
	const earlier = all.map((one) => ({ ...one, until: Math.min(one.until, now) }));
	return {
		...rest,
		...(thresholds.length > 0 && { minimums: thresholds }),
		...(earlier.length > 0 && { past: earlier }),
	};
}
