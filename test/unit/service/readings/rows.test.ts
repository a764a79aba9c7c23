/** Rows of readings from any data of the service, and merged groups of one source. */
import type { IDataObject } from 'n8n-workflow';
import type { Metric } from '../../../../nodes/HealthDataService/service/readings/metrics';
import { collectGrouped, readingRows } from '../../../../nodes/HealthDataService/service/readings/rows';

const owner = { user_id: 'u', client_user_id: null };
const metric = { times: ['timestamp'], measured: { systolic: [] } } as unknown as Metric;
const rows = (groups: unknown) => readingRows({ groups } as never, metric, owner);

describe('readingRows', () => {
	it('never lets a field of theirs overwrite a column or another field', () => {
		const point = {
			timestamp: 't',
			systolic: 1,
			provider: 'p',
			provider_raw: 'q',
			source_name: 'n',
			source_type: 's',
			user_id: 'x',
		};
		const source = { provider: 'omron', type: 'cuff', name: 'Omron' };
		expect(rows({ omron: [{ data: [point], source, id: 7 }] })).toEqual([
			{
				row_id: null,
				...owner,
				local_time: null,
				timestamp: 't',
				systolic: 1,
				unit: null,
				provider: 'omron',
				source_type: 'cuff',
				provider_raw: 'p',
				provider_raw_raw: 'q',
				source_name: 'Omron',
				source_name_raw: 'n',
				source_type_raw: 's',
				user_id_raw: 'x',
				group_id: 7,
			},
		]);
	});

	it('keeps zero, false, empty text and null as they are, and invents nothing', () => {
		const [row] = rows({ omron: [{ data: [{ timestamp: '', systolic: 0, flag: false, note: null }], source: null }] });
		expect(row).toEqual({
			row_id: null,
			...owner,
			local_time: null,
			timestamp: '',
			systolic: 0,
			unit: null,
			provider: 'omron',
			source_type: null,
			flag: false,
			note: null,
		});
	});

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

	it('survives field names with a meaning in JavaScript', () => {
		const groups = JSON.parse(
			'{"__proto__": [{"data": [{"timestamp": "t", "systolic": 1, "__proto__": "x", "constructor": 2}]}]}',
		);
		const [row] = rows(groups);
		expect(Object.getOwnPropertyDescriptor(row, '__proto__')?.value).toBe('x');
		expect(row.constructor).toBe(2);
		expect(row.provider).toBe('__proto__');
	});

	it('keeps the slug of the list beside the provider of the source, and a source that is no object', () => {
		const data = [{ timestamp: 't', systolic: 1 }];
		expect(rows({ lab: [{ data, source: { provider: 'omron' } }] })).toMatchObject([
			{ provider: 'omron', provider_raw: 'lab' },
		]);
		expect(rows({ omron: [{ data, source: 'cuff' }] })).toMatchObject([
			{ provider: 'omron', source_type: null, source: 'cuff' },
		]);
	});

	it('gives rows that a Code node can change', () => {
		const [row] = rows({ omron: [{ data: [{ timestamp: 't', pulse: 60 }] }] });
		row.pulse = 61;
		expect(row.pulse).toBe(61);
		delete row.pulse;
		expect(row).not.toHaveProperty('pulse');
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
});

describe('One Item per User', () => {
	it('tells sources apart by every field, in any order', async () => {
		const group = (source: object, n: number) => ({ data: [{ n }], source });
		async function* pages() {
			yield { groups: { omron: [group({ provider: 'omron', app: 1 }, 1), group({ provider: 'omron', app: 2 }, 2)] } };
			yield {
				groups: { omron: [group({ app: 1, provider: 'omron' }, 3)], lab: [group({ provider: 'omron', app: 1 }, 4)] },
			};
		}
		const [item] = await collectGrouped(pages() as AsyncIterable<IDataObject>, { user: owner, place: 1 });
		expect(item.groups).toEqual({
			omron: [
				{ data: [{ n: 1 }, { n: 3 }], source: { provider: 'omron', app: 1 } },
				{ data: [{ n: 2 }], source: { provider: 'omron', app: 2 } },
			],
			lab: [{ data: [{ n: 4 }], source: { provider: 'omron', app: 1 } }],
		});
	});
});
