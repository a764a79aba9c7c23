/** Aggregates: sum, mean, minimum and maximum of measured values. Null does not count, and nothing to count is null. */

/** The list is never empty. The order of the values does not change the result. */
const AGGREGATES = {
	sum: exactSum,
	mean: (values: number[]) => Math.round((exactSum(values) * 10) / values.length) / 10 + 0,
	min: (values: number[]) => values.reduce((a, b) => Math.min(a, b)),
	max: (values: number[]) => values.reduce((a, b) => Math.max(a, b)),
};

export type Aggregate = keyof typeof AGGREGATES;

/** @param values as the service sends them; only numbers count */
export function aggregate(how: Aggregate, values: unknown[]): number | null {
	const numbers = values.map(toNumber).filter((value) => value !== undefined);
	return numbers.length > 0 ? AGGREGATES[how](numbers) : null;
}

export function aggregateColumns(
	columns: Readonly<Record<string, readonly Aggregate[]>>,
	valuesOf: (column: string) => unknown[],
): Record<string, number | null> {
	const entries = Object.entries(columns).flatMap(([column, hows]) => {
		const values = valuesOf(column);
		return hows.map((how) => [`${column}_${how}`, aggregate(how, values)] as const);
	});
	return Object.fromEntries(entries);
}

const DECIMAL = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i;

/** Numeric text counts as a number (quirk 7). Adding 0 turns -0 into 0. */
export function toNumber(value: unknown): number | undefined {
	const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number + 0 : undefined;
}

/** Rounded to the decimals of the values: 0.1 + 0.2 is 0.3. */
function exactSum(values: number[]): number {
	const sum = [...values].sort((a, b) => a - b).reduce((a, b) => a + b);
	return (
		Number(sum.toFixed(values.reduce((most, value) => Math.max(most, decimalsOf(value)), 0))) + 0
	);
}

/** At most 100, the limit of `toFixed`. */
function decimalsOf(value: number): number {
	const [digits, exponent = '0'] = String(value).split('e');
	const decimals = (digits.split('.')[1] ?? '').length - Number(exponent);
	return Math.min(Math.max(decimals, 0), 100);
}
