/**
 * Field readers, for any value of an expression: exactly the given value, or a Problem with the name of the field. Never more
 * users, rows, sources or days than given.
 */
import type { IExecutePaginationFunctions, IExecuteSingleFunctions } from 'n8n-workflow';
import { readUserIds, readUserScope } from '../../../nodes/HealthDataService/fields/users';
import {
	readOnlyConnected,
	readProvider,
	readRequestLimits,
	readSourceTypes,
	readWhenNotFound,
	readLimit,
	readLimits,
} from '../../../nodes/HealthDataService/fields/options';
import { readOptions } from '../../../nodes/HealthDataService/resources/timeseries/options';
import { readRequest } from '../../../nodes/HealthDataService/resources/timeseries/parameters';
import { toChoice, toSwitch, toText, wholeNumber } from '../../../nodes/HealthDataService/shared/values';
import { anything, readOrRefuse, withField } from '../../helpers/fieldValues';
import { fc } from '../../helpers/properties';
import { bloodPressure } from '../../helpers/metrics';

const isBlankText = (value: unknown) => typeof value === 'string' && value.trim() === '';
/** What a value says as a switch: undefined for nothing of it. */
const asSwitch = (value: unknown) => (typeof value === 'boolean' ? value : undefined);
const asDigits = (value: unknown) =>
	typeof value === 'number' ||
	(typeof value === 'string' && /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?$/i.test(value.trim()))
		? Number(value) + 0
		: undefined;

const oneOf =
	(...all: string[]) =>
	(value: unknown) =>
		all.find((one) => one === value);
const someAtLeast = (min: number) => (value: unknown) => {
	const number = asDigits(value);
	return Number.isFinite(number) && number! >= min ? number : undefined;
};
const atLeast = (min: number) => (value: unknown) => {
	const number = someAtLeast(min)(value);
	const isRead = typeof value !== 'string' || /^\s*\d+\s*$/.test(value);
	return isRead && Number.isSafeInteger(number) ? number : undefined;
};

const ID = '3f1c0a52-8d0e-4b57-9f43-5a2c8a6f1e90';

type Read = (context: IExecuteSingleFunctions) => unknown;
const optionsOf = (context: IExecuteSingleFunctions) => readOptions(context, bloodPressure);
const requestOf = (context: IExecuteSingleFunctions) =>
	readRequest(context as IExecutePaginationFunctions, bloodPressure);
const usersBy: Read = (context) => readUserIds(context).by;

/** Each reader, and what may come out for a value: refused, or the one right result. */
const READERS: Array<[field: string, parameter: string, read: Read, meant: (value: unknown) => unknown]> = [
	['Users', 'userScope', readUserScope, oneOf('one', 'listed', 'all')],
	['Identified By', 'usersBy', usersBy, oneOf('userId', 'clientUserId')],
	['Return All', 'returnAll', readLimit, (value) => ({ true: Infinity, false: 50 })[String(asSwitch(value))]],
	['Limit', 'limit', readLimit, atLeast(1)],
	['Output', 'output', (context) => requestOf(context).output.value, oneOf('readings', 'daily', 'summary', 'grouped')],
	['Provider', 'provider', readProvider, asName],
	[
		'Connected Provider',
		'options.provider',
		(context) => readProvider(context, 'options.provider', 'Connected Provider'),
		asName,
	],
	[
		'Concurrent Requests',
		'options.concurrency',
		(context) => readRequestLimits(context).concurrency,
		atMost(50, atLeast(1)),
	],
	[
		'Requests per Second',
		'options.requestsPerSecond',
		(context) => readRequestLimits(context).requestsPerSecond,
		someAtLeast(0.1),
	],
	['Max Users', 'options.userLimit', (context) => optionsOf(context).maxUsers, atLeast(1)],
	['Skip First Users', 'options.userOffset', (context) => optionsOf(context).offset, atLeast(0)],
	['Only Connected Users', 'options.onlyConnected', readOnlyConnected, asSwitch],
	['When Not Found', 'options.whenNotFound', readWhenNotFound, oneOf('error', 'empty')],
	[
		'Time Zone',
		'options.timeZone',
		(context) => optionsOf(context).timeZone,
		(value) => (isBlankText(value) ? 'Asia/Tokyo' : asName(value)),
	],
];

function atMost(max: number, read: (value: unknown) => number | undefined) {
	return (value: unknown) => {
		const number = read(value);
		return number !== undefined && number <= max ? number : undefined;
	};
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
			fc.pre(!(parameter.endsWith('provider') && typeof value === 'object' && value !== null && 'value' in value));
			const result = readOrRefuse(field, () => read(withField(parameter, value, { userIds: ID })));
			const expected = meant(value);
			expect(result).toEqual(expected === undefined ? undefined : { read: expected });
		}),
	);
});

it.each<[string, (context: IExecuteSingleFunctions) => unknown, unknown]>([
	['concurrency and requestsPerSecond', readRequestLimits, { concurrency: 8, requestsPerSecond: undefined }],
	['userLimit', (context) => optionsOf(context).maxUsers, Infinity],
	['userOffset', (context) => optionsOf(context).offset, 0],
	['onlyConnected', readOnlyConnected, false],
	['sourceTypes', readSourceTypes, []],
	['whenNotFound', readWhenNotFound, 'error'],
	['timeZone', (context) => optionsOf(context).timeZone, 'Asia/Tokyo'],
])('%s keeps its default where it was not added', (_, read, expected) => {
	for (const more of [{}, { options: {} }]) expect(read(withField('other', undefined, more))).toEqual(expected);
	expect(read(withField('options.other', undefined))).toEqual(expected);
});

