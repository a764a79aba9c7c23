/** Aggregates of numbers. The order of the values does not change the result. */
import type { Aggregate } from './metrics';

/** Of values in ascending order, at least one. */
const AGGREGATES: Record<Aggregate, (sorted: number[]) => number> = {
	sum: exactSum,
	mean: meanOf,
	min: (sorted) => sorted[0],
	max: (sorted) => sorted[sorted.length - 1],
};

/** Null for no values. */
export function aggregate(
	how: Aggregate,
	values: readonly number[],
): number | null {
	if (values.length === 0) return null;
	const sorted = [...values].sort((a, b) => a - b);
	return AGGREGATES[how](sorted);
}

/** To one decimal. Adding 0 turns -0 into 0. */
function meanOf(values: number[]): number {
	const tenths = (exactSum(values) * 10) / values.length;
	return Math.round(tenths) / 10 + 0;
}

/** To twelve digits: 0.1 + 0.2 is 0.3, however many are added. */
function exactSum(values: number[]): number {
	const sum = values.reduce((total, value) => total + value, 0);
	return Number(sum.toPrecision(12));
}
