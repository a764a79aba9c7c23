/** Offsets of times: each way to write one is the same instant to the identity of a reading and to its day. */
import { instantOf } from '../../../nodes/HealthDataService/shared/dateTime';

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

it.each(['March 3 2026', '5', '2026-W10-2x', 'yesterday', 'on 2026-03-03 08:00'])(
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
