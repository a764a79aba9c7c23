/** Reading ID: the fields that identify a reading, and no others. */
import type { IDataObject } from 'n8n-workflow';
import { uuid } from '../../../../dev/sandbox/world';
import {
	identify,
	identityOf,
	toItem,
	userPrefix,
	type Identity,
} from '../../../../nodes/HealthDataService/service/readings/identity';
import { bloodPressure, mindfulness } from '../../../helpers/metrics';

let identity: Identity;
beforeEach(() => (identity = identityOf(bloodPressure)));
const reading = (more: IDataObject = {}): IDataObject => ({
	user_id: 'u1',
	provider: 'omron',
	source_type: 'cuff',
	timestamp: '2026-03-03T08:00:00Z',
	systolic: 120,
	diastolic: 80,
	unit: 'mmHg',
	...more,
});
const keysOf = (among: Identity, rows: IDataObject[]) => identify(among, rows).map(({ key }) => key);
const keyOf = (more: IDataObject = {}, among = identity) => keysOf(among, [reading(more)])[0];

it('is 32 characters, of which the first six are the same for all of a user', () => {
	expect(keyOf()).toMatch(/^[0-9a-f]{32}$/);
	expect(keyOf()).toBe(keyOf());
	expect(keyOf().slice(0, 6)).toBe(userPrefix('u1'));
	expect(keyOf({ provider: 'withings' }).slice(0, 6)).toBe(userPrefix('u1'));
	expect(keyOf({ user_id: 'u2' }).slice(0, 6)).toBe(userPrefix('u2'));
	const [one] = identify(identity, [reading()]);
	expect(toItem(identity, one, () => 'noon')).toMatchObject({ local_time: 'noon', row_id: `bloodPressure-${one.key}` });
});

it("never changes: it is the key of users' tables", () => {
	const rows = [reading(), reading({ systolic: 130 }), reading({ timestamp: 'soon' }), reading({ source_type: null })];
	expect(keysOf(identity, rows)).toEqual([
		'bb82030f2598c440ac7cd4a776683105',
		'bb8203423cbb24eb716f6f06804cab81',
		'bb82038e3a44d67c6cdb25b1f198f547',
		'bb8203c0f0f940728b4c107921eab1f5',
	]);
	expect(keyOf({ start: '2026-03-03T08:00:00.000001Z' }, identityOf(mindfulness))).toBe(
		'bb8203bdf916236055b41b9d82f0c4c1',
	);
});

it.each(['provider', 'source_type', 'timestamp', 'user_id'])('differs with %s', (column) => {
	expect(keyOf({ [column]: '2026-03-03T08:00:01Z' })).not.toBe(keyOf());
});

it.each(['systolic', 'diastolic', 'unit', 'client_user_id', 'note'])('does not differ with %s', (column) => {
	expect(keyOf({ [column]: 'other' })).toBe(keyOf());
});

it('differs between users whose six characters are the same', () => {
	const seen = new Map<string, string>();
	const alike = (function find() {
		for (let index = 0; ; index++) {
			const id = uuid('alike', index);
			const before = seen.get(userPrefix(id));
			if (before) return [before, id];
			seen.set(userPrefix(id), id);
		}
	})();
	const [first, second] = alike.map((user_id) => keyOf({ user_id }));
	expect(first.slice(0, 6)).toBe(second.slice(0, 6));
	expect(first).not.toBe(second);
});

it.each([null, undefined, ''])('missing sources (%p) are the same', (nothing) => {
	expect(keyOf({ source_type: nothing as never })).toBe(keyOf({ source_type: null }));
	expect(keyOf({ source_type: nothing as never })).not.toBe(keyOf());
});

it('two columns are not taken for one another', () => {
	expect(keyOf({ provider: 'a', source_type: 'bc' })).not.toBe(keyOf({ provider: 'ab', source_type: 'c' }));
	expect(keyOf({ provider: 'a","b', source_type: 'c' })).not.toBe(keyOf({ provider: 'a', source_type: 'b","c' }));
});

