/** Conversion of the date fields to instants: presets, days and times, in any time zone. */
import { DateTime, Settings } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { Problem } from '../../../../nodes/HealthDataService/shared/problem';
import { readRange, readRanges, toDateRange } from '../../../helpers/metrics';
import { fc } from '../../../helpers/properties';

const BERLIN = 'Europe/Berlin';
// Monday after the change of clocks in Berlin, shortly after midnight there and still Sunday in UTC.
const now = DateTime.fromISO('2026-03-29T22:30:00.123Z');
const TOMORROW = '2026-03-31T23:59:59.999999+02:00';
const range = (dateRange: string, zone = BERLIN) => toDateRange({ dateRange }, zone, now);

afterEach(() => void jest.restoreAllMocks());

describe('presets', () => {
	const LAST = '2026-03-30T00:30:00.123999+02:00';
	it.each([
		['last7Days', '2026-03-24T00:00:00.000+01:00', '2026-03-24T00:00:00.000+01:00'],
		['last30Days', '2026-03-01T00:00:00.000+01:00', '2026-03-01T00:00:00.000+01:00'],
		['last90Days', '2025-12-31T00:00:00.000+01:00', '2025-12-31T00:00:00.000+01:00'],
		// Also over the change of clocks: 00:30 +02:00 minus 24 hours is 23:30 +01:00.
		['last24Hours', '2026-03-28T23:30:00.123+01:00', '2026-03-28T00:00:00.000+01:00'],
	])('%s end now; days, and the first of rows of days, are calendar days', (dateRange, start_date, ofDays) => {
		expect(range(dateRange)).toEqual({ start_date, end_date: LAST });
		const whole = toDateRange({ dateRange }, BERLIN, now, { isWholeDays: true });
		expect(whole).toEqual({ start_date: ofDays, end_date: LAST });
	});

	it.each([
		['lastWeek', BERLIN, '2026-03-23T00:00:00.000+01:00', '2026-03-29T23:59:59.999999+02:00'],
		['lastMonth', BERLIN, '2026-02-01T00:00:00.000+01:00', '2026-02-28T23:59:59.999999+01:00'],
		['yesterday', BERLIN, '2026-03-29T00:00:00.000+01:00', '2026-03-29T23:59:59.999999+02:00'],
		['today', 'Pacific/Auckland', '2026-03-30T00:00:00.000+13:00', '2026-03-30T23:59:59.999999+13:00'],
	])('%s in %s: a calendar day, or the week or month before the present one', (preset, zone, start_date, end_date) => {
		expect(range(preset, zone)).toEqual({ start_date, end_date });
	});
});

