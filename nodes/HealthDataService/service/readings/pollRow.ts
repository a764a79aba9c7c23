/** One row per user of a poll: the new and corrected readings of the trigger's *One Item per User*. */
import type { IDataObject } from 'n8n-workflow';
import { isBlank } from '../../shared/values';
import type { UserRef } from '../users/users';
import type { IdentifiedRow, LocalTimeOf } from './identity';
import { reachedBy, reachedText, type Limit } from './measured';
import { measurementsOf, readingOf, type Reading } from './measurements';
import { conversionOf, measuredColumns, type Metric } from './metrics';
import { greatest, periodColumns, periodValues, rowIdOf, rowOf } from './summary';

export interface PollReadings {
	/** The readings that go out. */
	emitted: ReadonlyArray<IdentifiedRow & { change: 'created' | 'updated' }>;
	/** All readings of the user in the lookback. */
	inLookback: readonly IDataObject[];
	/** Minimums and low values. */
	limits: readonly Limit[];
	localTimeOf: LocalTimeOf;
}

export const pollColumns = (metric: Metric, limits: readonly Limit[]): string[] =>
	periodColumns(metric, limits.length > 0 ? ['corrected', 'reached'] : ['corrected']);

export function pollRow(
	metric: Metric,
	user: UserRef,
	readings: PollReadings,
): IDataObject {
	const { emitted, inLookback, limits, localTimeOf } = readings;
	const read = (row: IDataObject) => readingOf(metric, row, localTimeOf);
	const out = emitted.map(({ row }) => read(row));
	const values = valuesOf(metric, out);
	if (values.readings === 0) {
		Object.assign(values, asItCame(metric, out));
	} else {
		const { latest, latest_time } = valuesOf(metric, inLookback.map(read));
		Object.assign(values, { latest, latest_time });
	}
	values.reached = reachedText(out.map((one) => reachedBy(metric, limits, one.values)));
	values.corrected = emitted.filter(({ change }) => change === 'updated').length;
	// The same for a repeated item.
	const parts = emitted.map((one) => one.key + one.values).sort();
	values.row_id = rowIdOf(metric, 'poll', user, parts);
	return rowOf(pollColumns(metric, limits), user, values);
}

function valuesOf(metric: Metric, readings: Reading[]): IDataObject {
	const none = { meanLimits: [], limits: [] };
	return periodValues(metric, none, measurementsOf(metric, readings));
}

/** The newest reading where no number can be trusted: an alert without values helps nobody. */
function asItCame(metric: Metric, readings: Reading[]): IDataObject {
	const { row, local } = greatest(readings, ({ time = -Infinity }) => [time])!;
	const columns = measuredColumns(metric);
	const values = columns.map((column) => shownAs(row[column])).join('/');
	// An unknown unit would make the values look like those of the metric's.
	const isKnown = conversionOf(metric.unit, row.unit) !== undefined;
	const text = isKnown ? values : `${values} ${String(row.unit)}`;
	return { latest: text, latest_time: local, highest: text, highest_time: local };
}

const shownAs = (value: unknown) => (isBlank(value) ? '–' : String(value));
