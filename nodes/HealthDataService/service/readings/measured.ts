/** Measured values of a reading in the unit of its metric: what thresholds, means and lists compare. */
import type { IDataObject } from 'n8n-workflow';
import { isBlank } from '../../shared/values';
import { toNumber } from './aggregates';
import { measuredColumns, type Metric } from './metrics';

/** Text in place of a value that is no number, or in an unknown unit. */
export const NOT_COMPARABLE = 'not comparable';

/** A number in the metric's unit; null where the service sent no value. */
export type Measured = number | null | typeof NOT_COMPARABLE;

/** One value for each measured column. */
export function measuredValues(metric: Metric, row: IDataObject): Measured[] {
	const convert = conversionOf(metric, row.unit);
	return measuredColumns(metric).map((column) => {
		const value = row[column];
		if (isBlank(value)) return null;
		const number = toNumber(value);
		if (number === undefined || convert === undefined) return NOT_COMPARABLE;
		return convert(number);
	});
}

/** Whether a person can have these values. A missing value and one that cannot be compared do not count. */
export const arePossible = (metric: Metric, values: readonly Measured[]): boolean =>
	metric.isPossible(...values.map((value) => (typeof value === 'number' ? value : NaN)));

/** No unit counts as the metric's; undefined for an unknown one (quirk 33). */
function conversionOf({ unit }: Metric, given: unknown) {
	const spelling = isBlank(given) ? unit.name : given;
	if (typeof spelling !== 'string') return undefined;
	const key = spelling.replace(/\s/g, '').toLowerCase();
	return Object.hasOwn(unit.from, key) ? unit.from[key] : undefined;
}
