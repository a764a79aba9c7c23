/** Measured values of a reading in the unit of its metric: what limits, means and lists compare. */
import type { IDataObject } from 'n8n-workflow';
import { isBlank, toNumber } from '../../shared/values';
import { conversionOf, measuredColumns, type Metric } from './metrics';

/** Text in place of a value that is no number, or in an unknown unit. */
const NOT_COMPARABLE = 'not comparable';

/** A number in the metric's unit; null where the service sent no value. */
export type Measured = number | null | typeof NOT_COMPARABLE;

/** One value for each measured column. */
export function measuredValues(metric: Metric, row: IDataObject): Measured[] {
	const convert = conversionOf(metric.unit, row.unit);
	return measuredColumns(metric).map((column) => {
		const value = row[column];
		if (isBlank(value)) return null;
		const number = toNumber(value);
		if (number === undefined || convert === undefined) return NOT_COMPARABLE;
		return convert(number);
	});
}

/** Whether all are numbers. */
export const areComplete = (values: readonly Measured[]): values is number[] =>
	values.every((value) => typeof value === 'number');

/** Whether a person can have these values. A missing value and one that cannot be compared do not count. */
export function arePossible(metric: Metric, values: readonly Measured[]): boolean {
	const numbers = values.map((value) => (typeof value === 'number' ? value : NaN));
	return metric.isPossible(...numbers);
}

/** A limit of one column, from an option: values of at least, or of at most, this reach it. */
export interface Limit {
	column: string;
	least?: number;
	most?: number;
}

type Reached = 'high' | 'low' | typeof NOT_COMPARABLE;

/** Which limits the values of a reading reach, each value alone. Impossible values reach none. */
export function reachedBy(
	metric: Metric,
	limits: readonly Limit[],
	values: readonly Measured[],
): Set<Reached> {
	const reached = new Set<Reached>();
	if (!arePossible(metric, values)) return reached;
	const columns = measuredColumns(metric);
	for (const { column, least = Infinity, most = -Infinity } of limits) {
		const value = values[columns.indexOf(column)];
		if (value === NOT_COMPARABLE) reached.add(NOT_COMPARABLE);
		else if (value !== null && value >= least) reached.add('high');
		else if (value !== null && value <= most) reached.add('low');
	}
	return reached;
}

const IN_ORDER: readonly Reached[] = ['high', 'low', NOT_COMPARABLE];

/** What any of these have reached, as text in a fixed order; empty for nothing. */
export function reachedText(
	metric: Metric,
	limits: readonly Limit[],
	readings: ReadonlyArray<{ values: readonly Measured[] }>,
): string {
	const reached = readings.map(({ values }) => reachedBy(metric, limits, values));
	return IN_ORDER.filter((one) => reached.some((ofOne) => ofOne.has(one))).join(', ');
}
