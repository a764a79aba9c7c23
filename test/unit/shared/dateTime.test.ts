/** The local time of an instant: few questions about the offset of the zone. */
import { IANAZone } from 'luxon';
import { instantOf, localTimeIn } from '../../../nodes/HealthDataService/shared/dateTime';

const MINUTE = 60_000;

it('asks for the offset once a quarter of an hour, not for each instant', () => {
	const offset = jest.spyOn(IANAZone.prototype, 'offset');
	const localTimeOf = localTimeIn('Europe/Berlin');
	const began = Date.UTC(2026, 5, 1);
	const found = Array.from({ length: 1000 }, (_, minutes) =>
		localTimeOf({ millis: began + minutes * MINUTE, key: '' }),
	);
	expect(found.slice(0, 2)).toEqual(['2026-06-01 02:00:00', '2026-06-01 02:01:00']);
	// 1,000 minutes lie in 67 steps.
	expect(offset).toHaveBeenCalledTimes(67);
	offset.mockRestore();
});

it('is right where the clocks change', () => {
	const localTimeOf = localTimeIn('Europe/Berlin');
	const change = Date.UTC(2026, 2, 29, 1);
	expect([change - 1, change].map((millis) => localTimeOf({ millis, key: '' }))).toEqual([
		'2026-03-29 01:59:59',
		'2026-03-29 03:00:00',
	]);
});

it.each([
	['9999-12-31T23:59:59Z', 'UTC', '9999-12-31 23:59:59'],
	['9999-12-31T23:59:59Z', 'America/New_York', '9999-12-31 18:59:59'],
	['9999-12-31T23:59:59Z', 'Asia/Kolkata', null],
	['9999-12-31', 'Asia/Kolkata', '9999-12-31'],
	['0000-01-01T00:00:00Z', 'UTC', '0000-01-01 00:00:00'],
	['0000-01-01T00:00:00Z', 'America/New_York', null],
])('%s in %s is %p: no year outside 0000 to 9999', (text, zone, expected) => {
	expect(localTimeIn(zone)(instantOf(text))).toBe(expected);
});
