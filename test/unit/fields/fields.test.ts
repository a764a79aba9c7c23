/**
 * Field readers, for any value of an expression: exactly the given value, or a Problem with the name of the field. Never more
 * users, rows, sources or days than given.
 */
import { DateTime } from 'luxon';
import type { IExecuteSingleFunctions } from 'n8n-workflow';
import {
	readClientUserId,
	readUser,
	readUserIds,
	readUsersBy,
	readUserScope,
} from '../../../nodes/HealthDataService/fields/users';
import {
	readConcurrency,
	readOnlyConnected,
	readRequestsPerSecond,
	readSourceTypes,
	readWhenNotFound,
	readLimit,
} from '../../../nodes/HealthDataService/fields/options';
import { readProvider } from '../../../nodes/HealthDataService/fields/provider';
import { isSimplified } from '../../../nodes/HealthDataService/fields/simplify';
import { HealthDataService } from '../../../nodes/HealthDataService/HealthDataService.node';
import { HealthDataServiceTrigger } from '../../../nodes/HealthDataService/HealthDataServiceTrigger.node';
import { readDateRange } from '../../../nodes/HealthDataService/resources/timeseries/dateRange';
import { readTimeZone, readListSlice } from '../../../nodes/HealthDataService/resources/timeseries/options';
import { readOutput } from '../../../nodes/HealthDataService/resources/timeseries/output';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { toChoice, toSwitch, toText, wholeNumber } from '../../../nodes/HealthDataService/shared/values';
import { readThresholds } from '../../../nodes/HealthDataService/trigger/settings';
import { fc } from '../../helpers/properties';
import { bloodPressure } from '../../helpers/metrics';

const words = fc.constantFrom(
	'',
	' ',
	'true',
	'TRUE',
	' False\n',
	'yes',
	'one',
	'all',
	'listed',
	'userId',
	'All',
	'readings',
	'daily',
	'summary',
	'grouped',
	'error',
	'empty',
	'omron',
	'last7Days',
	'days',
	'50',
	' 7 ',
	'1.0',
	'0x10',
	'1e3',
	'-1',
	'1.5',
	'٣',
	'Europe/Berlin',
	'undefined',
	'null',
	'2026-01-31',
);
const anything = fc.oneof(
	words,
	fc.constantFrom(
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
	),
	fc.integer({ min: -5, max: 1000 }),
	fc.double(),
	fc.string(),
	fc.anything(),
);

/** A field of the node that holds the value, of which nothing was saved else. */
function withField(name: string, value: unknown, more: Record<string, unknown> = {}, type = 'healthDataService') {
	const [outer, inner] = name.split('.');
	const parameters: Record<string, unknown> = { ...more, [outer]: inner ? { [inner]: '={{ … }}' } : '={{ … }}' };
	return {
		getNode: () => ({ type, parameters }),
		getInputData: () => ({ json: {} }),
		getTimezone: () => 'Asia/Tokyo',
		getNodeParameter: (asked: string, fallback: unknown) =>
			asked === name ? value : asked in parameters ? parameters[asked] : fallback,
	} as unknown as IExecuteSingleFunctions;
}

