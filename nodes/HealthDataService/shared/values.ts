/**
 * Values of any shape, above all of fields. An expression may fill a field with anything: a value is validated and converted, or a
 * Problem names the field. undefined and null are invalid, never an empty field: an empty filter would read more than was meant.
 */
import type { IDataObject } from 'n8n-workflow';
import { Problem } from './problem';

/** Whether a value is a JSON object: no array, no null. */
export const isObject = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Groups in the order of their first elements. */
export function groupBy<T, K>(
	all: Iterable<T>,
	keyOf: (one: T) => K,
): Map<K, T[]> {
	const groups = new Map<K, T[]>();
	for (const one of all) {
		const key = keyOf(one);
		const group = groups.get(key) ?? [];
		groups.set(key, group);
		group.push(one);
	}
	return groups;
}

/** Calls `make` once for each key. */
export function memoized<K, T>(make: (key: K) => T): (key: K) => T {
	const known = new Map<K, T>();
	return (key) => {
		if (!known.has(key)) known.set(key, make(key));
		return known.get(key)!;
	};
}

/**
 * An identifier or a name as text. Numbers are accepted, because identifiers often are numbers; blank, and a number that has lost
 * digits, gives an empty text.
 */
export const text = (value: unknown): string =>
	isText(value) && !isBlank(value) ? String(value) : '';

/** Distinct names in alphabetical order. An object is no name. */
export function joinNames(names: unknown[]): string {
	const given = names.map(text).filter(Boolean);
	return [...new Set(given)].sort().join(', ');
}

/** The names where the condition holds, else none: for columns that not every row has. */
export const namesIf = (condition: unknown, ...names: string[]) =>
	condition ? names : [];

/** A row with these columns, in their order: null where there is no value. */
export const inColumns = (
	columns: readonly string[],
	values: IDataObject,
): IDataObject =>
	Object.fromEntries(columns.map((column) => [column, values[column] ?? null]));

/** A value of an answer as text. `String` throws for an object such as `{ toString: null }`. @throws RangeError for thousands of levels */
export const jsonText = (value: unknown): string =>
	typeof value === 'string' ? value : JSON.stringify(value ?? '');

export function toText(value: unknown, field: string, advice: string): string {
	if (isText(value)) return text(value);
	throw unusable(field, 'a text', value, advice);
}

/** The entries of a list field: an array, text with separators, or a JSON array as text, as AI agents write it. */
export function toEntries(
	value: unknown,
	field: string,
	advice: string,
	separators: RegExp,
): unknown[] {
	if (Array.isArray(value)) return value;
	const list = toText(value, field, advice);
	const parts = list.split(separators).map((part) => part.trim());
	return jsonList(list) ?? parts.filter(Boolean);
}

function jsonList(value: string) {
	if (!value.trimStart().startsWith('[')) return undefined;
	try {
		return JSON.parse(value) as unknown[];
	} catch {
		return undefined;
	}
}

/** Whether a value can be an identifier. A number of more than 15 digits has lost some, and would name another user. */
export const isText = (value: unknown): value is string | number =>
	typeof value === 'string' ||
	(Number.isFinite(value) &&
		Number.isInteger(value) === Number.isSafeInteger(value));

/** A boolean field. */
export function toSwitch(value: unknown, field: string): boolean {
	if (typeof value === 'boolean') return value;
	const advice = `Switch '${field}' on or off, or let its expression give true or false`;
	throw unusable(field, 'true or false', value, advice);
}

/** The option of an options field that has the value. */
export function toChoice<T extends { value: string }>(
	value: unknown,
	field: string,
	options: readonly T[],
): T {
	const chosen = options.find((option) => option.value === value);
	if (chosen) return chosen;
	const values = options.map((option) => option.value).join(', ');
	const advice = `Pick an option of the list, or let the expression give one of: ${values}`;
	throw unusable(field, 'one of its options', value, advice);
}

const numberField =
	(kind: string, example: string, isKind: (value: unknown) => boolean) =>
	(value: unknown, field: string, min: number, max = Infinity) => {
		const number = toNumber(value) ?? NaN;
		if (isKind(value) && number >= min && number <= max) return number;
		const range =
			max === Infinity ? `of ${min} or more` : `from ${min} to ${max}`;
		const advice = `Enter '${field}' in digits, such as ${example}`;
		throw unusable(field, `${kind} ${range}`, value, advice);
	};

/** As text only digits: `1.000` is a thousand in many countries. */
const isWhole = (value: unknown) =>
	Number.isSafeInteger(toNumber(value)) &&
	(typeof value === 'number' || /^\s*\d+\s*$/.test(String(value)));

export const wholeNumber = numberField('a whole number', '50', isWhole);
export const someNumber = numberField('a number', '2.5', () => true);

/** The Problem of a field with an invalid value, which it does not repeat: the value may be a reading. */
export const unusable = (
	field: string,
	expected: string,
	value: unknown,
	advice: string,
) => {
	const fault = isBlank(value) ? 'empty' : `not ${expected}`;
	return new Problem(`'${field}' is ${fault}`, advice);
};

/** `text` without `sign` at its end. A regular expression such as `/0+$/` takes quadratic time. */
export function withoutTrailing(text: string, sign: string): string {
	let end = text.length;
	while (end > 0 && text[end - 1] === sign) end--;
	return text.slice(0, end);
}

const DECIMAL = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i;

/** A number, or the number in a text (quirk 7); undefined for anything else. Adding 0 turns -0 into 0. */
export function toNumber(value: unknown): number | undefined {
	const number =
		typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number)
		? number + 0
		: undefined;
}

/** To so many decimals, without the noise of floating point: 134.99999999999997 is 135. Adding 0 turns -0 into 0. */
export function rounded(value: number, decimals: number): number {
	const scale = 10 ** decimals;
	const scaled = Number((value * scale).toPrecision(12));
	return Math.round(scaled) / scale + 0;
}

export const isBlank = (value: unknown) =>
	value === undefined ||
	value === null ||
	(typeof value === 'string' && value.trim() === '');
