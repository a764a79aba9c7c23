/** Measured values: which limits of one reading they reach. */
import type { IDataObject } from 'n8n-workflow';
import { measuredValues, reachedBy, reachedText } from '../../../../nodes/HealthDataService/service/readings/measured';
import type { Limits, Metric } from '../../../../nodes/HealthDataService/service/readings/metrics';
import { bloodPressure, mindfulness } from '../../../helpers/metrics';

const reachOf = (metric: Metric, limits: Limits, ...rows: IDataObject[]) => {
	const readings = rows.map((row) => measuredValues(metric, row));
	return reachedText(reachedBy(metric, limits, readings));
};
const LIMITS = { high: [180, 110], low: [90, 50] };

describe('blood pressure, with 180/110 and 90/50', () => {
	const pressure = (systolic: unknown, diastolic: unknown, unit: unknown = 'mmHg') =>
		({ systolic, diastolic, unit }) as IDataObject;

	it.each<[string, IDataObject, string]>([
		['at the minimum', pressure(180, 80), 'high'],
		['below it', pressure(179.94, 80), ''],
		['at the minimum of the other value', pressure(140, 110), 'high'],
		['at a low value', pressure(90, 60), 'low'],
		['at both', pressure(185, 45), 'high, low'],
		['numbers as text', pressure('1.8e+02', ' 80 '), 'high'],
		['the minimum but for noise', pressure(179.99999999999997, 80), 'high'],
		['the minimum once it is rounded', pressure(179.95, 80), 'high'],
		['kPa of the minimum', pressure(24, 10.6, 'Kilopascal'), 'high'],
		['kPa that is high', pressure(25.2, 15.1, 'kPa'), 'high'],
		['kPa that is in between', pressure(16, 10.6, 'KPA'), ''],
		['without a unit', pressure(185, 80, null), 'high'],
		['a unit in other letters', pressure(185, 80, 'mm[Hg]'), 'high'],
		['0/0 of a loose cuff', pressure(0, 0), ''],
		['2047/2047', pressure(2047, 2047), ''],
		['an impossible pair', pressure(85, 140), ''],
		['an impossible value beside one that reaches', pressure(185, 300), ''],
		['null beside one that reaches', pressure(185, null), 'high'],
		['null beside one that does not', pressure(null, 80), ''],
		['both null', pressure(null, null), ''],
		['text that is no number', pressure('190 mmHg', 80), 'not comparable'],
		['an unknown unit', pressure(120, 80, 'cmH2O'), 'not comparable'],
		['a list for a value', pressure([160], 80), 'not comparable'],
	])('%s', (_, row, expected) => {
		expect(reachOf(bloodPressure, LIMITS, row)).toBe(expected);
	});

	it('a value without a limit is not looked at', () => {
		const limits = { high: [180, undefined] };
		expect(reachOf(bloodPressure, limits, pressure(120, 'high'))).toBe('');
		expect(reachOf(bloodPressure, limits, pressure(180, 130))).toBe('high');
		expect(reachOf(bloodPressure, { low: [undefined, 50] }, pressure('low', 50))).toBe('low');
	});

	it('0 is a value, null is none', () => {
		const limits = { high: [0] };
		expect(reachOf(bloodPressure, limits, pressure(120, 80))).toBe('high');
		expect(reachOf(bloodPressure, limits, pressure(null, 80))).toBe('');
	});

	it('limits that overlap are both reached', () => {
		expect(reachOf(bloodPressure, { high: [90], low: [90] }, pressure(90, 60))).toBe('high, low');
	});

	it('of several readings, each counts, in a fixed order', () => {
		const rows = [pressure(120, 'x'), pressure(80, 60), pressure(190, null), pressure(300, 5)];
		expect(reachOf(bloodPressure, LIMITS, ...rows)).toBe('high, low, not comparable');
	});
});

it.each<[string, unknown, string, string]>([
	['minutes', 10, 'min', 'high'],
	['seconds', 600, 's', 'high'],
	['hours', 0.1, 'hours', ''],
	['more than a day', 1441, 'min', ''],
])('mindfulness, with 10 minutes: %s', (_, value, unit, expected) => {
	const row = { value, unit } as IDataObject;
	expect(reachOf(mindfulness, { high: [10] }, row)).toBe(expected);
});
