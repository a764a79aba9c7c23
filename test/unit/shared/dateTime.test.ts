/** Instants: each way to write one is the same to the identity of a reading and to its day. Their local time. */
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

const NOON = Date.UTC(2026, 5, 1, 12);

it.each([
	['2026-06-01T12:00:00', ['Z', 'z', '', '+00:00', '-00:00', '+0000', '-0000', '+00', '-00', ' +0000']],
	['20260601T120000', ['Z', '']],
	['2026-06-01T17:30:00', ['+05:30', '+0530']],
	['2026-06-01T14:00:00', ['+02:00', '+0200', '+02']],
	['2026-06-01T08:30:00', ['-03:30', '-0330']],
])('%s with %j', (time, offsets) => {
	for (const offset of offsets) {
		expect([offset, instantOf(time + offset).millis]).toEqual([offset, NOON]);
		expect(instantOf(time + offset).key).toBe(instantOf('2026-06-01T12:00Z').key);
		expect(instantOf(`${time}.000250${offset}`).key).toBe(instantOf('2026-06-01 12:00:00.00025').key);
	}
});

it('a text of more than 64 characters is no time, and its own key', () => {
	const withFraction = (digits: number) => `2026-06-01T12:00:00.${'0'.repeat(digits - 1)}1Z`;
	expect(instantOf(withFraction(43))).toEqual({ millis: NOON, key: `${NOON}.${'0'.repeat(39)}1` });
	for (const text of [withFraction(44), withFraction(120_000), 'x'.repeat(65), `${' '.repeat(60)}2026-06-01`])
		expect(instantOf(text)).toEqual({ key: text });
});

it.each(['+0', '+000', '+00000', '+0:00', '+05:3', '+25:00', 'UTC'])('%s is no offset: the text is kept', (offset) => {
	expect(instantOf(`2026-06-01T12:00:00${offset}`).key).toBe(`2026-06-01T12:00:00${offset}`);
});

it.each(['20260601T12Z', '2026-06-01t14:00:00,0+02:00', '2026-06-01T120000Z', ' 2026-06-01 12:00:00 Z '])(
	'%p is noon',
	(text) => expect(instantOf(text).millis).toBe(NOON),
);

it.each(['2026-06-01T12:00:00Z[Europe/Berlin]', '2026-06-01T13:00:00+01:00[Europe/Berlin]'])(
	'%s is noon, whatever the zone is called',
	(text) => expect(instantOf(text).millis).toBe(NOON),
);

it.each(['March 3 2026', '5', '14:30', '2026-03-03T23:59:60Z', '2026-W10-2x', 'yesterday', 'on 2026-03-03 08:00'])(
	'%s is no ISO 8601, so it is no time in any zone',
	(text) => {
		expect(instantOf(text)).toEqual({ key: text });
	},
);

it.each(['2026-02-30', '2026-02-29', '2026-04-31', '2026-13-31', '1900-02-29'])(
	'%s is no day, with a time or without',
	(date) => {
		for (const text of [date, `${date}T10:00:00Z`, `${date}T10:00:00`, `${date} 10:00`, `${date}T10:00:00.5+02:00`])
			expect(instantOf(text)).toEqual({ key: text });
	},
);

it.each(['2024-02-29', '2026-01-31', '2026-04-30', '2000-02-29', '2026-02-28'])('%s is a day', (date) => {
	expect(instantOf(`${date}T10:00:00Z`).millis).toBe(Date.parse(`${date}T10:00Z`));
});
