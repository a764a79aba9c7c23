/** Users that the examples read, and the expected results, computed without n8n. */
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import type { MindfulnessPoint } from '../../../dev/sandbox/metrics';
import type { User } from '../../../dev/sandbox/schemas';
import { iso, type MetricName } from '../../../dev/sandbox/world';
import { bloodPressure, createUser, expectedRows, fixedWorld, mindfulness } from '../../helpers/people';

const HOUR = 3_600_000;
const WEEK = 7 * 24 * HOUR;
const started = DateTime.utc();

/** Where it is about noon, so that no day and no week ends while the tests run. The sign of these names is turned round. */
export const ZONE = `Etc/GMT${started.hour < 12 ? '-' : '+'}${Math.abs(12 - started.hour)}`;
export const TODAY = started.setZone(ZONE).toISODate()!;

const lastMonday = started.setZone(ZONE).minus({ weeks: 1 }).startOf('week');
export const LAST_MONDAY = lastMonday.toISODate()!;

export const [FIRST, SECOND, WITHOUT_READINGS] = ['app-user-0001', 'app-user-0002', 'app-user-0003'].map((id) =>
	createUser(id, ['omron', 'oura']),
);

const ago = (hours: number) => iso(started.toMillis() - hours * HOUR);
const fromLastMonday = (duration: object) => iso(lastMonday.plus(duration).toMillis());

export const world = fixedWorld([FIRST, SECOND, WITHOUT_READINGS], {
	[FIRST.user_id]: {
		blood_pressure: [
			bloodPressure(ago(8 * 24), 200, 120),
			bloodPressure(ago(6 * 24), 190, 120),
			bloodPressure(ago(20), 134, 84),
			bloodPressure(ago(10), 135, 70),
			bloodPressure(ago(2), 120, 85, 'withings'),
		],
		mindfulness_minutes: [
			mindfulness(fromLastMonday({ milliseconds: -1 }), 100),
			mindfulness(fromLastMonday({}), 0.1),
			mindfulness(fromLastMonday({ days: 2 }), 0.2),
			mindfulness(fromLastMonday({ days: 2 }), 12.5, 'fitbit', 'watch'),
			mindfulness(fromLastMonday({ days: 7, milliseconds: -1 }), 20),
			mindfulness(fromLastMonday({ days: 7 }), 100),
		],
	},
	[SECOND.user_id]: {
		// The same times from two kinds of one source: readings of their own.
		blood_pressure: Array.from({ length: 8 }, (_, i) =>
			bloodPressure(ago(30 - Math.floor(i / 2)), 110 + i, 70, 'omron', ['cuff', 'phone'][i % 2]),
		),
		mindfulness_minutes: [mindfulness(fromLastMonday({ days: 5 }), 8)],
	},
});

const readings = (user: User, metric: MetricName, from: number, to = Infinity) =>
	world.readings(user.user_id, metric, from, to);
const ofLastWeek = (user: User) =>
	readings(user, 'mindfulness_minutes', lastMonday.toMillis(), lastMonday.toMillis() + WEEK - 1);

/** The row of a sheet for each blood pressure reading of the last seven days. */
export const pressureRows = (user: User): IDataObject[] =>
	expectedRows(user, readings(user, 'blood_pressure', started.toMillis() - WEEK), user.client_user_id, ZONE);

/** The row of the weekly report, but for its key. Minutes are added in hundredths, so that 0.1 and 0.2 make 0.3. */
export const weekRow = (user: User): IDataObject => ({
	week_from: LAST_MONDAY,
	client_user_id: user.client_user_id,
	sessions: ofLastWeek(user).length,
	minutes:
		ofLastWeek(user).reduce((sum, { point }) => sum + Math.round((point as MindfulnessPoint).value * 100), 0) / 100,
	user_id: user.user_id,
});