/** What is read, or undefined for a Problem that names the field. */
function readOrRefuse<T>(field: string, read: () => T): { read: T } | undefined {
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
const hasDots = (id: string) => /(^|[/\\])\.\.?($|[/\\;])/.test(id);
const isBlankText = (value: unknown) => typeof value === 'string' && value.trim() === '';
/** What a value says as a switch: undefined for nothing of it. */
const asSwitch = (value: unknown) =>
	[true, false].find(
		(one) => value === one || (typeof value === 'string' && value.trim().toLowerCase() === String(one)),
	);
const asDigits = (value: unknown) =>
	typeof value === 'number' || (typeof value === 'string' && /^\s*[+-]?[0-9]+(\.[0-9]+)?\s*$/.test(value))
		? Number(value)
		: undefined;

/** Each reader, and what may come out for a value: refused, or the one right result. */
const READERS: Array<
	[
		field: string,
		parameter: string,
		read: (context: IExecuteSingleFunctions) => unknown,
		meant: (value: unknown) => unknown,
		more?: Record<string, unknown>,
	]
> = [
	['Users', 'userScope', readUserScope, (value) => ['one', 'listed', 'all'].find((one) => one === value)],
	['Identified By', 'usersBy', readUsersBy, (value) => ['userId', 'clientUserId'].find((one) => one === value)],
	[
		'Return All',
		'returnAll',
		readLimit,
		(value) => (asSwitch(value) === undefined ? undefined : asSwitch(value) ? Infinity : 50),
	],
	['Limit', 'limit', readLimit, (value) => atLeast(1, value)],
	[
		'Output',
		'output',
		readOutput,
		(value) => (['readings', 'daily', 'summary', 'grouped'].includes(value as string) ? value : undefined),
	],
	['Provider', 'provider', readProvider, asName],
	[
		'Concurrent Requests',
		'options.concurrency',
		readConcurrency,
		(value) => (atLeast(1, value) === undefined ? undefined : Math.min(atLeast(1, value)!, 50)),
	],
	['Requests per Second', 'options.requestsPerSecond', readRequestsPerSecond, (value) => anyAtLeast(0.1, value)],
	[
		'Minimum Systolic',
		'options.minSystolic',
		(context) => readThresholds(context as never, bloodPressure.thresholds)[0].least,
		(value) => anyAtLeast(0, value),
	],
	['Max Users', 'options.userLimit', (context) => readListSlice(context).limit, (value) => atLeast(1, value)],
	['Skip First Users', 'options.userOffset', (context) => readListSlice(context).offset, (value) => atLeast(0, value)],
	['Only Connected Users', 'options.onlyConnected', readOnlyConnected, asSwitch],
	[
		'When Not Found',
		'options.whenNotFound',
		readWhenNotFound,
		(value) => (value === 'error' || value === 'empty' ? value : undefined),
	],
	['Time Zone', 'options.timeZone', readTimeZone, (value) => (isBlankText(value) ? 'Asia/Tokyo' : asName(value))],
];

function anyAtLeast(min: number, value: unknown) {
	const number = asDigits(value);
	return Number.isFinite(number) && number! >= min ? number : undefined;
}

function atLeast(min: number, value: unknown) {
	const number = asDigits(value);
	return Number.isSafeInteger(number) && number! >= min ? number : undefined;
}

function asName(value: unknown) {
	if (typeof value === 'string') return value.trim();
	// A number that is written as it was given.
	return typeof value === 'number' &&
		Number.isFinite(value) &&
		(Math.abs(value) <= Number.MAX_SAFE_INTEGER || !Number.isInteger(value))
		? String(value)
		: undefined;
}

it.each(READERS)('%s is what was meant, or refused', (field, parameter, read, meant) => {
	fc.assert(
		fc.property(anything, (value) => {
			// A locator by expression is a locator.
			fc.pre(!(parameter === 'provider' && typeof value === 'object' && value !== null && 'value' in value));
			const result = readOrRefuse(field, () => read(withField(parameter, value)));
			const expected = meant(value);
			expect(result).toEqual(expected === undefined ? undefined : { read: expected });
		}),
	);
});

it.each<[string, (context: IExecuteSingleFunctions) => unknown, unknown]>([
	['concurrency', readConcurrency, 8],
	['requestsPerSecond', readRequestsPerSecond, undefined],
	['minSystolic', (context) => readThresholds(context as never, bloodPressure.thresholds), []],
	['userLimit and userOffset', readListSlice, { offset: 0, limit: Infinity }],
	['onlyConnected', readOnlyConnected, false],
	['sourceTypes', readSourceTypes, []],
	['whenNotFound', readWhenNotFound, 'error'],
	['timeZone', readTimeZone, 'Asia/Tokyo'],
])('%s keeps its default where it was not added', (_, read, expected) => {
	for (const more of [{}, { options: {} }]) expect(read(withField('other', undefined, more))).toEqual(expected);
	expect(read(withField('options.other', undefined))).toEqual(expected);
});

it('options that are no options are refused', () => {
	expect(readOrRefuse('Options', () => readListSlice(withField('options', {})))).toBeUndefined();
});

it('User is one user ID, or refused', () => {
	const id = '3f1c0a52-8d0e-4b57-9f43-5a2c8a6f1e90';
	fc.assert(
		fc.property(
			fc.oneof(anything, fc.uuid(), fc.constantFrom(id.toUpperCase(), ` ${id}\n`, `${id}/../x`, [id])),
			(value) => {
				fc.pre(!(typeof value === 'object' && value !== null && 'value' in value));
				const result = readOrRefuse('User', () => readUser(withField('user', value)));
				const isOne = typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value.trim());
				expect(result).toEqual(
					isOne ? { read: { by: 'userId', id: (value as string).trim().toLowerCase() } } : undefined,
				);
			},
		),
	);
});

