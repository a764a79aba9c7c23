/** Measured values of a reading in the unit of its metric, exact and as they are shown and compared. */
import type { IDataObject } from 'n8n-workflow';
import { instantOf } from '../../shared/dateTime';
import { isBlank, rounded, toNumber } from '../../shared/values';
import {
	conversionOf,
	measuredColumns,
	spellingOf,
	type Metric,
} from './metrics';

/** A number in the metric's unit; null where the service sent no value; value and unit as text where they cannot be compared. */
export type Measured = number | null | string;

/** The values of a reading, one for each measured column. */
export interface Values {
	/** To show and to compare: texts, minima, maxima, limits, and which readings are equal or changed. */
	values: Measured[];
	/** Not rounded: for sums, means and what is possible, which would add up the errors. */
	exact: Measured[];
}

export function measuredValues(metric: Metric, row: IDataObject): Values {
	const conversion = conversionOf(metric.unit, row.unit);
	const exact = measuredColumns(metric).map((column) => {
		const value = row[column];
		if (isBlank(value)) return null;
		const number = toNumber(value);
		if (number !== undefined && conversion) return conversion.convert(number);
		return `${valueKey(value)} ${valueKey(row.unit)}`;
	});
	const values = exact.map((value) =>
		typeof value === 'number' ? rounded(value, conversion!.decimals) : value,
	);
	return { values, exact };
}

/** The same text for the same value: numbers as text and units are spelled in several ways (quirk 7). */
export function valueKey(value: unknown): string {
	const number = toNumber(value);
	if (number !== undefined) return String(number);
	const { millis, key } = instantOf(value);
	const isWord = millis === undefined && typeof value === 'string';
	return isWord ? spellingOf(value) : key;
}

/** Whether all are numbers. */
export const areComplete = (values: readonly Measured[]): values is number[] =>
	values.every((value) => typeof value === 'number');

/** Whether a person can have these values, which are not rounded. A missing value and one that cannot be compared do not count. */
export function arePossible(
	metric: Metric,
	exact: readonly Measured[],
): boolean {
	const numbers = exact.map((value) =>
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
	readings: readonly Values[],
): string {
	const columns = measuredColumns(metric);
	const possible = readings.filter(({ exact }) => arePossible(metric, exact));
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
