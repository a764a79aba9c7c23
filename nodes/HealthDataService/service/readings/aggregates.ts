/** Aggregates of numbers. The order of the values does not change the result. */
import type { Aggregate } from './metrics';

/** The list is never empty. */
const AGGREGATES: Record<Aggregate, (values: number[]) => number> = {
	sum: exactSum,
	mean: (values) => Math.round((exactSum(values) * 10) / values.length) / 10 + 0,
	min: (values) => values.reduce((a, b) => Math.min(a, b)),
	max: (values) => values.reduce((a, b) => Math.max(a, b)),
};

/** Null for no values. */
export const aggregate = (how: Aggregate, values: number[]): number | null =>
	values.length > 0 ? AGGREGATES[how](values) : null;

/** Rounded to the decimals of the values: 0.1 + 0.2 is 0.3. */
function exactSum(values: number[]): number {
	const sum = [...values].sort((a, b) => a - b).reduce((a, b) => a + b);
	const decimals = values.reduce((most, value) => Math.max(most, decimalsOf(value)), 0);
	return Number(sum.toFixed(decimals)) + 0;
}

/** At most 100, the limit of `toFixed`. */
function decimalsOf(value: number): number {
	if (Number.isInteger(value)) return 0;
	const [digits, exponent = '0'] = String(value).split('e');
	const decimals = (digits.split('.')[1] ?? '').length - Number(exponent);
	return Math.min(Math.max(decimals, 0), 100);
}
