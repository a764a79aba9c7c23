/** Event types of the trigger: a new reading of each metric, and a new user. Events are rows with a time. */
import type { Get } from '../http/client';
import type { RequestLimits } from '../http/requestQueue';
import { readingRows, withServiceFields } from '../service/readings/rows';
import { identityOf, type Identity } from '../service/readings/identity';
import { metrics, type Metric } from '../service/readings/metrics';
import {
	readUsers,
	type ReadUsersOptions,
	type UserResult,
} from '../service/readings/readUsers';
import { HeldReadings } from '../service/readings/heldReadings';
import { MOST, RowLimit } from '../service/readings/rowLimit';
import { lowerUserId } from '../service/users/users';
import type {
	SelectedUser,
	SelectedUsers,
	UserSelection,
} from '../service/users/selection';
import { Problem } from '../shared/problem';

export interface WatchTarget extends RequestLimits {
	selection: UserSelection;
	/** A slug; empty for all. */
	provider: string;
	sourceTypes?: readonly string[];
	concurrency: number;
}

export interface ReadOptions
	extends Pick<ReadUsersOptions, 'attemptsOf' | 'budget' | 'isTimeUp'> {
	target: WatchTarget;
	/** In ms. */
	windowStartOf: (user: SelectedUser) => number;
}

interface TriggerEvent extends Identity {
	name: string;
	/** One event, in a sentence. */
	noun: string;
	/** One result per user, with all rows of the window, as they are completed. */
	read(
		get: Get,
		users: SelectedUsers,
		options: ReadOptions,
	): AsyncIterable<UserResult>;
}

const newReading = (metric: Metric): TriggerEvent => ({
	...identityOf(metric),
	name: metric.event,
	noun: metric.noun,
	read(get, users, { target, windowStartOf, ...options }) {
		const {
			concurrency,
			requestsPerSecond = Infinity,
			provider,
			sourceTypes,
		} = target;
		const query = (user: SelectedUser) => {
			const start_date = new Date(windowStartOf(user)).toISOString();
			return { start_date, provider };
		};
		return readUsers(get, {
			held: new HeldReadings(),
			...options,
			metric,
			query,
			selection: { ...target.selection, users: () => users },
			asCompleted: true,
			// With more users in progress, hanging requests would keep another user's second one waiting.
			width: Math.ceil(Math.min(concurrency, requestsPerSecond)),
			sourceTypes,
			limit: new RowLimit(
				Infinity,
				new Problem(
					`More than ${MOST} readings of one user within 'Lookback Hours'`,
					"Choose a 'Provider': then the trigger starts over",
				),
			),
			// `toItem` fills in `local_time`, `row_id` and `change`.
			toRows: (groups, { user }) =>
				readingRows({ metric, hasChange: true }, groups, user),
		});
	},
});

/** The service cannot filter the user list by time, so every poll reads all of it. */
const newUser: TriggerEvent = {
	value: 'user',
	name: 'New User',
	noun: 'user',
	time: 'created_on',
	key: ['user_id'],
	async *read(_get, users) {
		for await (const one of users) {
			const user_id = lowerUserId(one.user.user_id);
			const row = withServiceFields(
				{ row_id: null, change: null },
				{ ...one.record, user_id },
			);
			yield { ...one, rows: [row], isGone: false, tookMs: 0, endedAt: 0 };
		}
	},
};

export const readingEvents = metrics.map(newReading);

export const events = [...readingEvents, newUser];
