/**
 * Hashes of readings seen: what is new, what is dropped, and that no value can be read from them.
 */
import { SeenReadings } from '../../../nodes/HealthDataService/trigger/detectChanges';
import type { IdentifiedRow } from '../../../nodes/HealthDataService/service/readingId';

const HOUR = 3_600_000;
const key = (user: string, reading: string) => user.padEnd(6, '0') + reading.padEnd(26, '0');
const row = (time: number | undefined, values = 'v', user = 'a', reading = 'r'): IdentifiedRow => ({
	key: key(user, reading),
	values,
	time,
	row: {},
});
const remembering = (...rows: IdentifiedRow[]) => {
	const seen = new SeenReadings({});
	for (const one of rows) seen.remember(one);
	return seen;
};
/** As n8n reads it back. */
const saved = (seen: SeenReadings, retainFrom: number, users: Parameters<SeenReadings['toSave']>[1] = []) =>
	new SeenReadings(JSON.parse(JSON.stringify(seen.toSave(retainFrom, users))) as Record<string, string>);

it('a reading is created, then known, then updated with other values, also after a save', () => {
	const before = remembering(row(HOUR), row(HOUR, 'w', 'b'));
	for (const seen of [before, saved(before, 0)]) {
		expect(seen.changeOf(row(HOUR))).toBeUndefined();
		expect(seen.changeOf(row(HOUR, 'w', 'b'))).toBeUndefined();
		expect(seen.changeOf(row(HOUR, 'other'))).toBe('updated');
		expect(seen.changeOf(row(HOUR, 'v', 'c'))).toBe('created');
		expect(seen.changeOf(row(HOUR, 'v', 'a', 'q'))).toBe('created');
		expect(seen.changeOf(row(undefined))).toBe('created');
	}
	before.remember(row(HOUR, 'other'));
	expect(before.changeOf(row(HOUR, 'other'))).toBeUndefined();
	expect(before.changeOf(row(HOUR))).toBe('updated');
});

it('is retained for the whole hour in which it was measured, and dropped with the hour', () => {
	const last = row(2 * HOUR - 1);
	expect(saved(remembering(last), 2 * HOUR - 1).changeOf(last)).toBeUndefined();
	expect(saved(remembering(last), 2 * HOUR).changeOf(last)).toBe('created');
	expect(remembering(last).toSave(2 * HOUR, [])).toEqual({});
});

it('is retained longer for users with a window of their own, and for no other user', () => {
	const early = [row(HOUR, 'v', 'a'), row(HOUR, 'v', 'b')];
	const users = [{ prefix: 'a00000', start: 2 * HOUR - 1 }];
	const seen = saved(remembering(...early), 10 * HOUR, users);
	expect(early.map((one) => seen.changeOf(one))).toEqual([undefined, 'created']);
	expect(remembering(...early).toSave(10 * HOUR, [{ prefix: 'a00000', start: 2 * HOUR }])).toEqual({});
	// A window of their own never drops a reading earlier.
	const all = saved(remembering(...early), 0, [{ prefix: 'a00000', start: 10 * HOUR }]);
	expect(early.map((one) => all.changeOf(one))).toEqual([undefined, undefined]);
});

it('is never dropped without a time', () => {
	const seen = saved(remembering(row(undefined)), 1e15);
	expect([seen.changeOf(row(undefined)), seen.changeOf(row(undefined, 'w'))]).toEqual([undefined, 'updated']);
});

it('takes 26 characters, none of which reveals the values', () => {
	const seen = remembering(row(HOUR, '["120","80"]'), row(HOUR + 1, '["120","80"]', 'b'), row(2 * HOUR)).toSave(0, []);
	expect(Object.entries(seen).map(([hour, text]) => [hour, text.length])).toEqual([
		['1', 52],
		['2', 26],
	]);
	// Equal values of two readings have different hashes: there are few enough values to try them all.
	const [first, second] = seen['1'].match(/.{26}/g)!;
	expect(first.slice(20)).not.toBe(second.slice(20));
});
