/** Rows of readings from any data of the service. */
import type { IDataObject } from 'n8n-workflow';
import { identify, identityOf } from '../../../../nodes/HealthDataService/service/readings/identity';
import { columnsOf, type Metric } from '../../../../nodes/HealthDataService/service/readings/metrics';
import {
	groupedRow,
	groupsOf,
	readingRows,
	withServiceFields,
} from '../../../../nodes/HealthDataService/service/readings/rows';
import { text, toNumber } from '../../../../nodes/HealthDataService/shared/values';
import { bloodPressure } from '../../../helpers/metrics';
import { fc } from '../../../helpers/properties';

const owner = { user_id: 'u', client_user_id: null };
const metric = { times: ['timestamp'], measured: { systolic: [] } } as unknown as Metric;
const rows = (groups: unknown) => readingRows({ metric }, groupsOf({ groups } as never), owner);

it('keeps a field of a group', () => expect(rows({ omron: [{ data: [{}], id: 7 }] })).toMatchObject([{ group_id: 7 }]));

it.each([
	['120', 120],
	[' 1.2e2 ', 120],
	['-0', 0],
	['120 mmHg', '120 mmHg'],
	['1e400', '1e400'],
	['', ''],
	[true, true],
	[null, null],
])('a measured %j is %j', (systolic, expected) => {
	const [row] = rows({ omron: [{ data: [{ systolic, note: '7' }] }] });
	expect(row).toMatchObject({ systolic: expected, note: '7' });
});

it.each(['', ' ', null, undefined])('takes the key of the group for a provider %j', (provider) => {
	const [row] = rows({ omron: [{ data: [{}], source: { provider, type: 'cuff' } }] });
	expect(row.provider).toBe('omron');
	expect(row).not.toHaveProperty('provider_raw');
});

it('gives rows that a Code node can change', () => {
	const [row] = rows({ omron: [{ data: [{ pulse: 60 }] }] });
	row.pulse = 61;
	expect(row.pulse).toBe(61);
	delete row.pulse;
	expect(row).not.toHaveProperty('pulse');
});

it('survives field names with a meaning in JavaScript', () => {
	const groups = JSON.parse(
		'{"__proto__": [{"data": [{"timestamp": "t", "systolic": 1, "__proto__": "x", "constructor": 2}]}]}',
	);
	const [row] = rows(groups);
	expect(row).toMatchObject({ __proto___raw: 'x', constructor_raw: 2 });
	expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
	expect(row.provider).toBe('__proto__');
});

it('keeps the slug of the list beside the provider of the source, and a source that is no object as its type', () => {
	const data = [{ timestamp: 't', systolic: 1 }];
	expect(rows({ lab: [{ data, source: { provider: 'omron' } }] })).toMatchObject([
		{ provider: 'omron', provider_raw: 'lab' },
	]);
	expect(rows({ omron: [{ data, source: 'cuff' }] })).toMatchObject([{ provider: 'omron', source_type: 'cuff' }]);
});

it('keeps a field of theirs that is called like the change of a row', () => {
	const groups = groupsOf({ groups: { omron: [{ data: [{ change: 'x' }] }] } });
	expect(readingRows({ metric, hasChange: true }, groups, owner)).toMatchObject([{ change: null, change_raw: 'x' }]);
});

const group = { data: [] };
it.each([
	['groups', undefined],
	['groups', null],
	['groups', []],
	['groups', 'x'],
	['groups', { omron: {} }],
	['groups', { omron: [null] }],
	['groups', { omron: [group, null] }],
	['data', { omron: [{ data: 'x' }] }],
	['data', { omron: [{ data: [1] }] }],
	['data', { omron: [{ data: [{}, 1] }] }],
])("fails, naming '%s', when groups is %j", (field, groups) => {
	expect(() => rows(groups)).toThrow(`The service's answer has no '${field}'`);
});

it('a field of theirs that is called like ours, or error, keeps its value under another name', () => {
	const row = withServiceFields({ id: 1, change: 'created' }, { change: 'x', error: 'y', error_raw: 'z', note: 2 });
	expect(row).toEqual({ id: 1, change: 'created', change_raw: 'x', error_raw: 'y', error_raw_raw: 'z', note: 2 });
});

it('one item per user merges equal sources, not another one, nor a group with a field of its own', () => {
	const sources = [
		{ app_id: 1, type: 'cuff' },
		{ app_id: 1, type: 'cuff' },
		{ type: 'cuff', app_id: 2 },
	];
	const list = sources.map((source) => ({ data: [{}], source }));
	const groups = groupsOf({ groups: { omron: [...list, { ...list[0], note: 1 }] } } as never);
	expect(groupedRow(groups, owner).groups).toMatchObject({
		omron: [{ data: [{}, {}] }, { data: [{}] }, { data: [{}], note: 1 }],
	});
});

const COLUMNS = columnsOf(bloodPressure);

it('no field of a point or a source is lost or overwrites another', () => {
	/** Numbers as text are numbers. */
	const shown = (value: unknown) => String(toNumber(value) ?? value);
	const ours = ['timestamp', 'systolic', 'unit', 'provider', 'source_type', 'user_id', 'provider_raw'];
	const name = fc.constantFrom(...ours, 'type', 'name', 'source_name', '__proto__', 'constructor');
	const fields = fc.dictionary(name, fc.oneof(fc.integer(), fc.string(), fc.constant(null)));
	fc.assert(
		fc.property(fields, fields, (point, source) => {
			const page = JSON.parse(JSON.stringify({ groups: { omron: [{ data: [point], source }] } })) as IDataObject;
			const [row] = readingRows({ metric: bloodPressure }, groupsOf(page), owner);
			expect(row.user_id).toBe('u');
			for (const column of COLUMNS)
				expect(shown(row[column])).toBe(shown(Object.entries(point).find(([key]) => key === column)?.[1] ?? null));
			// Everything that came in is somewhere in the row; a provider without a name is that of the group.
			const values = Object.values(row).map(shown);
			const { provider, ...others } = source;
			for (const value of [...Object.values(point), ...Object.values(others)]) expect(values).toContain(shown(value));
			if (text(provider)) expect(values).toContain(shown(provider));
		}),
	);
});

it('fields of any JSON, in any place, make a row, a map and a key', () => {
	const odd = fc.oneof(fc.constantFrom({ toString: null }, [{ valueOf: 1, toString: 2 }]), fc.jsonValue());
	const name = fc.constantFrom('timestamp', 'systolic', 'unit', 'id', 'type', 'provider', 'more');
	const fields = fc.dictionary(name, odd);
	fc.assert(
		fc.property(fc.array(fields, { maxLength: 3 }), fields, fields, (data, source, more) => {
			const list = [
				{ ...more, data, source },
				{ ...more, data: [...data], source },
			];
			const groups = groupsOf(JSON.parse(JSON.stringify({ groups: { omron: list } })) as IDataObject);
			const rows = identify(identityOf(bloodPressure), readingRows({ metric: bloodPressure }, groups, owner));
			expect(rows).toHaveLength(2 * data.length);
			expect(groupedRow(groups, owner).groups).toHaveProperty('omron');
		}),
	);
});