describe('Between Days', () => {
	const dayOf = (startDate: unknown, zone = BERLIN) => {
		const { start_date, end_date } = toDateRange({ dateRange: 'days', startDate, endDate: startDate }, zone, now);
		const [first, last] = [start_date, end_date!].map((text) => DateTime.fromISO(text).setZone(zone).toISODate());
		expect(first).toBe(last);
		return first;
	};

	it.each([
		...['2026-01-31', '2026-01-31T00:00:00', '2026-01-31T23:59:59', ' 2026-01-31 ', '2026-01-31 14:30'],
		// As local_time has it.
		'2026-01-31 20:00:00',
		...['2026-01-31   14:30', '2026-01-31'.padStart(100), '20260131', '2026-01-31t14:30', '20260131T143000'],
		// Midnights with an offset, as n8n and people write them.
		...['2026-01-31 00:00:00 +02:00', '2026-01-31T00:00:00+02:00', '2026-01-31T00:00:00.000Z'],
		'2026-01-31T00:00:00+11:00[Australia/Sydney]',
		...[new Date('2026-01-31'), DateTime.fromISO('2026-01-31', { zone: 'Pacific/Auckland' })],
	])('%p is the day that is written, in every zone', (given) => {
		for (const zone of [BERLIN, 'UTC', 'America/Los_Angeles', 'Pacific/Kiritimati', 'Asia/Kolkata'])
			expect(dayOf(given, zone)).toBe('2026-01-31');
	});

	// 1 February 06:30 in Berlin, 31 January 21:30 in Los Angeles: no two readers of one instant agree by chance.
	const instant = '2026-02-01T05:30:00Z';
	it.each([
		...[instant, '2026-01-31T21:30:00-08:00', '2026-02-01T16:30:00.123456+11:00', '2026-01-31T21:30-08'],
		...['2026-01-31 21:30:00 -08:00', '2026-02-01t05:30:00z', '2026-02-01T05:30 Z', '20260201T053000,5Z'],
		...['2026-02-01T05:30:00Z[Europe/Berlin]', new Date(instant)],
		...['America/Los_Angeles', 'Pacific/Auckland'].map((zone) => DateTime.fromISO(instant, { zone })),
	])('%p is the day that this instant has in the zone', (given) => {
		expect(dayOf(given, BERLIN)).toBe('2026-02-01');
		expect(dayOf(given, 'America/Los_Angeles')).toBe('2026-01-31');
		expect(dayOf(given, 'Asia/Kolkata')).toBe('2026-02-01');
	});

	it.each(['', '  '])('an open end (%p) is the end of tomorrow, for clocks and zones that are ahead', (endDate) => {
		const read = toDateRange({ dateRange: 'days', startDate: '2026-01-31', endDate }, BERLIN, now);
		expect(read).toEqual({ start_date: '2026-01-31T00:00:00.000+01:00', end_date: TOMORROW });
	});
});

describe('a day that Samoa left out', () => {
	const samoa = (startDate: string, endDate: string, dateRange = 'days') =>
		toDateRange({ dateRange, startDate, endDate }, 'Pacific/Apia');
	it.each(['days', 'times'])('begins with the next one and ends with the one before: %s', (dateRange) => {
		expect(samoa('2011-12-30', '2011-12-31', dateRange)).toEqual({
			start_date: '2011-12-31T00:00:00.000+14:00',
			end_date: '2011-12-31T23:59:59.999999+14:00',
		});
		expect(samoa('2011-12-29', '2011-12-30', dateRange)).toEqual({
			start_date: '2011-12-29T00:00:00.000-10:00',
			end_date: '2011-12-29T23:59:59.999999-10:00',
		});
	});

	it('has no readings of a user there, where the node has that day', () => {
		const fields = { dateRange: 'days', startDate: '2011-12-30', endDate: '2011-12-30', userTimeZone: true };
		const rangeOf = readRanges(fields, BERLIN, now);
		expect(rangeOf({ user_id: 'u', fallback_time_zone: { id: 'Pacific/Apia' } }).query).toBeUndefined();
	});

	it('is no range by itself', () => {
		expect(() => samoa('2011-12-30', '2011-12-30')).toThrow("'End Date' is before 'Start Date'");
	});
});

