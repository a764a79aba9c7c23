/**
 * What can be triggered on: a new reading of every metric, and a new user. All of them are rows with a time.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get } from '../http/client';
import type { RequestLimits } from '../http/requestQueue';
import { rowsWithoutId, withServiceFields, type UserRef } from '../service/readings';
import { toIso, identityOf, type Identity } from '../service/readingId';
import { metrics, type Metric, type ThresholdOption } from '../service/metrics';
import { readUsers, USERS_PER_REQUEST } from '../service/readUsers';
import { userPages, type ListSlice } from '../service/userPaginator';
import type { ListEntry, UserSelection } from '../service/userSelection';
import { Problem } from '../shared/problem';

/** What is read. */
export interface Selection extends RequestLimits {
	selection: UserSelection;
	/** Slug, or empty for all. */
	provider: string;
	concurrency: number;
}

/** What was read of a user, or of a page of users, and how many of the list are done with it. */
export interface EventResult {
	rows: IDataObject[];
	place: number;
	team?: string;
	user?: UserRef;
	entry?: ListEntry;
	isGone?: boolean;
	problem?: Problem;
	tookMs?: number;
}

/** Where reading begins. */
export interface ReadOptions {
	/** From which instant on (ms): everybody's, or a user's own. */
	windowStartOf: (userId?: string) => number;
	/** Which part of the list, where the list itself is what is read. */
	window?: ListSlice;
	/** How often a request for a user is sent at most, if not as often as any other. */
	hasFailed?: (user: UserRef) => boolean;
	/** Whether the pages of a user, who has taken so many ms, are not read on. */
	isTooSlow?: (user: UserRef, tookMs: number) => boolean;
	/** Once it says so nobody is begun any more. */
	isTimeUp?: () => boolean;
}

export interface TriggerEvent extends Identity {
	/** Value of "Trigger On" in saved workflows: never changes. */
	value: string;
	name: string;
	/** One of it, in a sentence. */
	noun: string;
	/** The column that says when it was. */
	time: string;
	/** Where a test event is looked for: in so many users of the list, so many days back. */
	test: { users: number; days: number };
	/** What can be asked of a row to be handed on. */
	minimums: readonly ThresholdOption[];
	/** All rows of a user together. */
	read(get: Get, scope: Selection, readOptions: ReadOptions): AsyncIterable<EventResult>;
}

/** More than this of one user is no measurement, and more than n8n can hand on. */
const MAX_ROWS_PER_USER = 100_000;

/** More users are not in work at once than can be asked for in so many seconds, or none of them would be done for long. */
const SECONDS_IN_LINE = 4;

/** Users who may be read before somebody who takes long: their rows wait in memory. */
const USERS_AHEAD = 1000;

const newReading = (metric: Metric): TriggerEvent => ({
	...identityOf(metric),
	name: metric.event,
	noun: metric.noun,
	test: { users: 50, days: 90 },
	minimums: metric.thresholds,
	read: (get, { selection, provider, concurrency, requestsPerSecond = Infinity }, readOptions) => {
		const { windowStartOf, hasFailed, isTooSlow, isTimeUp } = readOptions;
		return readUsers(get, {
			metric,
			query: ({ user_id }) => ({ start_date: toIso(windowStartOf(user_id)), provider }),
			selection,
			hasFailed,
			width: Math.min(USERS_PER_REQUEST * concurrency, Math.ceil(SECONDS_IN_LINE * requestsPerSecond)),
			ahead: USERS_AHEAD,
			isTimeUp,
			collect: async (pages, user, isCancelled, tookMs) => {
				// Their `id` is found together with what is new.
				return await rowsWithoutId(metric, Infinity, (count) => {
					stopAtTooManyRows(count);
					if (isTooSlow?.(user, tookMs())) throw tooSlow();
				})(pages, user, isCancelled);
			},
		});
	},
});

function stopAtTooManyRows(count: number) {
	if (count <= MAX_ROWS_PER_USER) return;
	throw new Problem(
		`More than ${MAX_ROWS_PER_USER.toLocaleString('en')} readings of one user in the hours that are looked at`,
		"Lower 'Lookback Hours' in the options, or choose a 'Provider'",
	);
}

/** Pages that never end, or come too slowly. */
const tooSlow = () =>
	new Problem(
		'The readings of a user take longer than one poll may',
		"Lower 'Lookback Hours' in the options. If it stays, ask the people who run the service",
		{ kind: 'temporarily-unavailable' },
	);

/** The list of users cannot be asked for a time, so all of it is read. */
const newUser: TriggerEvent = {
	value: 'user',
	name: 'New User',
	noun: 'user',
	time: 'created_on',
	key: ['user_id'],
	values: [],
	test: { users: 5000, days: Infinity },
	minimums: [],
	async *read(get, _scope, { window = {}, isTimeUp }) {
		let place = window.offset ?? 0;
		for await (const users of userPages(get, window)) {
			place += users.length;
			const rows = users.map((one) => withServiceFields({ id: null }, one));
			yield { rows, place, ...(typeof users[0]?.team_id === 'string' && { team: users[0].team_id }) };
			if (isTimeUp?.()) return;
		}
	},
};

export const readingEvents = metrics.map(newReading);

export const events = [...readingEvents, newUser];