it('its values are all measured columns, with times in any notation', () => {
	const valuesOf = (more: IDataObject, metric = bloodPressure) => {
		const [row] = identify(identityOf(metric), [reading(more)]);
		return row.values;
	};
	for (const column of ['systolic', 'diastolic', 'unit']) expect(valuesOf({ [column]: 7 })).not.toBe(valuesOf({}));
	for (const column of ['timestamp', 'provider', 'note']) expect(valuesOf({ [column]: 7 })).toBe(valuesOf({}));
	const ending = (end: string) => valuesOf({ end }, mindfulness);
	expect(ending('2026-03-03T10:00:00+02:00')).toBe(ending('2026-03-03T08:00:00.000000Z'));
	expect(ending('2026-03-03T08:00:01Z')).not.toBe(ending('2026-03-03T08:00:00Z'));
	// As they are shown and compared: hashes of this text are saved.
	expect(valuesOf({})).toBe('["120","80"]');
	expect(valuesOf({ value: 10.5, unit: 'min', end: '2026-03-03T08:00:00Z' }, mindfulness)).toBe(
		'["1772524800000.","10.5"]',
	);
	expect(valuesOf({ systolic: 18.7, diastolic: 11.9, unit: 'KPA' })).toBe('["140","89"]');
	expect(valuesOf({ unit: 'Min utes' })).toBe('["120 minutes","80 minutes"]');
	expect(valuesOf({ value: 630, unit: 'secs' }, mindfulness)).toBe('["","10.5"]');
	expect(valuesOf({ unit: 'Mm'.repeat(32) })).toBe(`["120 ${'mm'.repeat(32)}","80 ${'mm'.repeat(32)}"]`);
});

it.each<[string, IDataObject]>([
	['a number as text', { systolic: '120' }],
	['a number with decimals', { systolic: '120.0', diastolic: ' 8.0e1 ' }],
	['noise of floating point', { systolic: 119.99999999999997 }],
	['less than is shown', { systolic: 120.04 }],
	['kPa of the same', { systolic: 16, diastolic: '10.7', unit: 'kPa' }],
	['a unit in upper case', { unit: 'MMHG' }],
	['a unit in lower case', { unit: 'mmhg' }],
	['a unit with spaces', { unit: ' mm Hg\u00a0' }],
])('the values of %s are the same, and so is the ID without a time', (_, more) => {
	const [usual, other] = [{}, more].map((one) => identify(identity, [reading({ ...one, timestamp: null })])[0]);
	expect([other.values, other.key]).toEqual([usual.values, usual.key]);
	// The row itself keeps the spelling of the service.
	expect(other.row).toMatchObject(more);
});

it.each(['', null, 'MMHG', 'mm[Hg]', 'Torr'])(
	'beside a value that is no number, the unit %j is the same as mmHg',
	(unit) => {
		const [usual, other] = ['mmHg', unit].map(
			(spelling) => identify(identity, [reading({ systolic: '190 mmHg', unit: spelling })])[0],
		);
		expect([other.values, other.key]).toEqual([usual.values, usual.key]);
	},
);

it.each([{ unit: 'kPa' }, { systolic: '120.5' }, { systolic: null }, { systolic: 'high' }])(
	'the values with %j are others',
	(more) => {
		const [usual, other] = [{}, more].map((one) => identify(identity, [reading(one as IDataObject)])[0]);
		expect(other.values).not.toBe(usual.values);
	},
);

it('any notation of an instant is the same, to the microsecond', () => {
	expect(keyOf({ timestamp: '20260303T080000,000001Z' })).toBe(keyOf({ timestamp: '2026-03-03T08:00:00.000001Z' }));
	expect(keyOf({ timestamp: '20260303T080000,000001Z' })).not.toBe(keyOf());
});

it('each row has its own time', () => {
	const timestamps = ['2026-03-01T10:00:00Z', '2026-03-01T11:00:00+01:00', '2026-03-02T10:00:00'];
	const times = identify(
		identity,
		timestamps.map((timestamp) => reading({ timestamp })),
	).map(({ time }) => time);
	expect(times).toEqual([0, 0, 86_400_000].map((ms) => Date.UTC(2026, 2, 1, 10) + ms));
});

it('text that is no time has none', () => {
	expect(identify(identity, [reading({ timestamp: '14:30' })])[0].time).toBeUndefined();
});

describe('same-time readings', () => {
	const ranked = (...rows: IDataObject[]) => keysOf(identity, rows.map(reading));

	it.each([
		['text', 'a', 'b'],
		['numbers', 1, 2],
	])('are in the order of the ids that all of them have: %s', (_, a, b) => {
		const [first, second] = ranked({ systolic: 130, id: a }, { systolic: 120, id: b });
		expect(first).toBe(keyOf());
		expect(ranked({ systolic: 120, id: b }, { systolic: 130, id: a })).toEqual([second, first]);
	});

	it('are in the order of their values if one has no id, and change no other reading', () => {
		const later = { timestamp: '2026-03-03T09:00:00Z', systolic: 140 };
		const keys = ranked({ systolic: 130, id: 'a' }, { systolic: 120 }, later);
		expect(keys.slice(1)).toEqual([keyOf(), keyOf(later)]);
	});
});
