/** Measured values of a reading in the unit of its metric: what limits, means and lists compare. */
import type { IDataObject } from 'n8n-workflow';
import { isBlank, toNumber } from '../../shared/values';
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
export function conversionOf({ unit }: Metric, given: unknown) {
	if (given === unit.name || isBlank(given)) return unit.from[unit.name.toLowerCase()];
	if (typeof given !== 'string') return undefined;
	const key = given.replace(/\s/g, '').toLowerCase();
	return Object.hasOwn(unit.from, key) ? unit.from[key] : undefined;
}

/** A limit of one column, from an option: values of at least, or of at most, this reach it. */
export interface Limit {
	column: string;
	least?: number;
	most?: number;
}

export type Reached = 'high' | 'low' | typeof NOT_COMPARABLE;

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

/** As text, in a fixed order; empty for none. */
export const reachedText = (reached: ReadonlySet<Reached>) =>
	IN_ORDER.filter((one) => reached.has(one)).join(', ');
