/** Measured values: which limits of one reading they reach. */
import type { IDataObject } from 'n8n-workflow';
import { measuredValues, reachedText, type Limit } from '../../../../nodes/HealthDataService/service/readings/measured';
import {
	metrics,
	type Metric,
	type ThresholdOption,
} from '../../../../nodes/HealthDataService/service/readings/metrics';

const [bloodPressure, mindfulness] = metrics;
/** All options of the metric, with their defaults, unless values are given. */
const given = (options: readonly ThresholdOption[], values?: Record<string, number>): Limit[] =>
	options.flatMap(({ column, at, ...one }) => {
		const value = values ? values[one.option] : one.default;
		return value === undefined ? [] : [{ column, [at]: value }];
	});
const reachOf = (metric: Metric, limits: Limit[], row: IDataObject) => {
	const reached = reachedText(metric, limits, [measuredValues(metric, row)]);
	return reached.split(', ').filter(Boolean);
};

describe('blood pressure, with 180/110 and 90/50', () => {
	const pressure = (systolic: unknown, diastolic: unknown, unit: unknown = 'mmHg') =>
		({ systolic, diastolic, unit }) as IDataObject;

	it.each<[string, IDataObject, string[]]>([
		['at the minimum', pressure(180, 80), ['high']],
		['below it', pressure(179.94, 80), []],
		['at the minimum of the other value', pressure(140, 110), ['high']],
		['at a low value', pressure(90, 60), ['low']],
		['at both', pressure(185, 45), ['high', 'low']],
		['numbers as text', pressure('1.8e+02', ' 80 '), ['high']],
		['the minimum but for noise', pressure(179.99999999999997, 80), ['high']],
		['the minimum once it is rounded', pressure(179.95, 80), ['high']],
		['kPa of the minimum', pressure(24, 10.6, 'Kilopascal'), ['high']],
		['kPa that is high', pressure(25.2, 15.1, 'kPa'), ['high']],
		['kPa that is in between', pressure(16, 10.6, 'KPA'), []],
		['without a unit', pressure(185, 80, null), ['high']],
		['a unit in other letters', pressure(185, 80, 'mm[Hg]'), ['high']],
		['0/0 of a loose cuff', pressure(0, 0), []],
		['2047/2047', pressure(2047, 2047), []],
		['an impossible pair', pressure(85, 140), []],
		['an impossible value beside one that reaches', pressure(185, 300), []],
		['null beside one that reaches', pressure(185, null), ['high']],
		['null beside one that does not', pressure(null, 80), []],
		['both null', pressure(null, null), []],
		['text that is no number', pressure('190 mmHg', 80), ['not comparable']],
		['an unknown unit', pressure(120, 80, 'cmH2O'), ['not comparable']],
		['a list for a value', pressure([160], 80), ['not comparable']],
	])('%s', (_, row, expected) => {
		expect(reachOf(bloodPressure, given(bloodPressure.thresholds), row)).toEqual(expected);
	});

	it('a value without a limit is not looked at', () => {
		const thresholds = given(bloodPressure.thresholds, { minSystolic: 180 });
		expect(reachOf(bloodPressure, thresholds, pressure(120, 'high'))).toEqual([]);
		expect(reachOf(bloodPressure, thresholds, pressure(180, 130))).toEqual(['high']);
	});

	it('0 is a value, null is none', () => {
		const thresholds = given(bloodPressure.thresholds, { minSystolic: 0 });
		expect(reachOf(bloodPressure, thresholds, pressure(120, 80))).toEqual(['high']);
		expect(reachOf(bloodPressure, thresholds, pressure(null, 80))).toEqual([]);
	});
});

it.each<[string, unknown, string, string[]]>([
	['minutes', 10, 'min', ['high']],
	['seconds', 600, 's', ['high']],
	['hours', 0.1, 'hours', []],
	['more than a day', 1441, 'min', []],
])('mindfulness, with 10 minutes: %s', (_, value, unit, expected) => {
	const row = { value, unit } as IDataObject;
	expect(reachOf(mindfulness, given(mindfulness.thresholds), row)).toEqual(expected);
});
