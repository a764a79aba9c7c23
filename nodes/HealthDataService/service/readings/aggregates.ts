/** Aggregates of numbers. The order of the values does not change the result, which is rounded last. */
import { rounded } from '../../shared/values';
import type { Aggregate } from './metrics';

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
	if (how === 'min') return sorted[0];
	if (how === 'max') return sorted[sorted.length - 1];
	const sum = sorted.reduce((total, value) => total + value, 0);
	return rounded(how === 'sum' ? sum : sum / sorted.length, 1);
}