describe('User IDs', () => {
	const read = (value: unknown, by: 'userId' | 'clientUserId') =>
		readUserIds(withField('userIds', value), by).map(({ id, at }) => [id, at] as const);
	/** Each once, with the place of the first. */
	const once = (ids: string[]) => ids.flatMap((id, index) => (ids.indexOf(id) === index ? [[id, index + 1]] : []));
	const refusal = (value: unknown, by: 'userId' | 'clientUserId' = 'userId') => {
		try {
			read(value, by);
		} catch (error) {
			return error as Problem;
		}
		throw new Error('Not refused');
	};
	/** Some of them more than once, and in capitals. */
	const uuids = fc
		.array(fc.uuid(), { minLength: 1, maxLength: 8 })
		.chain((ids) =>
			fc.array(fc.constantFrom(...ids, ...ids.map((id) => id.toUpperCase())), { minLength: 1, maxLength: 20 }),
		);
	const clientIds = fc.array(
		fc.oneof(
			fc.constantFrom('a', 'A', 'Ward 7/B; bed 3', 'x"y', '42', '[z]', '心 +'),
			fc.string({ minLength: 1 }).filter((id) => !/[,\r\n]|^\s|\s$/.test(id) && id !== '[' && !hasDots(id)),
		),
		{ minLength: 1, maxLength: 20 },
	);

	it('are the listed users, each once and in order, in any notation of the list', () => {
		const between = fc.constantFrom(',', ', ', ';', ' ; ', '\n', '\r\n', ' ', '\t', ',\n,', ' ,; ');
		const around = fc.constantFrom('', ' ', '\n', ',', ' \r\n');
		fc.assert(
			fc.property(uuids, fc.array(between, { minLength: 20, maxLength: 20 }), around, around, (ids, marks, a, b) => {
				const expected = once(ids.map((id) => id.toLowerCase()));
				const text = ids.map((id, index) => (index ? marks[index] : '') + id).join('');
				for (const value of [ids, text, a + text + b, JSON.stringify(ids), ` ${JSON.stringify(ids, null, 1)}\n`])
					expect(read(value, 'userId')).toEqual(expected);
			}),
		);
	});

	it('are the identifiers that were listed, character by character', () => {
		fc.assert(
			fc.property(clientIds, fc.constantFrom(',', ' , ', '\n', '\r\n', ',\n'), (ids, mark) => {
				expect(read(ids, 'clientUserId')).toEqual(once(ids));
				expect(read(JSON.stringify(ids), 'clientUserId')).toEqual(once(ids));
				// A text that is JSON is what it says there.
				fc.pre(!ids[0].startsWith('['));
				expect(read(ids.join(mark), 'clientUserId')).toEqual(once(ids));
			}),
		);
	});

	it('are all as they were meant, or refused with the place of the first that is not, and never its value', () => {
		fc.assert(
			fc.property(uuids, fc.oneof(anything, fc.constantFrom('geheim-1', ['x'], `${'a'.repeat(36)}`)), (ids, wrong) => {
				const isId = typeof wrong === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(wrong.trim());
				fc.pre(!isId);
				const { message, description } = refusal([...ids, wrong, ...ids]);
				expect(message).toBe(`Entry ${ids.length + 1} of 'User IDs' is not a user ID`);
				expect(description).not.toContain('geheim');
			}),
		);
	});

	it('are never other than those given', () => {
		fc.assert(
			fc.property(anything, fc.constantFrom('userId' as const, 'clientUserId' as const), (value, by) => {
				const isList = Array.isArray(value) && value.length > 0;
				const isText = typeof value === 'string' && value.trim() !== '';
				const isNumber = typeof value === 'number' && Number.isFinite(value);
				if (isList || isText || isNumber) return;
				expect(refusal(value, by).message).toMatch(/^'User IDs' is (empty|not a text)$/);
			}),
		);
	});

	it.each<[string, unknown, 'userId' | 'clientUserId', string]>([
		['a list of nothing', [], 'userId', "'User IDs' is empty"],
		['JSON of nothing', '[]', 'userId', "'User IDs' is empty"],
		['separators only', ' ,\n; ', 'userId', "'User IDs' is empty"],
		['a blank in a list', ['a', ' '], 'clientUserId', "Entry 2 of 'User IDs' is not an identifier"],
		['a dot', 'a, ..', 'clientUserId', "Entry 2 of 'User IDs' is not an identifier"],
		['half a letter', ['\ud800'], 'clientUserId', "Entry 1 of 'User IDs' is not an identifier"],
		[
			'a number that lost digits',
			'[12345678901234567890, 2]',
			'clientUserId',
			"Entry 1 of 'User IDs' is not an identifier",
		],
		['a list in a list', [['a']], 'clientUserId', "Entry 1 of 'User IDs' is not an identifier"],
		['no JSON', "['a', 'b']", 'userId', "Entry 1 of 'User IDs' is not a user ID"],
	])('refuses %s', (_, value, by, message) => {
		expect(refusal(value, by).message).toBe(message);
	});

	it.each(['[5]', '[null]', '[{"a":1}]', '[x'])('are an identifier in brackets: %s', (id) => {
		expect(read(id, 'clientUserId')).toEqual([[id, 1]]);
	});

	it.each(['["5"]', '["5", "6"]', '[5, 6]'])('are a list: %s', (list) => {
		expect(read(list, 'clientUserId').map(([id]) => id)).toEqual((JSON.parse(list) as unknown[]).map(String));
	});

	it('accepts numbers as identifiers', () => {
		expect(read([7, '007', 7], 'clientUserId')).toEqual([
			['7', 1],
			['007', 2],
		]);
		expect(read(42, 'clientUserId')).toEqual([['42', 1]]);
	});

	it('are 10,000 at most, of which each counts once', () => {
		const ids = Array.from({ length: 10_000 }, (_, index) => `u${index}`);
		expect(read([...ids, ...ids], 'clientUserId')).toHaveLength(10_000);
		const { message, description } = refusal([...ids, 'one more'], 'clientUserId');
		expect(message).toBe("'User IDs' has more than 10,000 users");
		expect(description).toContain('several input items');
	});
});

