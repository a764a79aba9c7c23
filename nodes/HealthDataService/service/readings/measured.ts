/** Measured values of a reading in the unit of its metric: what limits, means and lists compare. */
import type { IDataObject } from 'n8n-workflow';
import { isBlank, toNumber } from '../../shared/values';
import { valueKey } from './identity';
import { conversionOf, measuredColumns, type Metric } from './metrics';

/** A number in the metric's unit; null where the service sent no value; value and unit as text where they cannot be compared. */
export type Measured = number | null | string;

/** One value for each measured column. */
export function measuredValues(metric: Metric, row: IDataObject): Measured[] {
	const convert = conversionOf(metric.unit, row.unit);
	return measuredColumns(metric).map((column) => {
		const value = row[column];
		if (isBlank(value)) return null;
		const number = toNumber(value);
		if (number !== undefined && convert) return convert(number);
		return `${valueKey(value)} ${valueKey(row.unit)}`;
	});
}

/** Whether all are numbers. */
export const areComplete = (values: readonly Measured[]): values is number[] =>
	values.every((value) => typeof value === 'number');

/** Whether a person can have these values. A missing value and one that cannot be compared do not count. */
export function arePossible(
	metric: Metric,
	values: readonly Measured[],
): boolean {
	const numbers = values.map((value) =>
		typeof value === 'number' ? value : NaN,
	);
	return metric.isPossible(...numbers);
}

/** A limit of one column, from an option: values of at least, or of at most, this reach it. */
export interface Limit {
	column: string;
	least?: number;
	most?: number;
}

export const NOT_COMPARABLE = 'not comparable';
const IN_ORDER = ['high', 'low', NOT_COMPARABLE] as const;

/** What any of the readings reach, each value alone, as text in a fixed order. Impossible values reach nothing. */
export function reachedText(
	metric: Metric,
	limits: readonly Limit[],
	readings: ReadonlyArray<{ values: readonly Measured[] }>,
): string {
	const columns = measuredColumns(metric);
	const possible = readings.filter(({ values }) => arePossible(metric, values));
	const reached = limits.flatMap((limit) => {
		const at = columns.indexOf(limit.column);
		return possible.map(({ values }) => reachedBy(limit, values[at]));
	});
	return IN_ORDER.filter((one) => reached.includes(one)).join(', ');
}

function reachedBy(
	{ least = Infinity, most = -Infinity }: Limit,
	value: Measured,
) {
	if (typeof value === 'string') return NOT_COMPARABLE;
	if (value !== null && value >= least) return 'high';
	return value !== null && value <= most ? 'low' : undefined;
}
