/**
 * What can be triggered on: a new reading of every metric, and a new user. All of them are rows with a time.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get } from '../http/connect';
import { CONCURRENT_REQUESTS } from '../http/gate';
import { toIso } from '../service/instants';
import { metrics, type Metric } from '../service/metrics';
import { flatRows, sweep, USERS_PER_REQUEST } from '../service/sweep';
import { userPages } from '../service/userPages';
import type { UsersToRead } from '../service/usersToRead';
import { Problem } from '../shared/problem';

/** What is read. */
export interface Scope {
	usersToRead: UsersToRead;
	/** Slug, or empty for all. */
	provider: string;
	/** Most users of the team's list. */
	maxUsers?: number;
}

export interface TriggerEvent {
	/** Value of "Trigger On" in saved workflows: never changes. */
	value: string;
	name: string;
	/** One of it, in a sentence. */
	noun: string;
	/** The column that says when it was. */
	time: string;
	/** Columns that, with the time, make it the same one (quirk 11). */
	key: readonly string[];
	/** Columns whose change is a correction. */
	values: readonly string[];
	/** Where a test event is looked for: in so many users of the list, so many days back. */
	test: { users: number; days: number };
	/** Everything from `since` (ms) on. What has the same key comes together, the latest last. */
	read(get: Get, scope: Scope, since: number): AsyncIterable<IDataObject[]>;
}

/** More than this of one user is no measurement, and more than n8n can hand on. */
const MAX_ROWS_PER_USER = 100_000;

const newReading = (metric: Metric): TriggerEvent => ({
	value: metric.value,
	name: metric.event,
	noun: metric.noun,
	time: metric.columns[0],
	key: ['user_id', 'provider', 'source_type'],
	values: metric.columns.slice(1),
	test: { users: 50, days: 90 },
	async *read(get, { usersToRead, provider }, since) {
		const results = sweep(get, {
			metric,
			query: { start_date: toIso(since), provider },
			usersToRead,
			width: USERS_PER_REQUEST * CONCURRENT_REQUESTS,
			collect: flatRows(metric.columns, Infinity, stopAtTooManyRows),
		});
		for await (const { rows, problem } of results) {
			if (problem) throw problem;
			yield rows;
		}
	},
});

function stopAtTooManyRows(count: number) {
	if (count <= MAX_ROWS_PER_USER) return;
	throw new Problem(
		`More than ${MAX_ROWS_PER_USER.toLocaleString('en')} readings of one user in the hours that are looked at`,
		"Lower 'Lookback Hours' in the options, or choose a 'Provider'",
	);
}

/** The list of users cannot be asked for a time, so all of it is read. */
const newUser: TriggerEvent = {
	value: 'user',
	name: 'New User',
	noun: 'user',
	time: 'created_on',
	key: ['user_id'],
	values: [],
	test: { users: 5000, days: Infinity },
	read: (get, { maxUsers }) => userPages(get, { limit: maxUsers }),
};

export const readingEvents = metrics.map(newReading);

export const events = [...readingEvents, newUser];
