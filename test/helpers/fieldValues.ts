/** Field readers in tests: values that an expression may give, and the context of one field. */
import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { Problem } from '../../nodes/HealthDataService/shared/problem';
import { fc } from './properties';

const WORDS =
	'true TRUE yes one all listed userId All readings daily summary grouped error empty omron last7Days days 50 1.0 0x10 1e3 -1 1.5 5. .5 +5 3x ٣';
const words = ['', ' ', ' False\n', ' 7 ', 'Europe/Berlin', 'undefined', 'null', '2026-01-31', ...WORDS.split(' ')];
const odd = [
	undefined,
	null,
	true,
	false,
	NaN,
	Infinity,
	-0,
	1e21,
	2 ** 60,
	[],
	[50],
	['all'],
	[true],
	{},
	{ value: 5 },
];

export const anything = fc.oneof(
	fc.constantFrom(...words),
	fc.constantFrom<unknown>(...odd),
	fc.integer({ min: -5, max: 1000 }),
	fc.double(),
	fc.string(),
	fc.anything(),
);

/** A field of the node that holds the value, of which nothing was saved else. */
export function withField(
	name: string,
	value: unknown,
	more: Record<string, unknown> = {},
	type = 'healthDataService',
) {
	const [outer, inner] = name.split('.');
	const parameters: Record<string, unknown> = { ...more, [outer]: inner ? { [inner]: '={{ … }}' } : '={{ … }}' };
	return {
		getNode: () => ({ type, parameters }),
		getInputData: () => ({ json: {} }),
		getExecuteData: () => ({}),
		getItemIndex: () => 0,
		getTimezone: () => 'Asia/Tokyo',
		getNodeParameter: (asked: string, fallback: unknown) =>
			asked === name ? value : asked in parameters ? parameters[asked] : fallback,
	} as unknown as IExecuteSingleFunctions;
}

/** What is read, or undefined for a Problem that names the field. */
export function readOrRefuse<T>(field: string, read: () => T): { read: T } | undefined {
	try {
		return { read: read() };
	} catch (error) {
		expect(error).toBeInstanceOf(Problem);
		expect((error as Problem).message.startsWith(`'${field}' is `)).toBe(true);
		expect((error as Problem).description).toMatch(/\S/);
		return undefined;
	}
}

/** Between slashes of either kind, also before a semicolon: what a server may read as a way up. */
export const hasDots = (id: string) => /(^|[/\\])\.\.?($|[/\\;])/.test(id);
