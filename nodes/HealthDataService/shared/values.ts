/**
 * Plain values out of fields that an expression may have filled with anything.
 */
import { Problem } from './problem';

/** A text field: numbers are welcome, since identifiers often are; blank means empty. */
export function text(value: unknown): string {
	if (typeof value === 'number' || typeof value === 'bigint') return String(value);
	return typeof value === 'string' && value.trim() !== '' ? value : '';
}

/** A number field. `field` is its name on the screen. */
export function wholeNumber(value: unknown, field: string, min: number): number {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof number === 'number' && Number.isSafeInteger(number) && number >= min) return number;
	throw new Problem(`'${field}' is not a whole number of ${min} or more`, `Enter '${field}' in digits, such as 50`);
}

/** Whether nothing was given. */
export const isBlank = (value: unknown) =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
