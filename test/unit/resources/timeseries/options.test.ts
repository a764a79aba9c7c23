/** Options for limits and for a judgement of users: which of those that were added count for a metric and an output. */
import type { IExecuteSingleFunctions, INodeParameters } from 'n8n-workflow';
import { readOptions } from '../../../../nodes/HealthDataService/resources/timeseries/options';
import type { Metric } from '../../../../nodes/HealthDataService/service/readings/metrics';
import { metricOf } from '../../../helpers/metrics';

/** All options, as left over from another output or another metric. */
const ALL: INodeParameters = {
	...{ meanSystolic: 135, minDiastolic: 110, lowSystolic: 90, minValue: 10 },
	...{ minReadings: 12, minDays: 3, onlyStatus: ['in range'], compareWith: 'day' },
};

function judgementOf(metric: Metric, output: string, options: INodeParameters) {
	const context = {
		getNode: () => ({ parameters: { options } }),
		getTimezone: () => 'UTC',
		getNodeParameter: (path: string) => (path === 'output' ? output : options[path.replace('options.', '')]),
	} as unknown as IExecuteSingleFunctions;
	const { meanLimits, limits, onlyStatus, compareWith, minReadings, minDays } = readOptions(context, metric);
	return { meanLimits, limits, onlyStatus, compareWith, minReadings, minDays };
}

const NONE = { meanLimits: [], limits: [], onlyStatus: [] };
const LIMITS = {
	meanLimits: [{ name: 'Mean Systolic', column: 'systolic', least: 135 }],
	limits: [
		{ name: 'Minimum Diastolic', column: 'diastolic', least: 110 },
		{ name: 'Low Systolic', column: 'systolic', most: 90 },
	],
};
const STATUS = { onlyStatus: ['in range'], compareWith: 'day' };

it.each<[string, string, object]>([
	['bloodPressure', 'readings', NONE],
	['bloodPressure', 'grouped', NONE],
	['bloodPressure', 'daily', { ...NONE, ...LIMITS }],
	['bloodPressure', 'summary', { ...LIMITS, ...STATUS, minReadings: 12, minDays: 3 }],
	['mindfulnessMinutes', 'daily', NONE],
	['mindfulnessMinutes', 'summary', { ...NONE, ...STATUS }],
])('of %s, the output %s', (metric, output, expected) => {
	expect(judgementOf(metricOf(metric), output, ALL)).toEqual(expected);
});

it('an option of another output is ignored, whatever it is', () => {
	const wrong = Object.fromEntries(Object.keys(ALL).map((name) => [name, 'wrong']));
	expect(judgementOf(metricOf('bloodPressure'), 'readings', wrong)).toEqual(NONE);
	for (const name of ['minReadings', 'minDays', 'onlyStatus', 'compareWith'])
		expect(judgementOf(metricOf('bloodPressure'), 'daily', { [name]: 'wrong' })).toEqual(NONE);
});

it.each(['bloodPressure', 'mindfulnessMinutes'])('of %s, a summary without options has none', (metric) => {
	expect(judgementOf(metricOf(metric), 'summary', {})).toEqual(NONE);
});

it.each<[string, INodeParameters]>([
	['bloodPressure', { minSystolic: 180 }],
	['mindfulnessMinutes', { minValue: 10 }],
])('of %s, no user is high without a limit of the mean', (metric, limits) => {
	const read = () => judgementOf(metricOf(metric), 'summary', { ...limits, onlyStatus: ' HIGH ' });
	const description =
		"Remove High from 'Return Only'. For blood pressure, you can add 'Mean Systolic' or 'Mean Diastolic' instead";
	expect(read).toThrow(expect.objectContaining({ description }));
	expect(judgementOf(metricOf(metric), 'daily', { ...limits, onlyStatus: ['high'] }).onlyStatus).toEqual([]);
});