describe('Source Types', () => {
	const read = (value: unknown) =>
		readOrRefuse('Source Types', () => readSourceTypes(withField('options.sourceTypes', value)));

	it.each<[unknown, string[]]>([
		['cuff', ['cuff']],
		[' Watch ,CUFF,, watch', ['cuff', 'watch']],
		['cuff; smart watch\nring', ['cuff', 'ring', 'smart watch']],
		['["Cuff", "watch"]', ['cuff', 'watch']],
		[
			['Watch', ' cuff ', 'CUFF'],
			['cuff', 'watch'],
		],
		['', []],
		[' , ', []],
		[[], []],
	])('%j are %j, in an order of their own', (value, types) => {
		expect(read(value)).toEqual({ read: types });
	});

	it.each([undefined, null, true, {}, { value: 'cuff' }, [null], ['cuff', undefined], [['cuff']]])(
		'are not %p',
		(value) => {
			expect(read(value)).toBeUndefined();
		},
	);
});

it('Client User ID is the very text that was given, or refused', () => {
	fc.assert(
		fc.property(anything, (value) => {
			const result = readOrRefuse('Client User ID', () => readClientUserId(value));
			if (result)
				expect(typeof value === 'string' ? result.read : Number(result.read)).toBe(Object.is(value, -0) ? 0 : value);
			else
				expect(typeof value !== 'string' || isBlankText(value) || hasDots(value) || !value.isWellFormed()).toBe(true);
		}),
	);
});

