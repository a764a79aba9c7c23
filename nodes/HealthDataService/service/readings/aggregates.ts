/** Aggregates of numbers. The order of the values does not change the result, which is rounded last. */
import { rounded } from '../../shared/values';
import type { Aggregate } from './metrics';

/** Of values in ascending order, at least one. */
const AGGREGATES: Record<Aggregate, (sorted: number[]) => number> = {
	sum: (sorted) => rounded(exactSum(sorted), 1),
	mean: (sorted) => rounded(exactSum(sorted) / sorted.length, 1),
	min: (sorted) => sorted[0],
	max: (sorted) => sorted[sorted.length - 1],
};

/** Which values of a reading are aggregated. */
export const BASIS = {
	sum: 'exact',
	mean: 'exact',
	min: 'values',
	max: 'values',
} as const;

/** Null for no values. */
export function aggregate(
	how: Aggregate,
	values: readonly number[],
): number | null {
	if (values.length === 0) return null;
	const sorted = [...values].sort((a, b) => a - b);
	return AGGREGATES[how](sorted);
}

/** To twelve digits: 0.1 + 0.2 is 0.3, however many are added. */
function exactSum(values: number[]): number {
	const sum = values.reduce((total, value) => total + value, 0);
	return Number(sum.toPrecision(12));
}
