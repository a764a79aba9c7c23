/**
 * Conversion of the date fields to instants: presets, days and times, in any time zone.
 */
import { DateTime, Settings } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { toDateRange } from '../../../../nodes/HealthDataService/resources/timeseries/dateRange';

const BERLIN = 'Europe/Berlin';
// Monday after the change of clocks in Berlin, shortly after midnight there and still Sunday in UTC.
const now = DateTime.fromISO('2026-03-29T22:30:00.123Z');
const range = (dateRange: string, zone = BERLIN) => toDateRange({ dateRange }, zone, now);

afterEach(() => void jest.restoreAllMocks());

describe('presets', () => {
	it.each([
		['last24Hours', '2026-03-29T00:30:00.123+01:00'],
		['last7Days', '2026-03-23T00:30:00.123+01:00'],
		['last30Days', '2026-02-28T00:30:00.123+01:00'],
		['last90Days', '2025-12-30T00:30:00.123+01:00'],
	])('%s ends now', (preset, start) => {
		// 24 hours are 24 hours, also over the change of clocks: 00:30 +02:00 minus 24 hours is 23:30 +01:00.
		const expected = preset === 'last24Hours' ? '2026-03-28T23:30:00.123+01:00' : start;
		expect(range(preset)).toEqual({ start_date: expected, end_date: '2026-03-30T00:30:00.123999+02:00' });
	});

	it.each([
		['last24Hours', '2026-03-28T00:00:00.000+01:00'],
		['last7Days', '2026-03-24T00:00:00.000+01:00'],
		['last30Days', '2026-03-01T00:00:00.000+01:00'],
		['last90Days', '2025-12-31T00:00:00.000+01:00'],
	])('%s in rows of days begins with a whole day, and N days are N calendar days with today', (dateRange, start) => {
		const { start_date, end_date } = toDateRange({ dateRange, isDaily: true }, BERLIN, now);
		expect([start_date, end_date]).toEqual([start, '2026-03-30T00:30:00.123999+02:00']);
	});

	it.each([
		['today', BERLIN, '2026-03-30T00:00:00.000+02:00', '2026-03-30T23:59:59.999999+02:00'],
		['yesterday', BERLIN, '2026-03-29T00:00:00.000+01:00', '2026-03-29T23:59:59.999999+02:00'],
		['today', 'UTC', '2026-03-29T00:00:00.000Z', '2026-03-29T23:59:59.999999Z'],
		['today', 'Pacific/Auckland', '2026-03-30T00:00:00.000+13:00', '2026-03-30T23:59:59.999999+13:00'],
		['yesterday', 'America/Los_Angeles', '2026-03-28T00:00:00.000-07:00', '2026-03-28T23:59:59.999999-07:00'],
	])('%s in %s is a calendar day', (preset, zone, start_date, end_date) => {
		expect(range(preset, zone)).toEqual({ start_date, end_date });
	});

	it('refuses one that does not exist', () => {
		expect(() => range('lastCentury')).toThrow("'Date Range' is not one of its options");
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
		['a day', '2026-01-31'],
		['a midnight without a zone', '2026-01-31T00:00:00'],
		['a time without a zone', '2026-01-31T23:59:59'],
		['text with spaces around', ' 2026-01-31 '],
		['text as people type it', '2026-01-31 14:30'],
		['text with several spaces', '2026-01-31   14:30'],
		['text of 100 characters', '2026-01-31'.padStart(100)],
		['basic ISO', '20260131'],
		['t in place of T', '2026-01-31t14:30'],
		['basic ISO with a time', '20260131T143000'],
		['a midnight with a blank before its offset', '2026-01-31 00:00:00 +02:00'],
		['a midnight with an offset', '2026-01-31T00:00:00+02:00'],
		['a midnight in UTC', '2026-01-31T00:00:00.000Z'],
		['a midnight with a named zone', '2026-01-31T00:00:00+11:00[Australia/Sydney]'],
		['a JS Date of a bare date', new Date('2026-01-31')],
		['a Luxon date at its own midnight', DateTime.fromISO('2026-01-31', { zone: 'Pacific/Auckland' })],
	])('%s is the day that is written, in every zone', (_, given) => {
		for (const zone of [BERLIN, 'UTC', 'America/Los_Angeles', 'Pacific/Kiritimati', 'Asia/Kolkata'])
			expect(dayOf(given, zone)).toBe('2026-01-31');
	});

	// 1 February 06:30 in Berlin, 31 January 21:30 in Los Angeles: no two readers of one instant agree by chance.
	const instant = '2026-02-01T05:30:00Z';
	it.each([
		['text with Z', instant],
		['text with an offset', '2026-01-31T21:30:00-08:00'],
		['text with microseconds and an offset', '2026-02-01T16:30:00.123456+11:00'],
		['text with a short offset', '2026-01-31T21:30-08'],
		['text with a blank before the offset', '2026-01-31 21:30:00 -08:00'],
		['text with t and z', '2026-02-01t05:30:00z'],
		['text with a blank before Z', '2026-02-01T05:30 Z'],
		['text with Z and a named zone', '2026-02-01T05:30:00Z[Europe/Berlin]'],
		['text in the basic form', '20260201T053000,5Z'],
		['a JS Date', new Date(instant)],
		['a Luxon date in one zone', DateTime.fromISO(instant, { zone: 'America/Los_Angeles' })],
		['a Luxon date in another zone', DateTime.fromISO(instant, { zone: 'Pacific/Auckland' })],
	])('%s is the day that this instant has in the zone', (_, given) => {
		expect(dayOf(given, BERLIN)).toBe('2026-02-01');
		expect(dayOf(given, 'America/Los_Angeles')).toBe('2026-01-31');
		expect(dayOf(given, 'Asia/Kolkata')).toBe('2026-02-01');
	});

	it.each(['2026-03-29T21:59:59.999Z', '2026-03-28T23:00:00.001Z', '2026-03-28T23:00:00.000+00:00'])(
		"gives the day that contains a reading's own timestamp %s",
		(timestamp) => {
			expect(dayOf(timestamp)).toBe('2026-03-29');
		},
	);

	it('reads $today and $now of n8n as today, also shortly after midnight', () => {
		Settings.defaultZone = BERLIN;
		try {
			for (const $now of [now, now.plus({ hours: 1 }), DateTime.fromISO('2026-03-30T00:00:00')].map((time) =>
				time.setZone(BERLIN),
			)) {
				expect(dayOf($now)).toBe('2026-03-30');
				expect(dayOf($now.startOf('day'))).toBe('2026-03-30');
				expect(dayOf($now.toISO())).toBe('2026-03-30');
				expect(dayOf($now.startOf('day').minus({ days: 1 }))).toBe('2026-03-29');
			}
		} finally {
			Settings.defaultZone = 'system';
		}
	});

	it('means the same before and after n8n made JSON of it', () => {
		for (const given of [
			new Date('2026-01-31'),
			new Date(instant),
			DateTime.fromISO('2026-01-31T00:00', { zone: 'Asia/Tokyo' }),
			DateTime.fromISO(instant),
		]) {
			for (const zone of [BERLIN, 'America/Los_Angeles'])
				expect(dayOf(JSON.parse(JSON.stringify(given)), zone)).toBe(dayOf(given, zone));
		}
	});

	it.each(['2026-01-31T24:00', '2026-01-31T24:00:00Z', '20260131T2400'])('%s is the end of that day', (endDate) => {
		const { end_date } = toDateRange({ dateRange: 'days', startDate: '2026-01-31', endDate }, BERLIN, now);
		expect(end_date).toBe('2026-01-31T23:59:59.999999+01:00');
		expect(toDateRange({ dateRange: 'days', startDate: endDate, endDate: '' }, BERLIN, now).start_date).toBe(
			'2026-02-01T00:00:00.000+01:00',
		);
	});

	it('includes the whole last day', () => {
		expect(toDateRange({ dateRange: 'days', startDate: '2026-03-29', endDate: '2026-03-29' }, BERLIN)).toEqual({
			start_date: '2026-03-29T00:00:00.000+01:00',
			end_date: '2026-03-29T23:59:59.999999+02:00',
		});
	});

	it.each(['', '  '])('leaves the end open when it is %p', (endDate) => {
		expect(toDateRange({ dateRange: 'days', startDate: '2026-01-31', endDate }, BERLIN)).toEqual({
			start_date: '2026-01-31T00:00:00.000+01:00',
		});
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

	it('is no range by itself', () => {
		expect(() => samoa('2011-12-30', '2011-12-30')).toThrow("'Start Date' is a day that this time zone left out");
	});

	it('is not yesterday', () => {
		const yesterday = toDateRange(
			{ dateRange: 'yesterday' },
			'Pacific/Apia',
			DateTime.fromISO('2011-12-31T12:00:00+14:00'),
		);
		expect(yesterday.start_date).toBe('2011-12-29T00:00:00.000-10:00');
	});
});

describe('Between Times', () => {
	const times = (startDate: unknown, endDate: unknown) =>
		toDateRange({ dateRange: 'times', startDate, endDate }, BERLIN, now);

	it.each(['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z'])(
		'a local time that comes twice is within, read at %s',
		(at) => {
			const today = jest.spyOn(Settings, 'now').mockImplementation(() => Date.parse(at));
			const range = times('2026-10-25T02:00:00', '2026-10-25T02:59:59.999');
			const same = times('2026-10-25T02:30:00', '2026-10-25T02:30:00');
			today.mockRestore();
			expect(range).toEqual({
				start_date: '2026-10-25T02:00:00.000+02:00',
				end_date: '2026-10-25T02:59:59.999999+01:00',
			});
			expect(same).toEqual({
				start_date: '2026-10-25T02:30:00.000+02:00',
				end_date: '2026-10-25T02:30:00.000999+01:00',
			});
		},
	);

	it('with an offset, one that comes twice is the one meant; one that the clocks skip comes after the change', () => {
		expect(times('2026-10-25T02:30:00+01:00', '2026-10-25T02:30:00+01:00').start_date).toBe(
			'2026-10-25T02:30:00.000+01:00',
		);
		expect(times('2026-03-29T02:30:00', '').start_date).toBe('2026-03-29T03:30:00.000+02:00');
	});

	it('are whole days where each day becomes a row', () => {
		const fields = {
			dateRange: 'times',
			startDate: '2026-03-02T12:00:00',
			endDate: '2026-03-29T12:00:00',
			isDaily: true,
		};
		expect(toDateRange(fields, BERLIN, now)).toEqual({
			start_date: '2026-03-02T00:00:00.000+01:00',
			end_date: '2026-03-29T23:59:59.999999+02:00',
		});
		expect(toDateRange({ ...fields, endDate: '' }, BERLIN, now)).toEqual({
			start_date: '2026-03-02T00:00:00.000+01:00',
		});
	});

	it.each(['days', 'times'])('a start in the future is an error only where the end is open: %s', (dateRange) => {
		const read = (endDate: string, startDate = now.plus({ days: 2 }).toISO()) =>
			toDateRange({ dateRange, startDate, endDate }, BERLIN, now);
		expect(() => read('')).toThrow("'Start Date' is in the future");
		expect(read('2100-01-01').end_date).toMatch(/^2100-01-01/);
		expect(read('', now.toISO()!).end_date).toBeUndefined();
	});

	it('reads times without an offset in the zone, and keeps instants that have one', () => {
		expect(times('2026-01-31T14:30:00', '2026-07-31T14:30:00Z')).toEqual({
			start_date: '2026-01-31T14:30:00.000+01:00',
			end_date: '2026-07-31T16:30:00.000999+02:00',
		});
	});

	it('keeps the instant of dates from expressions', () => {
		expect(
			times(new Date('2026-01-31T23:30:00Z'), DateTime.fromISO('2026-02-01T00:00:00', { zone: 'America/New_York' })),
		).toEqual({
			start_date: '2026-02-01T00:30:00.000+01:00',
			end_date: '2026-02-01T06:00:00.000999+01:00',
		});
	});

	it('takes a day as its first and its last instant', () => {
		expect(times('2026-01-31', '2026-01-31')).toEqual({
			start_date: '2026-01-31T00:00:00.000+01:00',
			end_date: '2026-01-31T23:59:59.999999+01:00',
		});
		expect(
			toDateRange({ dateRange: 'times', startDate: '2026-11-01', endDate: '2026-11-01' }, 'America/Havana'),
		).toEqual({
			start_date: '2026-11-01T00:00:00.000-04:00',
			end_date: '2026-11-01T23:59:59.999999-05:00',
		});
	});

	it('may start and end at the same instant, however the two are written', () => {
		expect(times('2026-01-31T14:30:00Z', '2026-01-31T15:30:00+01:00')).toEqual({
			start_date: '2026-01-31T15:30:00.000+01:00',
			end_date: '2026-01-31T15:30:00.000999+01:00',
		});
		expect(() => times('2026-01-31T14:30:00.001Z', '2026-01-31T14:30:00Z')).toThrow(
			"'End Date' is before 'Start Date'",
		);
	});

	it.each(['', '  '])('leaves the end open when it is %p', (end) => {
		expect(times('2026-01-31', end)).toEqual({ start_date: '2026-01-31T00:00:00.000+01:00' });
	});
});

describe('refused, by the name of the field', () => {
	const notDates = [
		'soon',
		'2026',
		'14:30',
		'2026-W05',
		'31.01.2026',
		'01/31/2026',
		'2026-02-30',
		'2026-13-01',
		'since 2026-01-31',
		'20260131 14:30',
		'at 2026-01-31 14:30',
		'2026-01-31'.padStart(101),
		1769817600,
		{},
		[],
		true,
		DateTime.invalid('test'),
		new Date('x'),
	];
	it.each(notDates)('%p is not a date', (given) => {
		expect(() => toDateRange({ dateRange: 'days', startDate: given, endDate: '' }, BERLIN)).toThrow(
			"'Start Date' is not a date",
		);
		expect(() => toDateRange({ dateRange: 'times', startDate: '2026-01-01', endDate: given }, BERLIN)).toThrow(
			"'End Date' is not a date",
		);
	});

	it.each([undefined, null])('%p, which is not the same as left empty', (given) => {
		expect(() => toDateRange({ dateRange: 'days', startDate: '2026-01-01', endDate: given }, BERLIN)).toThrow(
			"'End Date' is not a date",
		);
		expect(() => toDateRange({ dateRange: 'days', startDate: given, endDate: '' }, BERLIN)).toThrow(
			"'Start Date' is empty",
		);
	});

	it('an end before the start', () => {
		expect(() => toDateRange({ dateRange: 'days', startDate: '2026-01-02', endDate: '2026-01-01' }, BERLIN)).toThrow(
			"'End Date' is before 'Start Date'",
		);
	});

	it.each(['', 'Berlin', 'UTC+2x', 'DEFAULT'])('%p is not a time zone', (zone) => {
		expect(() => range('today', zone)).toThrow("'Time Zone' is not a known time zone");
	});

	it.each<[string, IDataObject, string, RegExp]>([
		[
			'no date',
			{ startDate: 'soon' },
			BERLIN,
			/^Enter a date such as 2026-03-30 \(today\), .* such as 2026-03-30T14:30, /,
		],
		['nothing', { startDate: '' }, BERLIN, /Pick a date, or choose another Date Range/],
		['the future', { startDate: '2026-04-02' }, BERLIN, /Choose an earlier 'Start Date'/],
		['an end before', { startDate: '2026-01-02', endDate: '2026-01-01' }, BERLIN, /^Swap the two dates/],
		[
			'a day left out',
			{ startDate: '2011-12-30', endDate: '2011-12-30' },
			'Pacific/Apia',
			/^Choose the day before or after/,
		],
		['no time zone', { startDate: '2026-01-02' }, 'Berlin', /^Enter a name from the IANA list/],
	])('says what to do instead: %s', (_, given, zone, advice) => {
		jest.spyOn(Date, 'now').mockReturnValue(+now);
		const read = () => toDateRange({ dateRange: 'days', endDate: '', ...given } as never, zone, now);
		expect(read).toThrow(expect.objectContaining({ description: expect.stringMatching(advice) }));
	});
});
