/**
 * What a round gathers as it goes from user to user: what is new of each, who is set aside and why, and who is done.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Problem } from '../shared/problem';
import type { Problems } from './failedUsers';
import type { EventResult, Selection, TriggerEvent } from './events';
import { detectChanges, type ChangedRow } from './detectChanges';
import { checkpointAfter } from './resume';
import { limitDelivery, MAX_ROWS_PER_POLL, type FoundRow } from './delivery';
import { failedUserKey, WatchList, fingerprintOf } from './watchList';
import { SeenReadings } from './seen';
import { moveWindow, type FailedUser, type Checkpoint, type TriggerState } from './state';

export interface GatheringOptions {
	/** ms, before anything was read: what arrives while reading must not fall out of the window. */
	now: number;
	/** ms */
	lookback: number;
	/** Whether watching begins with this very poll. */
	begins: boolean;
	/** Rows that are not handed on, though remembered. */
	isWanted: (row: IDataObject) => boolean;
}

export class Gathering {
	/** Why users could not be read. */
	readonly problems: Problems = new Map();
	readonly members: WatchList;
	/** Hash of the team whose users they are. */
	team?: string;
	private readonly seen: SeenReadings;
	private readonly behind: Record<string, FailedUser>;
	private readonly round: Checkpoint;
	private readonly start: number;
	private readonly fresh: FoundRow[] = [];
	private readonly done: Array<{ key?: string; trace: string; place: number; recovered: boolean }> = [];
	private fine = 0;

	constructor(
		private readonly event: TriggerEvent,
		{ selection }: Selection,
		private readonly before: TriggerState,
		private readonly options: GatheringOptions,
	) {
		const { now, lookback } = options;
		this.seen = new SeenReadings(before.seen);
		this.behind = { ...before.behind };
		this.members = new WatchList(selection.entries, before.members, this.behind);
		this.round = { ...(before.round ?? { at: 0, last: [], began: now }) };
		this.team = before.team;
		// A window that lies too late, after a clock was wrong, goes back as far as everything is remembered.
		this.start = before.since === undefined && before.from <= now - lookback ? before.from : before.kept;
	}

	/** How many users were met. */
	get count() {
		return this.done.length;
	}

	get isFull() {
		return this.fresh.length >= MAX_ROWS_PER_POLL;
	}

	/** When everybody failed who was met in this whole round, it is no matter of single users. */
	get isNobodyFine() {
		return this.fine === 0 && this.problems.size > 0 && !this.before.round;
	}

	/** From which instant on (ms) somebody is read. */
	windowStartOf = (userId = '') => this.behind[userId]?.from ?? this.start;

	/** Who could not be read is set aside; of all others, what is new. */
	take(result: EventResult) {
		const { rows, isGone, problem, place } = result;
		const isNew = this.members.isNew(result);
		this.members.meet(result);
		const key = failedUserKey(result);
		const late = key === undefined ? undefined : this.behind[key];
		const since = late ? late.since : isNew ? this.options.now : this.before.since;
		if (problem) {
			this.setAside(key!, problem, late, since);
		} else {
			this.look(rows, late, since, isNew);
			if (isGone && late) delete this.behind[key!];
		}
		this.done.push({ key, trace: fingerprintOf(result), place, recovered: Boolean(late && !problem && !isGone) });
	}

	private setAside(key: string, problem: Problem, late: FailedUser | undefined, since: number | undefined) {
		this.problems.set(key, problem);
		// From `kept`: a clock may have put `start` too far ahead.
		this.behind[key] = { ...(late ?? { from: this.before.kept, since }), met: this.round.began };
	}

	private look(rows: IDataObject[], late: FailedUser | undefined, since: number | undefined, isNew: boolean) {
		this.fine++;
		const until = this.options.begins || isNew ? Date.now() : undefined;
		const window = { from: late?.from ?? this.start, since, until };
		const { fresh, old, newest } = detectChanges(this.event, rows, this.seen, window);
		for (const row of old) this.seen.remember(row);
		for (const row of fresh) {
			if (this.options.isWanted(row.row)) this.fresh.push({ row, done: this.count });
			else this.seen.remember(row);
		}
		if (newest !== undefined && !late) this.round.newest = Math.max(this.round.newest ?? newest, newest);
	}

	/** Those behind whom a whole round over the list has not met. */
	notMet(): string[] {
		if (this.members.isGiven) return [];
		const met = new Set(this.done.map(({ key }) => key));
		const isMet = (id: string) => met.has(id) || (this.before.round && this.behind[id].met === this.round.began);
		return Object.keys(this.behind).filter((id) => !isMet(id));
	}

	/** What goes out now, and what to remember once it has. @param isWhole whether the round has come to its end */
	finish(isWhole: boolean): { handed: ChangedRow[]; recovered: number; state: TriggerState } {
		const { now, lookback } = this.options;
		const { handed, doneCount } = limitDelivery(this.fresh, { doneCount: this.count, now });
		for (const row of handed) this.seen.remember(row);
		const finished = this.done.slice(0, doneCount);
		const recovered = finished.filter((one) => one.recovered);
		for (const { key } of recovered) delete this.behind[key!];

		const isDone = isWhole && doneCount === this.count;
		const { round, before, behind, members, team } = this;
		const { from, kept } = isDone ? moveWindow(before, { now: round.began, newest: round.newest }, lookback) : before;
		const users = Object.entries(behind).map(([key, one]) => ({ prefix: members.prefixOf(key), from: one.from }));
		const state: TriggerState = {
			version: 1,
			node: before.node,
			of: before.of,
			...(team !== undefined && { team }),
			turn: before.turn + (handed.length > 0 ? 1 : 0),
			from,
			kept,
			...(!isDone && { since: before.since, round: checkpointAfter(round, finished) }),
			seen: this.seen.toSave(kept, users),
			behind,
			...(members.isGiven && { members: members.toSave() }),
		};
		return { handed, recovered: recovered.length, state };
	}
}
