/**
 * From what stands in the date fields to the instants that are sent: presets, days and times, in any time zone.
 */
import { DateTime } from 'luxon';
import { toDateRange } from '../../nodes/HealthDataService/resources/timeseries/dateRange';

const BERLIN = 'Europe/Berlin';
// Monday after the change of clocks in Berlin, shortly after midnight there and still Sunday in UTC.
const now = DateTime.fromISO('2026-03-29T22:30:00.123Z');
const range = (dateRange: string, zone = BERLIN) => toDateRange({ dateRange }, zone, now);

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

describe('Between Days: only the calendar day of what was given counts', () => {
	const start = (startDate: unknown) => toDateRange({ dateRange: 'days', startDate }, BERLIN, now);
	it.each([
		['a day', '2026-01-31'],
		['a midnight without a zone', '2026-01-31T00:00:00'],
		['text with spaces around', ' 2026-01-31 '],
		['text as people type it', '2026-01-31 14:30'],
		['text with another offset', '2026-01-31T23:30:00-08:00'],
		['a Luxon date in another zone', DateTime.fromISO('2026-01-31T23:30:00', { zone: 'America/Los_Angeles' })],
		['a JS Date, by the zone of the workflow', new Date('2026-01-30T23:30:00Z')],
		['basic ISO', '20260131'],
	])('%s', (_, given) => {
		expect(start(given)).toEqual({ start_date: '2026-01-31T00:00:00.000+01:00' });
	});

	it('includes the whole last day', () => {
		expect(toDateRange({ dateRange: 'days', startDate: '2026-03-29', endDate: '2026-03-29' }, BERLIN)).toEqual({
			start_date: '2026-03-29T00:00:00.000+01:00',
			end_date: '2026-03-29T23:59:59.999999+02:00',
		});
	});

	it('begins a day without a midnight with its first instant', () => {
		// On 26 April 2024 clocks in Cairo went from 00:00 to 01:00.
		expect(toDateRange({ dateRange: 'days', startDate: '2024-04-26' }, 'Africa/Cairo').start_date).toBe(
			'2024-04-26T01:00:00.000+03:00',
		);
	});
});

describe('Between Times', () => {
	const times = (startDate: unknown, endDate?: unknown) =>
		toDateRange({ dateRange: 'times', startDate, endDate }, BERLIN, now);

	it('reads times without an offset in the zone, and keeps instants that have one', () => {
		expect(times('2026-01-31T14:30:00', '2026-07-31T14:30:00Z')).toEqual({
			start_date: '2026-01-31T14:30:00.000+01:00',
			end_date: '2026-07-31T16:30:00.000999+02:00',
		});
	});

	it('takes a day as its first and its last instant', () => {
		expect(times('2026-01-31', '2026-01-31')).toEqual({
			start_date: '2026-01-31T00:00:00.000+01:00',
			end_date: '2026-01-31T23:59:59.999999+01:00',
		});
	});

	it.each([undefined, null, '', '  '])('leaves the end open when it is %p', (end) => {
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
		1769817600,
		{},
		[],
		true,
		DateTime.invalid('test'),
		new Date('x'),
	];
	it.each(notDates)('%p is not a date', (given) => {
		expect(() => toDateRange({ dateRange: 'days', startDate: given }, BERLIN)).toThrow("'Start Date' is not a date");
		expect(() => toDateRange({ dateRange: 'times', startDate: '2026-01-01', endDate: given }, BERLIN)).toThrow(
			"'End Date' is not a date",
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
});