describe('Between Times', () => {
	const later = DateTime.fromISO('2027-03-30T10:00:00Z');
	const times = (startDate: unknown, endDate: unknown, zone = BERLIN) => {
		const { start_date, end_date } = toDateRange({ dateRange: 'times', startDate, endDate }, zone, later);
		return `${start_date} ${end_date}`;
	};

	const JANUARY = '2026-01-31T00:00:00.000+01:00';
	const NEW_YORK = DateTime.fromISO('2026-02-01T00:00:00', { zone: 'America/New_York' });
	const TWICE = '2026-10-25T02:30:00+01:00';
	const HAVANA = '2026-11-01T00:00:00.000-04:00 2026-11-01T23:59:59.999999-05:00';
	it.each<[string, unknown, unknown, string, string?]>([
		['in the zone', '2026-01-31T14:30:00', '', '2026-01-31T14:30:00.000+01:00 2027-03-31T23:59:59.999999+02:00'],
		['blank at the end', '2026-01-31', '  ', '2026-01-31T00:00:00.000+01:00 2027-03-31T23:59:59.999999+02:00'],
		[
			'that the clocks skip',
			'2026-03-29T02:30:00',
			'',
			'2026-03-29T03:30:00.000+02:00 2027-03-31T23:59:59.999999+02:00',
		],
		['that come twice', TWICE, TWICE, '2026-10-25T02:30:00.000+01:00 2026-10-25T02:30:00.000999+01:00'],
		['of an instant', '2026-01-31', '2026-07-31T14:30:00Z', `${JANUARY} 2026-07-31T16:30:00.000999+02:00`],
		['of a JS Date', new Date('2026-01-30T23:00:00Z'), '2026-01-31', `${JANUARY} 2026-01-31T23:59:59.999999+01:00`],
		['of a Luxon date', '2026-01-31', NEW_YORK, `${JANUARY} 2026-02-01T06:00:00.000999+01:00`],
		[
			'of one instant',
			'2026-01-30T23:00:00Z',
			'2026-01-31T00:00:00+01:00',
			`${JANUARY} 2026-01-31T00:00:00.000999+01:00`,
		],
		['of a day of 25 hours', '2026-11-01', '2026-11-01', HAVANA, 'America/Havana'],
	])('times %s', (...[, start, end, expected, zone]) => {
		expect(times(start, end, zone)).toBe(expected);
	});

	it.each(['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z'])(
		'a local time that comes twice is within, read at %s',
		(at) => {
			jest.spyOn(Settings, 'now').mockImplementation(() => Date.parse(at));
			const [from, to] = ['2026-10-25T02:00:00.000+02:00', '2026-10-25T02:59:59.999999+01:00'];
			expect(times('2026-10-25T02:00:00', '2026-10-25T02:59:59.999')).toBe(`${from} ${to}`);
			const [first, second] = ['2026-10-25T02:30:00.000+02:00', '2026-10-25T02:30:00.000999+01:00'];
			expect(times('2026-10-25T02:30:00', '2026-10-25T02:30:00')).toBe(`${first} ${second}`);
		},
	);

	it.each([
		['2026-03-29T12:00:00', '2026-03-29T23:59:59.999999+02:00'],
		['', TOMORROW],
	])('are whole days where each day becomes a row, until %p', (endDate, end_date) => {
		const fields = { dateRange: 'times', startDate: '2026-03-02T12:00:00', endDate };
		const start_date = '2026-03-02T00:00:00.000+01:00';
		expect(toDateRange(fields, BERLIN, now, { isWholeDays: true })).toEqual({ start_date, end_date });
	});

	it.each([
		['days', '2026-03-31', ''],
		['days', '2026-03-31', '2026-04-02'],
		['times', '2026-03-30T00:30:00.124+02:00', ''],
		['times', '2026-03-30T00:30:00.124+02:00', '2100-01-01'],
	])('a start in the future is an error, wherever the end is: %s %s %s', (dateRange, startDate, endDate) => {
		const read = (start: string) => toDateRange({ dateRange, startDate: start, endDate }, BERLIN, now);
		expect(() => read(startDate)).toThrow("'Start Date' is in the future");
		expect(read(now.toISO()!).end_date).toMatch(endDate || TOMORROW);
	});
});

