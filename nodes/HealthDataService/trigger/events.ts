/**
 * What can be triggered on: a new reading of every metric, and a new user. All of them are rows with a time.
 */
import type { IDataObject } from 'n8n-workflow';
import { metrics, pathOf, type Metric } from '../service/metrics';
import { flatRows } from '../resources/timeseries/read';
import type { Get } from '../http/connect';
import { CONCURRENT_REQUESTS } from '../http/gate';
import { inOrder } from '../shared/inOrder';
import type { Owners } from '../service/usersToRead';
import { cursorPages, userPages } from '../service/userPages';
import { toIso } from '../service/instants';

/** What is read. */
export interface Scope {
	owners: Owners;
	/** What to make of a user that the service does not know: an empty page, or a Problem. */
	onMissing: () => IDataObject;
	/** Slug, or empty for all. */
	provider: string;
	/** Most users of the team's list. */
	mostUsers?: number;
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

const USERS_AT_ONCE = 4 * CONCURRENT_REQUESTS;

const newReading = (metric: Metric): TriggerEvent => ({
	value: metric.value,
	name: metric.event,
	noun: metric.noun,
	time: metric.columns[0],
	key: ['user_id', 'provider', 'source_type'],
	values: metric.columns.slice(1),
	test: { users: 50, days: 90 },
	read: (get, { owners, onMissing, provider }, since) => {
		const query = { start_date: toIso(since), provider };
		return inOrder(owners(get), USERS_AT_ONCE, async (owner, isOver) => {
			const pages = cursorPages(get, pathOf(metric, owner.user_id), query, onMissing);
			return await flatRows(pages, metric.columns, owner, Infinity, isOver);
		});
	},
});

/** The list of users cannot be asked for a time, so all of it is read. */
const newUser: TriggerEvent = {
	value: 'user',
	name: 'New User',
	noun: 'user',
	time: 'created_on',
	key: ['user_id'],
	values: [],
	test: { users: 5000, days: Infinity },
	read: (get, { mostUsers }) => userPages(get, { most: mostUsers }),
};

export const readingEvents = metrics.map(newReading);

export const events = [...readingEvents, newUser];
