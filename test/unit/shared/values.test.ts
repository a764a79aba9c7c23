/** Conversion of field values: the meaning of each, and the words of the errors. */
import {
	isBlank,
	isText,
	someNumber,
	text,
	toChoice,
	toSwitch,
	toText,
	whatCame,
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
	[7n, '7'],
	...all('', ['', ' \n', true, null, undefined, {}, ['a']]),
])('as an identifier, %p is %j', (value, expected) => expect(text(value)).toBe(expected));

it.each<[unknown, boolean]>([
	...all(true, ['', 0, 1.5, -7, 2 ** 53 - 1]),
	...all(false, [2 ** 53, NaN, Infinity, 7n, true, null, {}]),
])('%p may be one: %p', (value, is) => {
	expect(isText(value)).toBe(is);
	const message = refusal(() => toText(value, 'F', 'Enter it'));
	expect(is ? message : message[0]).toBe(is ? 'taken' : "'F' is not a text");
});

it.each<[unknown, boolean | undefined]>([
	[true, true],
	[' TRUE\n', true],
	[false, false],
	['False', false],
	...all(undefined, ['yes', '', 1, 0, null, undefined]),
])('as a switch, %p is %p', (value, expected) => {
	if (expected !== undefined) return expect(toSwitch(value, 'F')).toBe(expected);
	const [message, advice] = refusal(() => toSwitch(value, 'F'));
	expect(message).toBe("'F' is not true or false");
	return expect(advice).toMatch(/^Switch 'F' on or off, or let its expression give true or false/);
});

it('a choice is one of the list, and the error names the list', () => {
	const options = [{ value: 'a' }, { value: 'b' }];
	expect(toChoice('b', 'F', options)).toBe(options[1]);
	expect(refusal(() => toChoice('c', 'F', options))).toEqual([
		"'F' is not one of its options",
		'Pick an option of the list, or let the expression give one of: a, b',
	]);
	expect(refusal(() => toChoice(undefined, 'F', options))).toHaveLength(2);
});

it.each<[unknown, number | undefined]>([
	[2, 2],
	[7, 7],
	['3', 3],
	[' 4 ', 4],
	['5.00', 5],
	['+5', 5],
	['5.', 5],
	...all(undefined, [1, 8, 2.5, '2.5', '0x3', '3 4', 'x3', '3x', '', true, null, [3]]),
])('as a whole number from 2 to 7, %p is %p', (value, expected) => {
	if (expected !== undefined) return expect(wholeNumber(value, 'F', 2, 7)).toBe(expected);
	const [message, advice] = refusal(() => wholeNumber(value, 'F', 2, 7));
	expect(message).toBe("'F' is not a whole number from 2 to 7");
	return expect(advice).toMatch(/^Enter 'F' in digits, such as 50/);
});

it('has no maximum by default', () => {
	expect(wholeNumber('120', 'F', 2)).toBe(120);
	expect(wholeNumber(2 ** 53 - 1, 'F', 2)).toBe(2 ** 53 - 1);
	expect(refusal(() => wholeNumber(1, 'F', 2))[0]).toBe("'F' is not a whole number of 2 or more");
	expect(refusal(() => wholeNumber(2 ** 53, 'F', 2))).toHaveLength(2);
});

it.each<[unknown, number | undefined]>([
	[0.5, 0.5],
	['0.5', 0.5],
	[' +1.5 ', 1.5],
	['-1', -1],
	['12.25', 12.25],
	['.5', 0.5],
	['1e3', 1000],
	...all(undefined, ['0x1', '1e', 'a1', '1a', '', NaN, Infinity, true, null, [1]]),
])('the number in %p is %p', (value, expected) => {
	const read = () => someNumber(value, 'F', -Infinity);
	if (expected === undefined) expect(refusal(read)).toHaveLength(2);
	else expect(read()).toBe(expected);
});

it('a decimal number reaches its minimum', () => {
	expect(someNumber('0.1', 'F', 0.1)).toBe(0.1);
	expect(refusal(() => someNumber(0.09, 'F', 0.1))).toEqual([
		"'F' is not a number of 0.1 or more",
		"Enter 'F' in digits, such as 2.5",
	]);
	expect(refusal(() => someNumber('many', 'F', 0))).toHaveLength(2);
});

it.each<[unknown, string]>([
	['typed', ''],
	[7, ''],
	[undefined, '. Its expression gave nothing'],
	[null, '. Its expression gave nothing'],
	[false, '. Its expression gave false'],
	[['secret'], '. Its expression gave a list'],
	[{ secret: 1 }, '. Its expression gave an object'],
])('of %p the error says %j', (value, words) => {
	expect(whatCame(value)).toBe(words);
	const advice = refusal(() => toChoice(value, 'F', []))[1];
	expect(advice).toBe(`Pick an option of the list, or let the expression give one of: ${words}`);
});

it('empty and blanks are blank', () => {
	expect([undefined, null, '', ' \n', 'x', 0, false, [], {}].map(isBlank)).toEqual([
		...[true, true, true, true],
		...[false, false, false, false, false],
	]);
});