describe("in each user's own time zone", () => {
	const inZone = (id: unknown) => ({ user_id: 'u', fallback_time_zone: { id } });
	const NEW_YORK = inZone('America/New_York');
	const rangesOf = (fields: { dateRange: string; startDate?: string; endDate?: string }) =>
		readRanges({ ...fields, userTimeZone: true }, BERLIN, now);

	it('users of one zone share a range, and the others have that of the node', () => {
		const rangeOf = rangesOf({ dateRange: 'yesterday' });
		expect(rangeOf(NEW_YORK)).toMatchObject({
			...{ zone: 'America/New_York', from: '2026-03-29', to: '2026-03-29' },
			query: { start_date: '2026-03-29T00:00:00.000-04:00', end_date: '2026-03-29T23:59:59.999999-04:00' },
		});
		expect(rangeOf({ ...NEW_YORK })).toBe(rangeOf(NEW_YORK));
		const others = [undefined, {}, inZone('Moon'), inZone(null)].map((record) => rangeOf(record));
		for (const range of others) expect(range).toMatchObject({ zone: BERLIN, from: '2026-03-29' });
	});

	describe('a typed and an exact time', () => {
		const times = (startDate: string, endDate: string) => rangesOf({ dateRange: 'times', startDate, endDate });

		it('have no readings of a user for whom the end is before the start', () => {
			const rangeOf = times('2026-03-29T20:00:00', '2026-03-29T22:00:00Z');
			expect(rangeOf(NEW_YORK).query).toBeUndefined();
			expect(rangeOf(undefined).query).toMatchObject({ start_date: '2026-03-29T20:00:00.000+02:00' });
		});

		it('are in the wrong order where they are in the zone of the node', () => {
			expect(() => times('2026-03-29T18:00:00Z', '2026-03-29T18:00:00')).toThrow("'End Date' is before 'Start Date'");
		});
	});

	it.each(['2026-03-30', '2026-03-30T00:30:00+02:00', now.setZone(BERLIN)])(
		'%p names a day in the zone of the node, of which the user has the same',
		(startDate) => {
			const rangeOf = readRanges({ dateRange: 'days', startDate, endDate: startDate, userTimeZone: true }, BERLIN, now);
			for (const record of [NEW_YORK, undefined]) expect(rangeOf(record)).toMatchObject({ from: '2026-03-30' });
		},
	);

	it.each([
		['days', '2026-03-30', '2026-03-30'],
		['times', '2026-03-30T00:00:00', '2026-03-30 00:00:00'],
	])('an open range that has not begun for a user ends where it begins: %s', (dateRange, startDate, shown) => {
		const rangeOf = rangesOf({ dateRange, startDate, endDate: '' });
		expect(rangeOf(NEW_YORK)).toMatchObject({ query: undefined, from: shown, to: shown });
		expect(rangeOf()).toMatchObject({ query: { start_date: expect.any(String) }, from: shown });
	});
});

