/** Results of a poll: the rows to emit, and the state to save. */
import type { IDataObject } from 'n8n-workflow';
import { pollMessages, pollRows, type FoundRow } from '../messages/alert';
import { toItem, userPrefix } from '../service/readings/identity';
import type { UserResult } from '../service/readings/readUsers';
import type { SelectedUser } from '../service/users/selection';
import { lowerUserId } from '../service/users/users';
import { localTimeIn } from '../shared/dateTime';
import { Problem, problemOfOne } from '../shared/problem';
import { text } from '../shared/values';
import type { Clock } from './clock';
import { Cursors, hasFailed, labelOf, type Miss } from './cursors';
import { SeenReadings } from './seen';
import type { Settings } from './settings';
import type { Cursor, TriggerState } from './state';

/** How far a poll came. */
export interface Extent {
	/** Whether the user list was read to its end. */
	isListRead: boolean;
	/** Whether it has no users: an answer that may be wrong. */
	isListEmpty: boolean;
	/** Whether all users aside had their turn. If not, the next poll puts only the rest aside. */
	isAsideDone: boolean;
	/** Nothing is sent until then. */
	pausedUntil?: number;
	/** Whether a user who was read last then (ms) was not read for an hour. */
	isOld: (lastRead: number) => boolean;
}

/** Why a user was not read. */
export interface Trouble {
	/** The user in words. */
	label: string;
	problem: Problem;
}

/** What a poll came to. */
export interface PollEnd {
	/** What goes out, oldest first. The state is saved then. */
	items: IDataObject[];
	state: TriggerState;
	/** Whether the state must be saved: after a first read, and when the trigger starts over. */
	mustSave: boolean;
	/** Whether the key is one of another team, as the whole list tells. */
	isOtherTeam: boolean;
	isListRead: boolean;
	/** What is wrong with the user list, beside an error. */
	listProblem?: Problem;
	/** Key of a cursor → why its user was not read; nothing for one who was. */
	troubles: ReadonlyMap<string, Trouble | undefined>;
	/** Whether any user was read. */
	hasRead: boolean;
	/** How many users who had failed were read. */
	recovered: number;
	cursors: Cursors;
}

export class PollResult {
	/** Hash of the team of the first user of the list. */
	private team?: string;
	/** Whether a user of the list was met before. */
	private hasKnown = false;
	private readonly troubles = new Map<string, Trouble | undefined>();
	/** Users who were read, and the cursors of these reads. */
	private readonly reads = new Map<UserResult, Cursor>();
	private readonly found: FoundRow[] = [];
	private readonly seen: SeenReadings;
	readonly cursors: Cursors;

	constructor(
		private readonly settings: Settings,
		private readonly before: TriggerState,
		private readonly clock: Clock,
	) {
		this.cursors = new Cursors(before, settings, clock);
		this.seen = new SeenReadings(before.seen);
		this.team = before.team;
	}

	/** Notes a user of the list. The first one tells the team. */
	meet(user: SelectedUser) {
		const { cursors } = this;
		const team = text(user.record?.team_id);
		if (cursors.met.size === 0 && team)
			this.team = userPrefix(lowerUserId(team));
		this.hasKnown ||= cursors.has(user);
		cursors.meet(user);
	}

	/**
	 * Whether the key has changed to one of another team: then all results are invalid. A key may see
	 * users of several teams, so nobody is known then.
	 */
	get isOtherTeam() {
		const { team } = this.before;
		return team !== undefined && this.team !== team && !this.hasKnown;
	}

	get hasRead() {
		return this.reads.size > 0;
	}

	get isFull() {
		return this.found.length >= this.settings.maxRows;
	}

	/** Notes a user who was read: what is old is seen, the rest is emitted. @returns the problem of rows that cannot be compared */
	detect(result: UserResult): Problem | undefined {
		const { event, isWanted } = this.settings;
		const cursor = this.cursors.ofRead(result);
		// A user who was read once is not new any more.
		const rows = event.metric || cursor.read === undefined ? result.rows : [];
		try {
			const changes = this.seen.changes(
				event,
				rows,
				this.cursors.windowOf(cursor),
				isWanted,
			);
			for (const row of changes) this.found.push({ row, result });
		} catch (error) {
			return problemOfOne(error, false);
		}
		this.reads.set(result, cursor);
		this.troubles.set(this.cursors.keyOf(result), undefined);
		return undefined;
	}

