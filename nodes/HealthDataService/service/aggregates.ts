/**
 * What many measured values become in one: their sum, mean, least and greatest. Of null, and of nothing, nothing is made up.
 */

/** None of them is told of nothing. The order of the values, which follows that of the pages, changes no result. */
const AGGREGATES = {
	sum: exactSum,
	mean: (values: number[]) => Math.round((exactSum(values) * 10) / values.length) / 10 + 0,
	min: (values: number[]) => values.reduce((a, b) => Math.min(a, b)),
	max: (values: number[]) => values.reduce((a, b) => Math.max(a, b)),
};

export type Aggregate = keyof typeof AGGREGATES;

/** @param values as the service sends them; what is no number does not count */
export function aggregate(how: Aggregate, values: unknown[]): number | null {
	const numbers = values.map(toNumber).filter((value) => value !== undefined);
	return numbers.length > 0 ? AGGREGATES[how](numbers) : null;
}

const DECIMAL = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i;

/** Text that is a number counts as one (quirk 7). Adding 0 makes 0 of -0. */
function toNumber(value: unknown): number | undefined {
	const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number + 0 : undefined;
}

/** With as many decimals as the values have: 0.1 and 0.2 are 0.3. */
function exactSum(values: number[]): number {
	const sum = [...values].sort((a, b) => a - b).reduce((a, b) => a + b);
	return Number(sum.toFixed(values.reduce((most, value) => Math.max(most, decimalsOf(value)), 0))) + 0;
}

/** As many as `toFixed` can give at most. */
function decimalsOf(value: number): number {
	const [digits, exponent = '0'] = String(value).split('e');
	const decimals = (digits.split('.')[1] ?? '').length - Number(exponent);
	return Math.min(Math.max(decimals, 0), 100);
}