describe('Compare With', () => {
	const compared = (compareWith: 'period' | 'day', fields: object, zone = BERLIN, at = now) =>
		readRange({ dateRange: 'days', ...fields }, zone, at, { compareWith });
	const at = (time: string) => ({ row: {}, values: [], time: Date.parse(time), local: '' });

	it.each([
		['as many days', { startDate: '2026-03-10', endDate: '2026-03-12' }, '2026-03-07T00:00:00.000+01:00'],
		['as many days up to today', { startDate: '2026-03-29', endDate: '' }, '2026-03-27T00:00:00.000+01:00'],
		['7 days', { dateRange: 'last7Days' }, '2026-03-17T00:00:00.000+01:00'],
		['24 hours', { dateRange: 'last24Hours' }, '2026-03-27T23:30:00.123+01:00'],
		[
			'as much time',
			{ dateRange: 'times', startDate: '2026-03-02T12:00:00Z', endDate: '2026-03-02T15:00:00Z' },
			'2026-03-02T10:00:00.000+01:00',
		],
		// The end is the last millisecond of its day.
		[
			'two whole days',
			{ dateRange: 'times', startDate: '2026-03-03T00:00', endDate: '2026-03-04' },
			'2026-03-01T00:00:00.000+01:00',
		],
	])('one query reads %s more', (_, fields, start_date) => {
		const { end_date } = toDateRange({ dateRange: 'days', ...fields }, BERLIN, now);
		expect(compared('period', fields).query).toEqual({ start_date, end_date });
	});

	const EXACT = { dateRange: 'times', startDate: '2026-03-26T10:00:00Z', endDate: '2026-03-26T12:00:00Z' };
	// Days of any zone: periods.test.ts.
	it.each<['period' | 'day', object, string, string, string]>([
		// Up to the same time of day, 00:30:00.123 in Berlin.
		['period', { dateRange: 'last7Days' }, '2026-03-17', '2026-03-23', '2026-03-22T23:30:00.123Z'],
		['day', { dateRange: 'today' }, '2026-03-29', '2026-03-29', '2026-03-28T23:30:00.123Z'],
		['day', { dateRange: 'lastWeek' }, '2026-03-22', '2026-03-28', '2026-03-28T22:59:59.999Z'],
		['period', { dateRange: 'last24Hours' }, '2026-03-27 23:30:00', '2026-03-28 23:30:00', '2026-03-28T22:30:00.122Z'],
		['day', { dateRange: 'last24Hours' }, '2026-03-27 23:30:00', '2026-03-29 00:30:00', '2026-03-28T23:30:00.123Z'],
		['period', EXACT, '2026-03-26 09:00:00', '2026-03-26 11:00:00', '2026-03-26T09:59:59.999Z'],
		['day', EXACT, '2026-03-25 11:00:00', '2026-03-25 13:00:00', '2026-03-25T12:00:00.000Z'],
		// Of what is over by now.
		[
			'period',
			{ ...EXACT, startDate: '2026-03-29T22:00:00Z', endDate: '2026-03-31' },
			'2026-03-29 23:29:59',
			'2026-03-30 00:00:00',
			'2026-03-29T21:59:59.999Z',
		],
	])('%s, %j: from %s to %s', (by, fields, from, to, last) => {
		const { before } = compared(by, fields);
		expect(before).toMatchObject({ from, to });
		expect(before!.has(at(last))).toBe(true);
		expect(before!.has({ ...at(last), time: Date.parse(last) + 1 })).toBe(false);
	});

	it.each([
		['Atlantic/Azores', '2024-10-26', '2024-10-25T00:00:00.000+00:00'],
		['America/Havana', '2024-11-02', '2024-11-01T00:00:00.000-04:00'],
		['Africa/Cairo', '2024-10-31', '2024-10-30T00:00:00.000+03:00'],
		['America/Asuncion', '2014-10-05', '2014-10-04T00:00:00.000-04:00'],
	])('one day reads one more where clocks change at midnight: %s', (zone, day, start_date) => {
		const fields = { startDate: day, endDate: day };
		for (const by of ['period', 'day'] as const) expect(compared(by, fields, zone).query).toMatchObject({ start_date });
	});

	it.each([
		[{ dateRange: 'today' }, '2026-03-29'],
		[{ dateRange: 'times', startDate: '2026-03-30T00:00', endDate: '' }, '2026-03-30 00:00:00'],
	])('%j, which has not begun for a user, has no readings, and compares with none', (fields, day) => {
		const rangeOf = readRanges({ ...fields, userTimeZone: true }, BERLIN, now, { compareWith: 'period' });
		const { query, before } = rangeOf({ user_id: 'u', fallback_time_zone: { id: 'America/New_York' } });
		expect(query).toBeUndefined();
		expect(before).toMatchObject({ from: day, to: day });
	});

	it('an end before the start is an error, whatever comes before', () => {
		expect(() => compared('period', { startDate: '2026-03-10', endDate: '2026-03-09' })).toThrow('is before');
	});
});

