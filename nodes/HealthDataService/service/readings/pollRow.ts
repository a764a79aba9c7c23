/** One row per user of a poll: the new and corrected readings of the trigger's *One Item per User*. */
import type { IDataObject } from 'n8n-workflow';
import type { LocalTimeOf } from '../../shared/dateTime';
import { isBlank } from '../../shared/values';
import type { UserRef } from '../users/users';
import type { IdentifiedRow } from './identity';
import { reachedText, type Limit } from './measured';
import {
	measurementsOf,
	msAfter,
	readingOf,
	type Measurement,
	type Reading,
} from './measurements';
import { asIs, conversionOf, measuredColumns, type Metric } from './metrics';
import { periodValues, rowMaker } from './summary';

export interface PollReadings {
	/** The readings that go out, with their `change`. */
	emitted: readonly IdentifiedRow[];
	/** All readings of the user in the lookback. */
	inLookback: readonly IDataObject[];
	/** The latest time that it may be now (ms). */
	latestNow: number;
	/** Minimums and low values. */
	limits: readonly Limit[];
	localTimeOf: LocalTimeOf;
}

export function pollRow(
	metric: Metric,
	user: UserRef,
	{ emitted, inLookback, latestNow, limits, localTimeOf }: PollReadings,
): IDataObject {
	const common = { meanLimits: [], onlyStatus: [], comparesPrevious: false };
	const options = { ...common, metric, limits };
	const read = (row: IDataObject) => readingOf(metric, row, localTimeOf);
	const out = emitted.map(({ row }) => read(row));
	const measurements = measurementsOf(metric, out);
	const values = periodValues(options, measurements);
	if (values.readings === 0) {
		Object.assign(values, asItCame(metric, out));
	} else {
		// A reading dated ahead would be the latest until then. One that goes out may be it.
		const known = inLookback.map(read);
		const past = known.filter(({ time = 0 }) => time <= latestNow);
		const candidates = measurementsOf(metric, [...out, ...past]);
		const { latest, latest_time } = periodValues(options, candidates);
		Object.assign(values, { latest, latest_time });
	}
	values.reached = reachedText(metric, limits, out);
	values.corrected = measurements.filter(isCorrected).length;
	// The same for a repeated item.
	const id = emitted.map((one) => one.key + one.values).sort();
	return rowMaker('poll', options)(user, values, id);
}

const isCorrected = ({ copies }: Measurement) =>
	copies.some(({ row }) => row.change === 'updated');

/** The newest reading where no number can be trusted: an alert without values helps nobody. */
function asItCame(metric: Metric, readings: Reading[]): IDataObject {
	const { row, local } = [...readings].sort(msAfter).at(-1)!;
	const given = measuredColumns(metric).map((column) => row[column]);
	const values = given
		.map((value) => (isBlank(value) ? '–' : String(value)))
		.join('/');
	// Without another unit, the values would look like those in the metric's.
	const isOwn = conversionOf(metric.unit, row.unit) === asIs;
	const text = isOwn ? values : `${values} ${String(row.unit)}`;
	return {
		latest: text,
		latest_time: local,
		highest: text,
		highest_time: local,
	};
}
