/** Measured values of a reading in the unit of its metric, exact and as they are shown and compared. */
import type { IDataObject } from 'n8n-workflow';
import { instantOf } from '../../shared/dateTime';
import { isBlank, rounded, toNumber } from '../../shared/values';
import {
	conversionOf,
	measuredColumns,
	spellingOf,
	unknown,
	type Limits,
	type Metric,
} from './metrics';

/** A number in the metric's unit; null where the service sent no value; value and unknown unit as text where they cannot be compared. */
export type Measured = number | null | string;

/** The values of a reading, one for each measured column. */
export interface Values {
	/** To show and to compare: texts, minima, maxima, limits, and which readings are equal or changed. */
	values: Measured[];
	/** Not rounded, for sums, means and what is possible, which would add up the errors; NaN for what is no number. */
	exact: number[];
}

export function measuredValues(metric: Metric, row: IDataObject): Values {
	const conversion = conversionOf(metric.unit, row.unit);
	const { factor, decimals } = conversion;
	const unit = conversion === unknown ? valueKey(row.unit) : '';
	const given = measuredColumns(metric).map((column) => row[column]);
	const exact = given.map((value) => (toNumber(value) ?? NaN) * factor);
	const values = given.map((value, at) => {
		if (isBlank(value)) return null;
		if (!Number.isNaN(exact[at])) return rounded(exact[at], decimals);
		return `${valueKey(value)} ${unit}`;
	});
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

/** What a reading may reach, in the order of texts. */
const REACHED = ['high', 'low', 'not comparable'] as const;
export type Reached = (typeof REACHED)[number];

/**
 * What any of the readings reach. Each value counts alone, so one that is missing leaves the other. A value that cannot be compared is
 * told where it has a limit. Impossible values reach nothing.
 */
export function reachedBy(
	metric: Metric,
	{ high = [], low = [] }: Limits,
	readings: readonly Values[],
): Set<Reached> {
	const possible = readings.filter(({ exact }) => metric.isPossible(...exact));
	const reached = possible.flatMap(({ values }) =>
		values.flatMap((value, at) => wordsOf(value, high[at], low[at])),
	);
	return new Set(reached);
}

function wordsOf(value: Measured, high?: number, low?: number): Reached[] {
	if (high === undefined && low === undefined) return [];
	if (typeof value === 'string') return ['not comparable'];
	if (value === null) return [];
	const words: Reached[] = [];
	if (value >= (high ?? Infinity)) words.push('high');
	if (value <= (low ?? -Infinity)) words.push('low');
	return words;
}

/** For the column `reached`. */
export const reachedText = (reached: ReadonlySet<Reached>) =>
	REACHED.filter((word) => reached.has(word)).join(', ');