describe('refused, by the name of the field', () => {
	const days = (startDate: unknown, endDate: unknown) => () =>
		toDateRange({ dateRange: 'days', startDate, endDate }, BERLIN);

	it.each([
		...['soon', '2026', '14:30', '2026-W05', '31.01.2026', '01/31/2026', '2026-02-30', '2026-13-01'],
		...['since 2026-01-31', 'at 2026-01-31 14:30', '2026-01-31 14:30 [UTC]', 1769817600],
		...[{}, [], true, DateTime.invalid('test'), new Date('x')],
	])('%p is not a date', (given) => {
		expect(days(given, '')).toThrow("'Start Date' is not a date");
		expect(days('2026-01-01', given)).toThrow("'End Date' is not a date");
	});

	it.each([undefined, null])('%p of an expression, which is no open end', (given) => {
		expect(days('2026-01-01', given)).toThrow("'End Date' is empty");
		expect(days(given, '')).toThrow("'Start Date' is empty");
	});

	it('an end before the start', () => {
		expect(days('2026-01-02', '2026-01-01')).toThrow("'End Date' is before 'Start Date'");
		expect(days('2100-01-02', '2100-01-01')).toThrow("'End Date' is before 'Start Date'");
		const [startDate, endDate] = ['2026-01-31T14:30:00.001Z', '2026-01-31T14:30:00Z'];
		for (const isWholeDays of [false, true])
			expect(() => toDateRange({ dateRange: 'times', startDate, endDate }, BERLIN, now, { isWholeDays })).toThrow(
				'is before',
			);
	});

	it.each(['', 'Berlin', 'UTC+2x', 'DEFAULT'])('%p is not a time zone', (zone) => {
		expect(() => range('today', zone)).toThrow("'Time Zone' is not a known time zone");
	});

	it.each<[string, IDataObject, RegExp, string?]>([
		['no date', { startDate: 'soon' }, /^Enter a date such as 2026-03-30 \(today\), .* such as 2026-03-30T14:30, /],
		['nothing', { startDate: '' }, /^Enter a date such as 2026-03-30/],
		['the future', { startDate: '2026-04-02' }, /Choose an earlier 'Start Date'/],
		['an end before', { startDate: '2026-01-02', endDate: '2026-01-01' }, /^Swap the two dates/],
		['no time zone', { startDate: '2026-01-02' }, /^Enter a name from the IANA list/, 'Berlin'],
	])('says what to do instead: %s', (...[, given, advice, zone = BERLIN]) => {
		jest.spyOn(Date, 'now').mockReturnValue(+now);
		const read = () => toDateRange({ dateRange: 'days', endDate: '', ...given } as never, zone, now);
		expect(read).toThrow(expect.objectContaining({ description: expect.stringMatching(advice) }));
	});
});

describe('any input for dates', () => {
	const ZONES =
		'Europe/Berlin America/New_York Asia/Kolkata Pacific/Auckland Pacific/Apia Africa/Cairo America/St_Johns';
	const zone = fc.constantFrom('UTC', 'Australia/Lord_Howe', ...ZONES.split(' '));
	const instant = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
	const anything = fc.oneof(
		fc.anything(),
		fc.string(),
		instant,
		instant.map((date) => date.toISOString()),
		instant.map((date) => date.toISOString().slice(0, 10)),
		instant.map((date) => date.toISOString().slice(0, 19)),
		fc.tuple(instant, zone).map(([date, setZone]) => DateTime.fromJSDate(date, { zone: setZone })),
	);
	const withOffset = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}(Z|[+-]\d\d:\d\d)$/;

	it('gives a range with offsets, in order, or a clear error that names the field', () => {
		fc.assert(
			fc.property(
				fc.constantFrom('days', 'times'),
				anything,
				anything,
				fc.oneof(zone, fc.string()),
				(dateRange, startDate, endDate, inZone) => {
					try {
						const { start_date, end_date } = toDateRange({ dateRange, startDate, endDate }, inZone);
						expect(start_date).toMatch(withOffset);
						if (end_date !== undefined) {
							expect(end_date).toMatch(withOffset);
							expect(Date.parse(end_date)).toBeGreaterThanOrEqual(Date.parse(start_date));
						}
					} catch (error) {
						expect(error).toBeInstanceOf(Problem);
						expect((error as Problem).message).toMatch(/^'(Start Date|End Date|Time Zone)' is /);
					}
				},
			),
		);
	});
});
