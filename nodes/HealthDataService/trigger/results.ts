/** Results of a poll: the rows to emit, and the state to save. */
import type { IDataObject } from 'n8n-workflow';
import { toItem, userPrefix } from '../service/readings/identity';
import { pollRows, type FoundRow } from '../service/readings/pollRow';
import type { UserResult } from '../service/readings/readUsers';
import type { SelectedUser } from '../service/users/selection';
import { lowerUserId } from '../service/users/users';
import { localTimeIn } from '../shared/dateTime';
import { problemOfOne, type Problem } from '../shared/problem';
import type { Clock } from './clock';
import { Cursors, hasFailed } from './cursors';
import { SeenReadings } from './seen';
import type { Settings } from './settings';
import type { Cursor, TriggerState } from './state';

export class PollResult {
	/** What goes out, oldest first. The state is saved then. */
	items: IDataObject[] = [];
	state: TriggerState;
	/** Whether the user list was read to its end. */
	isListRead = false;
	/** Whether all users aside had their turn. If not, the next poll puts only the rest aside. */
	isAsideDone = false;
	/** The limit of the service for all requests that cut the poll short. */
	throttle?: Problem;
	/** The error of *Provider*, if no user has it. */
	wrongField?: Problem;
	/** How many users who had failed were read. */
	recovered = 0;
	/** Whether the state must be saved: after a first read, and when the trigger starts over. */
	mustSave = false;
	/** Whether a user of the list was met before. */
	private hasKnown = false;
	/** Users who were read. */
	private readonly reads: UserResult[] = [];
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
		this.state = { ...before, poll: before.poll + 1, pausedUntil: undefined };
	}

	/** Notes a user of the list. The first one tells the team. */
	meet(user: SelectedUser) {
		const { cursors, state } = this;
		if (cursors.met.size === 0 && user.team)
			state.team = userPrefix(lowerUserId(user.team));
		this.hasKnown ||= cursors.has(user);
		cursors.meet(user);
	}

	/**
	 * Whether the key has changed to one of another team: then all results are invalid. A key may see
	 * users of several teams, so nobody is known then.
	 */
	get isOtherTeam() {
		const { team } = this.before;
		return team !== undefined && this.state.team !== team && !this.hasKnown;
	}

	/** Whether a user had failed before this poll. */
	get hadFailed() {
		return this.before.cursors.some(hasFailed);
	}

	get hasRead() {
		return this.reads.length > 0;
	}

	get isFull() {
		return this.found.length >= this.settings.maxRows;
	}

	/** Notes a user who was read: what is old is seen, the rest is emitted. @returns the problem of rows that cannot be compared */
	detect(result: UserResult): Problem | undefined {
		const { event, isWanted } = this.settings;
		const cursor = this.cursors.of(result);
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
		this.reads.push(result);
		return undefined;
	}

	/** Whether this pass has read every user of the list, or failed to. */
	get isPassComplete() {
		const { cursors, isListRead, isOtherTeam, isAsideDone } = this;
		const isDone = ([key, cursor]: [string, Cursor]) =>
			!cursors.met.has(key) ||
			cursors.isDone(cursor) ||
			(isAsideDone && hasFailed(cursor));
		return isListRead && !isOtherTeam && [...cursors.entries].every(isDone);
	}

	/** Makes the items and the state to save. */
	finish() {
		const { before, cursors, seen, state, isListRead } = this;
		// Somebody who is known may come later on the list.
		if (this.isOtherTeam && !isListRead) state.team = before.team;
		this.items = itemsOf(this.settings, this.emit(), this.clock.latestNow);
		cursors.settle(isListRead);
		const { isPassComplete } = this;
		state.pass = isPassComplete ? state.poll + 1 : cursors.pass;
		state.since = cursors.sinceNext(isPassComplete);
		state.cursors = cursors.toSave();
		state.seen = seen.toSave(cursors.neededFrom);
	}

	/**
	 * Takes the oldest rows, and moves the cursor of each read of which no row is left.
	 *
	 * @returns the rows that go out
	 */
	private emit(): FoundRow[] {
		const { now } = this.clock;
		const timeOf = ({ row }: FoundRow) => row.time ?? now;
		const left = this.found.sort((a, b) => timeOf(a) - timeOf(b));
		const emitted = left.splice(0, this.settings.maxRows);
		for (const { row } of emitted) this.seen.remember(row, 'e');
		const unfinished = new Set(left.map(({ result }) => result));
		for (const result of this.reads) {
			if (unfinished.has(result)) continue;
			const cursor = this.cursors.of(result);
			this.mustSave ||= cursor.read === undefined;
			if (hasFailed(cursor)) this.recovered++;
			this.cursors.move(result, this.seen.newest);
		}
		return emitted;
	}
}

/** The items of *Output*, in the order of the rows. */
function itemsOf(
	settings: Settings,
	found: FoundRow[],
	latestNow: number,
): IDataObject[] {
	const { event, output, limits, zone } = settings;
	const { metric } = event;
	const localTimeOf = localTimeIn(zone);
	if (output === 'readings' || !metric)
		return found.map(({ row }) => toItem(event, row, localTimeOf));
	return pollRows(metric, found, { latestNow, limits, localTimeOf });
}
