/** Rows of readings from any data of the service. */
import type { Metric } from '../../../../nodes/HealthDataService/service/readings/metrics';
import {
	groupedRow,
	groupsOf,
	readingRows,
	withServiceFields,
} from '../../../../nodes/HealthDataService/service/readings/rows';

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
