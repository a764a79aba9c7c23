/** One poll of the reader alone: the list, the answers, the clock and the event are the test's own, so that each decision is seen. */
import type { IDataObject } from 'n8n-workflow';
import type { Get } from '../../nodes/HealthDataService/http/client';
import { AdaptiveTimeout, Deadlines } from '../../nodes/HealthDataService/http/deadlines';
import { serviceClock } from '../../nodes/HealthDataService/http/serviceClock';
import { readingEvents, type ReadOptions, type TriggerEvent } from '../../nodes/HealthDataService/trigger/events';
import { keyOf } from '../../nodes/HealthDataService/trigger/cursors';
import { PollReader } from '../../nodes/HealthDataService/trigger/reader';
import { startState, type Cursor, type TriggerState } from '../../nodes/HealthDataService/trigger/state';
import { USER_LENGTH } from '../../nodes/HealthDataService/service/readings/identity';
import type { SelectedUser, UserSelection } from '../../nodes/HealthDataService/service/users/selection';
import { Problem } from '../../nodes/HealthDataService/shared/problem';

export const NOW = Date.UTC(2026, 5, 1, 12);
export const POLL = 9;
const HOUR = 3_600_000;
export const BUDGET = 300_000;
export const TIMEOUT = 60_000;
export const DEADLINE = BUDGET - TIMEOUT;
export const THROTTLE = new Problem('Throttled', '', { kind: 'rate-limited' });

/** The reader's clock does not begin at 0. */
const START = 5000;

const listed = (name: string, place = 0, team?: string): SelectedUser => ({
	user: { user_id: name, client_user_id: null },
	place,
	team,
});

interface Answer {
	problem?: Problem;
	tookMs?: number;
	rows?: IDataObject[];
}

interface Play {
	list: string[];
	/** Cursors of the last poll. A user of the list without one has none. */
	cursors?: Record<string, Partial<Cursor>>;
	state?: Partial<TriggerState>;
	answers?: (name: string) => Answer;
	/** How the user list answers when it is asked between two users. `pass` lets time pass (ms). */
	probe?: (pass: (ms: number) => void) => Promise<unknown>;
	selection?: Partial<UserSelection>;
	/** Thrown by the read after the users. */
	thrown?: Error;
	listMs?: number;
	/** The list is refused after so many users. */
	listEnds?: number;
	team?: string;
}

/** What one read was allowed, and after it. */
interface Allowed {
	name: string;
	isTriedOnce?: boolean;
	from: number;
	timeoutMs: number;
	budget: object;
	budgetAfter: object;
}

/** @returns what was read, in order, with the result of the poll and the cursors that it saves */
export async function play({ list, cursors = {}, state, answers, probe, selection, thrown, ...more }: Play) {
	let clock = 0;
	jest.spyOn(performance, 'now').mockImplementation(() => START + clock);
	jest.spyOn(Date, 'now').mockImplementation(() => NOW + clock);
	const saved = Object.entries(cursors).map(([name, cursor]) => ({
		...{ from: NOW - 48 * HOUR, tried: POLL - 1, ...cursor },
		// An entry of 'User IDs' is followed by its user's hash.
		users: `${keyOf(listed(name))}${selection?.entries ? ' '.repeat(USER_LENGTH) : ''}`,
	}));
	const before: TriggerState = {
		...startState('node', 'all', NOW, 48 * HOUR, [], POLL),
		...{ pass: POLL, since: undefined, cursors: saved },
		...state,
	};
	const deadlines = new Deadlines();
	deadlines.endAt = START + BUDGET;
	const timeout = new AdaptiveTimeout(TIMEOUT, () => 3);
	const reads: Allowed[] = [];
	const probes: unknown[] = [];
	const starts: number[] = [];
	const unresolved: string[] = [];
	const pass = (ms: number) => void (clock += ms);
	const get = (async (...args: unknown[]) => {
		probes.push(args);
		return await (probe?.(pass) ?? Promise.resolve({}));
	}) as unknown as Get;
	async function* read(_: Get, target: { selection: UserSelection }, options: ReadOptions) {
		for await (const one of target.selection.users(get)) {
			if (options.isTimeUp!()) break;
			const allowed = {
				name: one.user.user_id,
				isTriedOnce: options.isTriedOnce!(one),
				from: options.windowStartOf(one),
				timeoutMs: timeout.currentMs,
				budget: options.budget!(),
			};
			const { tookMs = 0, rows = [], problem } = answers?.(allowed.name) ?? {};
			pass(tookMs);
			reads.push({ ...allowed, budgetAfter: options.budget!() });
			yield { ...one, rows, isGone: false, tookMs, ...(problem && { problem }) };
		}
		if (thrown) throw thrown;
	}
	const users: UserSelection['users'] = async function* (_, skip = 0, hasFailed) {
		starts.push(skip);
		pass(more.listMs ?? 0);
		for (const entry of selection?.entries ?? []) if (hasFailed?.(entry)) unresolved.push(entry.id);
		const { listEnds = Infinity } = more;
		yield* list.map((name, at) => listed(name, at + 1, more.team)).slice(skip, skip + listEnds);
		if (list.length > skip + listEnds) throw THROTTLE;
	};
	const target = { selection: { users, whenMissing: async () => undefined, ...selection }, concurrency: 6 } as never;
	const event = { ...readingEvents[0], read } as TriggerEvent;
	const options = {
		...{ now: NOW, clock: serviceClock(NOW, START), lookback: 48 * HOUR, deadline: START + DEADLINE },
		budgetMs: BUDGET,
		zone: 'UTC',
	};
	const reader = new PollReader(get, event, target, before, { ...options, timeout, deadlines });
	const result = await reader.read();
	const cursorOf = (name: string) => {
		const cursor = result.state.cursors.find(({ users: keys }) => keys.includes(keyOf(listed(name))));
		return cursor && { tried: cursor.tried, ...(cursor.missed && { missed: cursor.missed }) };
	};
	const endAt = deadlines.endAt - START;
	return {
		...result,
		reads,
		names: reads.map(({ name }) => name),
		probes,
		starts,
		unresolved,
		cursorOf,
		timeout,
		endAt,
	};
}