	/** Notes a read without success. */
	noteMiss(result: UserResult, miss: Miss, problem: Problem) {
		const { cursors } = this;
		// An answer that the end of the poll has cut off says nothing about the user.
		if (miss !== 'cut' || problem.httpCode)
			this.troubles.set(cursors.keyOf(result), {
				label: labelOf(result),
				problem,
			});
		cursors.miss(result, miss);
	}

	/** Whether this pass has read every user of the list, or failed to. */
	isPassComplete({ isListRead, isAsideDone }: Extent) {
		const { cursors, isOtherTeam } = this;
		const isDone = ([key, cursor]: [string, Cursor]) =>
			!cursors.met.has(key) ||
			cursors.isDone(cursor) ||
			(isAsideDone && hasFailed(cursor));
		return isListRead && !isOtherTeam && cursors.present.every(isDone);
	}

	/** Makes the items, and the state to save: nothing else changes a state. */
	finish(extent: Extent): PollEnd {
		const { before, cursors, seen, troubles, isOtherTeam } = this;
		const { isListRead, isListEmpty, pausedUntil } = extent;
		const { emitted, finished } = this.emit();
		for (const [result, cursor] of finished)
			cursors.move(result, cursor, seen.newest);
		// Known users may come later on the list. Until then, those of another team have no cursor.
		const isUnclear = isOtherTeam && !isListRead;
		if (!isUnclear) cursors.settle(isListRead);
		const isPassComplete = this.isPassComplete(extent);
		const { poll } = cursors;
		const pass = isPassComplete ? poll + 1 : cursors.pass;
		const team = isUnclear ? before.team : this.team;
		const state: TriggerState = {
			...before,
			poll,
			pass,
			since: cursors.sinceNext(isPassComplete, isListEmpty),
			team,
			cursors: cursors.toSave(),
			names: cursors.namesToSave(),
			seen: seen.toSave(cursors.neededFrom),
			pausedUntil,
		};
		const mustSave = finished.some(([, { read }]) => read === undefined);
		const recovered = finished.filter(([, cursor]) => hasFailed(cursor));
		return {
			items: this.itemsOf(emitted, extent),
			state,
			mustSave,
			isOtherTeam: isOtherTeam && isListRead,
			isListRead,
			listProblem: this.listProblemOf(isUnclear, isListEmpty),
			troubles,
			hasRead: this.hasRead,
			recovered: recovered.length,
			cursors,
		};
	}

	private listProblemOf(isUnclear: boolean, isListEmpty: boolean) {
		if (isUnclear) return teamUnclear();
		const hadUsers = this.before.cursors.length > 0;
		return isListEmpty && hadUsers ? listEmpty() : undefined;
	}

	/** The oldest rows, which go out, and the reads of which no row is left. */
	private emit() {
		const { now } = this.clock;
		const timeOf = ({ row }: FoundRow) => row.time ?? now;
		// Two entries of *User IDs* may name one user.
		const distinct = new Map(this.found.map((one) => [one.row.key, one]));
		const left = [...distinct.values()].sort((a, b) => timeOf(a) - timeOf(b));
		const emitted = left.splice(0, this.settings.maxRows);
		for (const { row } of emitted) this.seen.remember(row, 'e');
		const unfinished = new Set(left.map(({ result }) => result.user.user_id));
		const finished = [...this.reads].filter(
			([{ user }]) => !unfinished.has(user.user_id),
		);
		return { emitted, finished };
	}

	/** The items of *Output*, in the order of the rows. */
	private itemsOf(found: FoundRow[], { isOld }: Extent): IDataObject[] {
		const { event, output, limits, zone, isTest } = this.settings;
		const { metric } = event;
		const localTimeOf = localTimeIn(zone);
		if (output === 'readings' || !metric)
			return found.map(({ row }) => toItem(event, row, localTimeOf));
		const { latestNow } = this.clock;
		const overdue = this.cursors.overdue(isOld);
		// A test event is of the newest reading.
		const shown = isTest ? found.slice(-1) : found;
		const itemsOf = output === 'users' ? pollRows : pollMessages;
		return itemsOf(shown, {
			metric,
			limits,
			latestNow,
			localTimeOf,
			zone,
			isTest,
			overdue,
		});
	}
}

const listEmpty = () =>
	new Problem(
		'The user list of the service is empty, and had users before',
		'If the team has no users any more, unpublish the workflow',
		{ kind: 'temporarily-unavailable' },
	);

const teamUnclear = () =>
	new Problem(
		'The key of the credential may belong to another team than before: the user list takes longer than a poll, and no user on it so far is known',
		"Set 'Requests per Second' higher: the trigger starts over when a poll reads the list to its end",
		{ kind: 'temporarily-unavailable' },
	);