it('Simplify is what was meant for a tool, and never on in a workflow', () => {
	fc.assert(
		fc.property(anything, (value) => {
			expect(isSimplified(withField('simplify', value))).toBe(false);
			const result = readOrRefuse('Simplify', () =>
				isSimplified(withField('simplify', value, {}, 'healthDataServiceTool')),
			);
			expect(result?.read).toBe(asSwitch(value));
		}),
	);
});

it('an invalid value never gives an open end, another range or another zone', () => {
	const now = DateTime.fromISO('2026-03-20T12:00:00Z');
	const given = fc.oneof(anything, fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01') }));
	fc.assert(
		fc.property(given, fc.constantFrom('days', 'times'), (endDate, dateRange) => {
			const result = readOrRefuse('End Date', () =>
				readDateRange(withField('endDate', endDate, { dateRange, startDate: '2015-01-01' }), now),
			);
			if (result) expect(result.read.end_date === undefined).toBe(isBlankText(endDate));
		}),
	);
	fc.assert(
		fc.property(anything, (dateRange) => {
			const result = readOrRefuse('Date Range', () =>
				readDateRange(withField('dateRange', dateRange, { startDate: '2015-01-01' }), now),
			);
			expect(result !== undefined).toBe(dateRange === 'last7Days' || dateRange === 'days');
		}),
	);
});

it('nothing that was given is quoted: it may be a reading', () => {
	const secret = fc.string({ minLength: 12 }).map((text) => `geheim${text}`);
	fc.assert(
		fc.property(secret, (value) => {
			for (const one of [value, [value], { [value]: value }]) {
				for (const read of [
					() => toSwitch(one, 'F'),
					() => toChoice(one, 'F', [{ value: 'a' }]),
					() => wholeNumber(one, 'F', 1),
					() => toText([one], 'F', 'Enter it'),
				]) {
					const error = (() => {
						try {
							return read();
						} catch (thrown) {
							return thrown as Problem;
						}
					})() as Problem;
					expect(error).toBeInstanceOf(Problem);
					expect(error.message + error.description).not.toContain('geheim');
				}
			}
		}),
	);
});

it('no field that n8n shows because of an expression in another one is required', () => {
	for (const { description } of [new HealthDataService(), new HealthDataServiceTrigger()]) {
		const names = description.properties
			.map(({ name }) => name)
			.filter((name) => !['resource', 'operation', 'event'].includes(name));
		const required = description.properties.filter(({ required }) => required);
		for (const { displayOptions } of required)
			for (const name of Object.keys(displayOptions?.show ?? {})) expect(names).not.toContain(name);
		expect(required.map(({ name }) => name)).toEqual(
			description.properties.some(({ name }) => name === 'clientUserId') ? ['clientUserId'] : [],
		);
	}
});
