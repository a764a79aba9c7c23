/**
 * Plain values out of fields that an expression may have filled with anything: exactly what was meant, or a Problem with
 * the field's name on the screen. Nothing (undefined, null) never counts as left empty: that could widen what is read.
 */
import { Problem } from './problem';

/** An identifier or a name: numbers are welcome, since identifiers often are; blank means empty. */
export function text(value: unknown): string {
	if (typeof value === 'number' || typeof value === 'bigint') return String(value);
	return typeof value === 'string' && value.trim() !== '' ? value : '';
}

/** A text field. `advice` says what to enter. */
export function toText(value: unknown, field: string, advice: string): string {
	if (isText(value)) return text(value);
	throw unusable(field, 'a text', value, advice);
}

/** What may be an identifier. */
export const isText = (value: unknown): value is string | number =>
	typeof value === 'string' || (typeof value === 'number' && isExact(value));

/** Identifiers of more than 15 digits lose some as a number, and would name somebody else. */
const isExact = (value: number) => Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));

/** A switch: the words as well, since a sheet or an agent may know no other way. */
export function toSwitch(value: unknown, field: string): boolean {
	const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
	if (word === true || word === 'true') return true;
	if (word === false || word === 'false') return false;
	throw unusable(
		field,
		'true or false',
		value,
		`Switch '${field}' on or off, or let its expression give true or false`,
	);
}

/** One of a list of options, by its value. */
export function toChoice<T extends string>(value: unknown, field: string, choices: readonly T[]): T {
	const choice = choices.find((one) => one === value);
	if (choice !== undefined) return choice;
	const advice = `Pick an option of the list, or let the expression give one of: ${choices.join(', ')}`;
	throw unusable(field, 'one of its options', value, advice);
}

/** A number field; digits as text are taken as meant. */
export function wholeNumber(value: unknown, field: string, min: number, max = Infinity): number {
	const number = numberIn(value);
	if (number !== undefined && Number.isSafeInteger(number) && number >= min && number <= max) return number;
	const range = max === Infinity ? `of ${min} or more` : `from ${min} to ${max}`;
	throw unusable(field, `a whole number ${range}`, value, `Enter '${field}' in digits, such as 50`);
}

/** A number field that takes parts of one, too. */
export function someNumber(value: unknown, field: string, min: number): number {
	const number = numberIn(value);
	if (number !== undefined && number >= min) return number;
	throw unusable(field, `a number of ${min} or more`, value, `Enter '${field}' in digits, such as 2.5`);
}

/** A number, also one that came as text; nothing else is one. */
export function numberIn(value: unknown): number | undefined {
	const number = typeof value === 'string' && /^\s*[+-]?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** The Problem of a field that holds something else. Of what it holds only the kind is told: it may be a reading. */
export const unusable = (field: string, expected: string, value: unknown, advice: string) =>
	new Problem(`'${field}' is not ${expected}`, advice + whatCame(value));

/** For what nobody can type. */
export function whatCame(value: unknown): string {
	if (typeof value === 'string' || typeof value === 'number') return '';
	return `. Its expression gave ${kindOf(value)}`;
}

function kindOf(value: unknown): string {
	if (value === undefined || value === null) return 'nothing';
	if (typeof value === 'boolean') return String(value);
	return Array.isArray(value) ? 'a list' : 'an object';
}

/** Whether nothing was given. */
export const isBlank = (value: unknown) =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
