/** Property tests: rules for any input, on thousands of generated ones (fast-check). */
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import type { Get, Query } from '../../nodes/HealthDataService/http/client';
import { columnsOf } from '../../nodes/HealthDataService/service/readings/metrics';
import { readingPages } from '../../nodes/HealthDataService/service/readings/pages';
import { Problem } from '../../nodes/HealthDataService/shared/problem';
import { text, toNumber } from '../../nodes/HealthDataService/shared/values';
import { collectGrouped, readingRows } from '../../nodes/HealthDataService/service/readings/rows';
import { bloodPressure } from '../helpers/metrics';
import { fc } from '../helpers/properties';
import { toDateRange } from '../helpers/ranges';

const owner = { user_id: 'u', client_user_id: null };
const COLUMNS = columnsOf(bloodPressure);

async function collect<T>(pages: AsyncIterable<T>): Promise<T[]> {
	const all: T[] = [];
	for await (const page of pages) all.push(page);
	return all;
}

describe('readings', () => {
	const source = fc.record({ provider: fc.constantFrom('omron', 'withings'), type: fc.constantFrom('cuff', 'phone') });
	const reading = fc.record({ systolic: fc.integer({ min: 60, max: 250 }), source });
	/** Readings cut into pages, some of them empty, each page's readings in groups that may or may not be joined. */
	const split = fc.array(fc.record({ readings: fc.array(reading, { maxLength: 5 }), isJoined: fc.boolean() }), {
		minLength: 1,
		maxLength: 8,
	});
	const lastCursor = fc.constantFrom<IDataObject[]>(
		[{ next_cursor: null }],
		[{ next_cursor: '' }],
		[{}],
		[{ next: null }],
	);

	it('any split over pages, groups and empty pages gives the same rows, each once', async () => {
		await fc.assert(
			fc.asyncProperty(split, lastCursor, fc.boolean(), async (pages, [ending], isDeprecated) => {
				let id = 0;
				const expected: string[] = [];
				const answers = pages.map(({ readings, isJoined }, index): IDataObject => {
					const groups: Record<string, Array<{ data: IDataObject[]; source: IDataObject }>> = {};
					for (const { systolic, source } of readings) {
						const point = { timestamp: `t${id++}`, systolic };
						expected.push(`${point.timestamp} ${systolic} ${source.provider} ${source.type}`);
						const list = (groups[source.provider] ??= []);
						const same = list.find((group) => isJoined && group.source.type === source.type);
						if (same) same.data.push(point);
						else list.push({ data: [point], source });
					}
					const cursor = isDeprecated ? { next: `c${index}` } : { next_cursor: `c${index}`, next: 'other' };
					return { groups, ...(index < pages.length - 1 ? cursor : ending) } as unknown as IDataObject;
				});
				const asked: Query[] = [];
				const get = (async (_: string, query: Query) => answers[asked.push(query) - 1]) as Get;

				const rows = (await collect(readingPages(get, '/path', { provider: 'p' }, async () => {}))).flatMap((page) =>
					readingRows(page, bloodPressure, owner),
				);
				expect(rows.map((row) => `${row.timestamp} ${row.systolic} ${row.provider} ${row.source_type}`).sort()).toEqual(
					[...expected].sort(),
				);
				expect(asked.map(({ next_cursor }) => next_cursor)).toEqual([
					undefined,
					...pages.slice(1).map((_, index) => `c${index}`),
				]);

				async function* again() {
					yield* answers;
				}
				const [item] = await collectGrouped(again(), { user: owner, place: 1 });
				const groups = Object.values(
					item.groups as Record<string, Array<{ data: IDataObject[]; source: IDataObject }>>,
				).flat();
				expect(
					groups
						.flatMap(({ data, source }) =>
							data.map(({ timestamp, systolic }) => `${timestamp} ${systolic} ${source.provider} ${source.type}`),
						)
						.sort(),
				).toEqual([...expected].sort());
				expect(new Set(groups.map((group) => JSON.stringify(group.source))).size).toBe(groups.length);
			}),
		);
	});

	it('no field of a point or a source is lost or overwrites another', () => {
		/** Numbers as text are numbers. */
		const shown = (value: unknown) => String(toNumber(value) ?? value);
		const ours = ['timestamp', 'systolic', 'unit', 'provider', 'source_type', 'user_id', 'provider_raw'];
		const name = fc.constantFrom(...ours, 'type', 'name', 'source_name', '__proto__', 'constructor');
		const fields = fc.dictionary(name, fc.oneof(fc.integer(), fc.string(), fc.constant(null)));
		fc.assert(
			fc.property(fields, fields, (point, source) => {
				const page = JSON.parse(JSON.stringify({ groups: { omron: [{ data: [point], source }] } })) as IDataObject;
				const [row] = readingRows(page, bloodPressure, owner);
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
});

describe('dates', () => {
	const ZONES =
		'Europe/Berlin America/New_York Asia/Kolkata Pacific/Auckland Pacific/Apia Africa/Cairo America/St_Johns';
	const zone = fc.constantFrom('UTC', 'Australia/Lord_Howe', ...ZONES.split(' '));
	const instant = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
	const anything = fc.oneof(
		fc.anything(),
		fc.string(),
		instant,
		instant.map((date) => date.toISOString()),
		instant.map((date) => date.toISOString().slice(0, 10)),
		instant.map((date) => date.toISOString().slice(0, 19)),
		fc.tuple(instant, zone).map(([date, setZone]) => DateTime.fromJSDate(date, { zone: setZone })),
	);
	const withOffset = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}(Z|[+-]\d\d:\d\d)$/;

	it('any input gives a range with offsets, in order, or a clear error that names the field', () => {
		fc.assert(
			fc.property(
				fc.constantFrom('days', 'times'),
				anything,
				anything,
				fc.oneof(zone, fc.string()),
				(dateRange, startDate, endDate, inZone) => {
					try {
						const { start_date, end_date } = toDateRange({ dateRange, startDate, endDate }, inZone);
						expect(start_date).toMatch(withOffset);
						if (end_date !== undefined) {
							expect(end_date).toMatch(withOffset);
							expect(Date.parse(end_date)).toBeGreaterThanOrEqual(Date.parse(start_date));
						}
					} catch (error) {
						expect(error).toBeInstanceOf(Problem);
						expect((error as Problem).message).toMatch(/^'(Start Date|End Date|Time Zone)' is /);
					}
				},
			),
		);
	});
});
