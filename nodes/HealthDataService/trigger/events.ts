/** Event types of the trigger: a new reading of each metric, and a new user. Events are rows with a time. */
import type { Get } from '../http/client';
import type { RequestLimits } from '../http/requestQueue';
import { collectRows, ofSourceTypes, withServiceFields } from '../service/readings/rows';
import { identityOf, type Identity } from '../service/readings/identity';
import { metrics, type Metric, type ThresholdOption } from '../service/readings/metrics';
import {
	readUsers,
	USERS_PER_REQUEST,
	type ReadUsersOptions,
	type UserResult,
} from '../service/readings/readUsers';
import { limitOf } from '../service/readings/rowLimit';
import { lowerUserId } from '../service/users/users';
import type { SelectedUser, UserSelection } from '../service/users/selection';
import { Problem } from '../shared/problem';

export interface WatchTarget extends RequestLimits {
	selection: UserSelection;
	/** A slug; empty for all. */
	provider: string;
	sourceTypes?: readonly string[];
	concurrency: number;
}

export interface ReadOptions extends Pick<ReadUsersOptions, 'isTriedOnce' | 'budget' | 'isTimeUp'> {
	/** In ms. */
	windowStartOf: (user: SelectedUser) => number;
}

export interface TriggerEvent extends Identity {
	name: string;
	/** One event, in a sentence. */
	noun: string;
	/** How many days back a test event is looked for. */
	testDays: number;
	thresholds: readonly ThresholdOption[];
	/** One result per user, with all rows of the window, as they are completed. */
	read(get: Get, target: WatchTarget, options: ReadOptions): AsyncIterable<UserResult>;
}

const newReading = (metric: Metric): TriggerEvent => ({
	...identityOf(metric),
	name: metric.event,
	noun: metric.noun,
	testDays: 90,
	thresholds: metric.thresholds,
	read: (
		get,
		{ concurrency, requestsPerSecond = Infinity, ...target },
		{ windowStartOf, ...options },
	) =>
		readUsers(get, {
			...options,
			metric,
			query: (user) => ({
				start_date: new Date(windowStartOf(user)).toISOString(),
				provider: target.provider,
			}),
			selection: target.selection,
			asCompleted: true,
			// Not more than a rate limit leaves room for: they would all wait, and none would be done soon.
			width: Math.ceil(USERS_PER_REQUEST * Math.min(concurrency, requestsPerSecond)),
			// Change detection adds `local_time` and `row_id`.
			collect: ofSourceTypes(
				target.sourceTypes,
				collectRows(metric, limitOf(Infinity, tooManyRows)),
			),
		}),
});

const tooManyRows = (most: string) =>
	new Problem(
		`More than ${most} readings of one user within 'Lookback Hours'`,
		"Lower 'Lookback Hours' in the options, or choose a 'Provider'",
	);

/** The service cannot filter the user list by time, so every poll reads all of it. */
const newUser: TriggerEvent = {
	value: 'user',
	name: 'New User',
	noun: 'user',
	time: 'created_on',
	key: ['user_id'],
	values: [],
	testDays: Infinity,
	thresholds: [],
	async *read(get, { selection }, { isTimeUp }) {
		for await (const one of selection.users(get)) {
			const user_id = lowerUserId(one.user.user_id);
			yield {
				...one,
				rows: [withServiceFields({ row_id: null }, { ...one.record, user_id })],
				isGone: false,
				tookMs: 0,
			};
			if (isTimeUp?.()) return;
		}
	},
};

export const readingEvents = metrics.map(newReading);

export const events = [...readingEvents, newUser];
