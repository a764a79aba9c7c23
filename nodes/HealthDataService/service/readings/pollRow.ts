/** One row per user of a poll: the new and corrected readings of the trigger's *One Item per User*. */
import type { IDataObject } from 'n8n-workflow';
import { isBlank } from '../../shared/values';
import type { UserRef } from '../users/users';
import type { IdentifiedRow, LocalTimeOf } from './identity';
import {
	conversionOf,
	measuredValues,
	reachedBy,
	reachedText,
	type Limit,
	type Reached,
} from './measured';
import { measurementsOf, timedReading, type TimedReading } from './measurements';
import { measuredColumns, type Metric } from './metrics';
import {
	averageColumns,
	otherAggregates,
	periodValues,
	rowIdOf,
	rowOf,
	SINGLE_READINGS,
} from './summary';

export interface PollReadings {
	/** The readings that go out. */
	emitted: ReadonlyArray<IdentifiedRow & { change: 'created' | 'updated' }>;
	/** All readings of the user in the lookback. */
	inLookback: readonly IDataObject[];
	/** Minimums and low values. */
	limits: readonly Limit[];
	localTimeOf: LocalTimeOf;
}

export function pollColumns(metric: Metric, limits: readonly Limit[]): string[] {
	return [
		'client_user_id',
		...(limits.length > 0 ? ['reached'] : []),
		...averageColumns(metric),
		...['unit', 'readings', 'corrected'],
		...SINGLE_READINGS,
		...otherAggregates(metric),
		...['left_out', 'providers', 'source_types', 'user_id', 'row_id'],
	];
}

export function pollRow(metric: Metric, user: UserRef, readings: PollReadings): IDataObject {
	const { emitted, inLookback, limits, localTimeOf } = readings;
	const timed = (row: IDataObject) => timedReading(metric, row, localTimeOf);
	const given = { meanLimits: [], limits: [] };
	const ofEmitted = emitted.map(({ row }) => timed(row));
	const values = periodValues(metric, given, measurementsOf(metric, ofEmitted));
	if (values.readings === 0) {
		Object.assign(values, asItCame(metric, ofEmitted));
	} else {
		const all = measurementsOf(metric, inLookback.map(timed));
		const { latest, latest_time } = periodValues(metric, given, all);
		Object.assign(values, { latest, latest_time });
	}
	values.reached = reachedByAny(metric, limits, ofEmitted);
	values.corrected = emitted.filter(({ change }) => change === 'updated').length;
	// The same for a repeated item.
	const parts = emitted.map((one) => one.key + one.values).sort();
	values.row_id = rowIdOf(metric, 'poll', user, parts);
	return rowOf(pollColumns(metric, limits), user, values);
}

function reachedByAny(metric: Metric, limits: readonly Limit[], readings: TimedReading[]) {
	const reached = new Set<Reached>();
	for (const { row } of readings)
		for (const one of reachedBy(metric, limits, measuredValues(metric, row))) reached.add(one);
	return reachedText(reached);
}

/** The newest reading where no number can be trusted: an alert without values helps nobody. */
function asItCame(metric: Metric, readings: TimedReading[]): IDataObject {
	const newest = readings.reduce((a, b) =>
		(b.time ?? -Infinity) >= (a.time ?? -Infinity) ? b : a,
	);
	const { row, local } = newest;
	const values = measuredColumns(metric)
		.map((column) => shownAs(row[column]))
		.join('/');
	// An unknown unit would make the values look like those of the metric's.
	const text = conversionOf(metric, row.unit) ? values : `${values} ${String(row.unit)}`;
	return { latest: text, latest_time: local, highest: text, highest_time: local };
}

const shownAs = (value: unknown) => (isBlank(value) ? '–' : String(value));
