/** Conversion of field values: the meaning of each, and the words of the errors. */
import {
	isText,
	someNumber,
	text,
	toChoice,
	toSwitch,
	toText,
	wholeNumber,
} from '../../../nodes/HealthDataService/shared/values';
import type { Problem } from '../../../nodes/HealthDataService/shared/problem';

const refusal = (read: () => unknown): [string, string] | 'taken' => {
	try {
		read();
		return 'taken';
	} catch (error) {
		const { message, description } = error as Problem;
		return [message, description];
	}
};

/** A row for each value, with the same expectation. */
const all = <T>(expected: T, values: unknown[]) => values.map((value): [unknown, T] => [value, expected]);

it.each<[unknown, string]>([
	['a', 'a'],
	[' a ', ' a '],
	[7, '7'],
	[0, '0'],
	[1.5, '1.5'],
	[2 ** 53 - 1, '9007199254740991'],
	// It has lost digits, and could name another user.
	...all('', [2 ** 53, -(2 ** 60), 1e300, NaN, Infinity]),
	...all('', ['', ' \n', true, null, undefined, {}, ['a']]),
])('as an identifier, %p is %j', (value, expected) => expect(text(value)).toBe(expected));

it.each<[unknown, boolean]>([
	...all(true, ['', 0, 1.5, -7, 2 ** 53 - 1]),
	...all(false, [2 ** 53, NaN, Infinity, 7n, true, null, {}]),
])('%p may be one: %p', (value, is) => {
	expect(isText(value)).toBe(is);
	const message = refusal(() => toText(value, 'F', 'Enter it'));
	const refused = value === null ? "'F' is empty" : "'F' is not a text";
	expect(is ? message : message[0]).toBe(is ? 'taken' : refused);
});

const options = [{ value: 'a' }, { value: 'b' }];
const OF_LIST = 'Pick an option of the list, or let the expression give one of: a, b';

// What else is refused: unit/fields/fields.test.ts.
it.each<[message: string, advice: string, read: () => unknown]>([
	['true or false', "Switch 'F' on or off, or let its expression give true or false", () => toSwitch('yes', 'F')],
	['one of its options', OF_LIST, () => toChoice('c', 'F', options)],
	['a whole number from 2 to 7', "Enter 'F' in digits, such as 50", () => wholeNumber(8, 'F', 2, 7)],
	['a whole number of 2 or more', "Enter 'F' in digits, such as 50", () => wholeNumber(1, 'F', 2)],
	['a whole number of 3 or more', "Enter 'F' in digits, such as 50", () => wholeNumber(2 ** 53, 'F', 3)],
	...['1.000', '5.', '1e3', '+5', '-5', '5 0', '٣'].map((text): [string, string, () => unknown] => [
		'a whole number of 1 or more',
		"Enter 'F' in digits, such as 50",
		() => wholeNumber(text, 'F', 1),
	]),
	['a number of 0.1 or more', "Enter 'F' in digits, such as 2.5", () => someNumber(0.09, 'F', 0.1)],
	['a number of 0.2 or more', "Enter 'F' in digits, such as 2.5", () => someNumber('5x', 'F', 0.2)],
])('the error that a value is not %s: %s', (message, advice, read) => {
	expect(refusal(read)).toEqual([`'F' is not ${message}`, advice]);
});

it.each<[unknown]>([[undefined], [null], [' ']])('of %p the error says that the field is empty', (value) => {
	expect(refusal(() => wholeNumber(value, 'F', 1))).toEqual(["'F' is empty", "Enter 'F' in digits, such as 50"]);
});