it.each(['provider', 'options.provider'])('%s: null that n8n has saved is an empty field', (path) => {
	const locator = { __rl: true, mode: 'slug', value: null };
	const parameters = path === 'provider' ? { provider: locator } : { options: { provider: locator } };
	const context = { ...withField(path, locator), getNode: () => ({ type: '', parameters }) };
	expect(readProvider(context as never, path)).toBe('');
});

describe('Limits', () => {
	const read = (limits: unknown) => readLimits(withField('limits', limits), bloodPressure, ['mean', 'high', 'enough']);
	const pair = (systolic: unknown, diastolic: unknown) => ({ high: { systolic, diastolic } });

	it('a number is what was meant, none where it is emptied, or refused', () => {
		fc.assert(
			fc.property(anything, (value) => {
				const isEmptied = value === null || isBlankText(value);
				const number = isEmptied ? undefined : someAtLeast(0)(value);
				const result = readOrRefuse('High Systolic', () => read(pair(value, 0)).high);
				expect(result).toEqual(isEmptied || number !== undefined ? { read: [number, 0] } : undefined);
			}),
		);
	});

	it.each<[string, unknown, unknown]>([
		['no limits', {}, {}],
		['a group that n8n has filled in', { mean: { systolic: 130, diastolic: 80 } }, { mean: [130, 80] }],
		[
			'a missing number, which is its default',
			{ mean: { systolic: 130 }, enough: {} },
			{ mean: [130, 85], enough: [12, 3] },
		],
		['one emptied', pair('', 110), { high: [undefined, 110] }],
		['both emptied', { ...pair(null, ' '), mean: { systolic: 1, diastolic: 1 } }, { mean: [1, 1] }],
		['0', pair(0, 0), { high: [0, 0] }],
		['equal limits', pair(110, 110), { high: [110, 110] }],
		['only the diastolic one', pair(null, 110), { high: [undefined, 110] }],
		['readings and days, in any order of size', { enough: { readings: 3, days: 7 } }, { enough: [3, 7] }],
		['a group of others', { low: { systolic: 'x' } }, {}],
	])('%s', (_, given, expected) => {
		expect(read(given)).toEqual(expected);
	});

	it.each<[string, unknown, string]>([
		['diastolic above systolic', pair(110, 180), "'High Diastolic' (180) is above 'High Systolic' (110)"],
		[
			'the same of the mean',
			{ mean: { systolic: 85, diastolic: 135 } },
			"'Mean Diastolic' (135) is above 'Mean Systolic' (85)",
		],
		[
			'days that are no days',
			{ enough: { readings: 12, days: 0 } },
			"'Enough Days' is not a whole number of 1 or more",
		],
		['half a reading', { enough: { readings: 1.5, days: 1 } }, "'Enough Readings' is not a whole number of 1 or more"],
		['undefined of an expression', pair(undefined, 110), "'High Systolic' is empty"],
		['text in their place', '180/110', "'Limits' is not a set of limits"],
		['null in their place', null, "'Limits' is empty"],
		['a list in their place', [pair(1, 1)], "'Limits' is not a set of limits"],
		['a number for a pair', { high: 180 }, "'Limits' is not a set of limits"],
	])('%s: an error', (_, given, message) => {
		expect(() => read(given)).toThrow(message);
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
		...[
			[
				['Watch', ' cuff ', 'CUFF', ' '],
				['cuff', 'watch'],
			] as [unknown, string[]],
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

it('an invalid value never gives an open end, another range or another zone', () => {
	const selected = { user: { user_id: 'u', client_user_id: null }, place: 1 };
	// After all dates given: only an open end ends on the day after it.
	jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2031, 5, 1, 12));
	const given = fc.oneof(anything, fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01') }));
	fc.assert(
		fc.property(given, fc.constantFrom('days', 'times'), (endDate, dateRange) => {
			const result = readOrRefuse('End Date', () =>
				requestOf(withField('endDate', endDate, { dateRange, startDate: '2015-01-01' })).rangeOf(selected),
			);
			if (result) expect(result.read.query!.end_date.startsWith('2031-06-02')).toBe(isBlankText(endDate));
		}),
	);
	fc.assert(
		fc.property(given, fc.constantFrom('days', 'times'), (startDate, dateRange) => {
			const result = readOrRefuse('Start Date', () =>
				requestOf(withField('startDate', startDate, { dateRange, endDate: '' })).rangeOf(selected),
			);
			if (result) expect(result.read.query!.start_date).toMatch(/^20[23]\d-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/);
		}),
	);
	fc.assert(
		fc.property(anything, (dateRange) => {
			const result = readOrRefuse('Date Range', () =>
				requestOf(withField('dateRange', dateRange, { startDate: '2015-01-01' })).rangeOf(selected),
			);
			expect(result !== undefined).toBe(dateRange === 'last7Days' || dateRange === 'days');
		}),
	);
	jest.restoreAllMocks();
});

it('nothing that was given is quoted: it may be a reading', () => {
	const secret = fc.string({ minLength: 12 }).map((text) => `geheim${text}`);
	const unsaid = expect.not.stringContaining('geheim');
	const unquoted = { message: unsaid, description: unsaid };
	fc.assert(
		fc.property(secret, (value) => {
			for (const one of [value, [value], { [value]: value }]) {
				for (const read of [
					() => toSwitch(one, 'F'),
					() => toChoice(one, 'F', [{ value: 'a' }]),
					() => wholeNumber(one, 'F', 1),
					() => toText([one], 'F', 'Enter it'),
				])
					expect(read).toThrow(expect.objectContaining(unquoted));
			}
		}),
	);
});
