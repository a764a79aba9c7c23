/** Property tests: rules for any input, on thousands of generated ones (fast-check). */
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { columnsOf } from '../../nodes/HealthDataService/service/readings/metrics';
import { Problem } from '../../nodes/HealthDataService/shared/problem';
import { text, toNumber } from '../../nodes/HealthDataService/shared/values';
import { identify, identityOf } from '../../nodes/HealthDataService/service/readings/identity';
import { groupedRow, groupsOf, readingRows } from '../../nodes/HealthDataService/service/readings/rows';
import { bloodPressure, toDateRange } from '../helpers/metrics';
import { fc } from '../helpers/properties';

const owner = { user_id: 'u', client_user_id: null };
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

const ZONES = 'Europe/Berlin America/New_York Asia/Kolkata Pacific/Auckland Pacific/Apia Africa/Cairo America/St_Johns';
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

it('any input for dates gives a range with offsets, in order, or a clear error that names the field', () => {
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
