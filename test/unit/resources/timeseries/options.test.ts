/** Options for limits and for a judgement of users: which of those that were added count for a metric and an output. */
import type { IExecuteSingleFunctions, INodeParameters } from 'n8n-workflow';
import { readOptions } from '../../../../nodes/HealthDataService/resources/timeseries/options';
import type { Metric } from '../../../../nodes/HealthDataService/service/readings/metrics';
import { metricOf } from '../../../helpers/metrics';

/** All limits and options, as left over from another output or another metric. */
const LIMITS: INodeParameters = {
	mean: { systolic: 135, diastolic: null },
	high: { systolic: null, diastolic: 110, minutes: 10 },
	low: { systolic: 90, diastolic: 50 },
	enough: { readings: 12, days: 3 },
};
const OPTIONS: INodeParameters = { onlyStatus: ['in range'], compareWith: 'day' };

function judgementOf(metric: Metric, output: string, limits: unknown, options: INodeParameters) {
	const fields: Record<string, unknown> = { output, limits };
	const context = {
		getNode: () => ({ parameters: { options } }),
		getTimezone: () => 'UTC',
		getNodeParameter: (path: string) => fields[path] ?? options[path.replace('options.', '')],
	} as unknown as IExecuteSingleFunctions;
	const read = readOptions(context, metric);
	return { limits: read.limits, onlyStatus: read.onlyStatus, compareWith: read.compareWith };
}

const NONE = { limits: {}, onlyStatus: [] };
const OF_DAYS = { mean: [135, undefined], high: [undefined, 110], low: [90, 50] };
const STATUS = { onlyStatus: ['in range'], compareWith: 'day' };

it.each<[string, string, object]>([
	['bloodPressure', 'readings', NONE],
	['bloodPressure', 'grouped', NONE],
	['bloodPressure', 'daily', { ...NONE, limits: OF_DAYS }],
	['bloodPressure', 'summary', { ...STATUS, limits: { ...OF_DAYS, enough: [12, 3] } }],
	['mindfulnessMinutes', 'daily', NONE],
	['mindfulnessMinutes', 'summary', { ...NONE, ...STATUS }],
])('of %s, the output %s', (metric, output, expected) => {
	expect(judgementOf(metricOf(metric), output, LIMITS, OPTIONS)).toEqual(expected);
});

it('an option of another output is ignored, whatever it is', () => {
	const wrong = { onlyStatus: 'wrong', compareWith: 'wrong' };
	for (const output of ['readings', 'daily'])
		expect(judgementOf(metricOf('bloodPressure'), output, {}, wrong)).toEqual(NONE);
	const enough = { enough: { readings: 'wrong', days: 'wrong' } };
	expect(judgementOf(metricOf('bloodPressure'), 'daily', enough, {})).toEqual(NONE);
});

it.each(['bloodPressure', 'mindfulnessMinutes'])('of %s, a summary without options has none', (metric) => {
	expect(judgementOf(metricOf(metric), 'summary', {}, {})).toEqual(NONE);
});

describe('without a limit of the mean', () => {
	const { high } = LIMITS;
	const lost = (what: string) => ({ message: `${what}, but 'Limits' has no 'Mean At or Above'` });

	it.each<[string, INodeParameters, object]>([
		['bloodPressure', { onlyStatus: ' HIGH ' }, lost("'Return Only' is High")],
		['bloodPressure', { compareWith: 'day' }, lost("'Compare With' is set")],
		['mindfulnessMinutes', { onlyStatus: ['no readings', 'high'] }, lost("'Return Only' is High")],
	])('of %s, a summary with %j is an error', (metric, options, expected) => {
		const read = () => judgementOf(metricOf(metric), 'summary', { high }, options);
		expect(read).toThrow(expect.objectContaining(expected));
		expect(judgementOf(metricOf(metric), 'daily', {}, options)).toEqual(NONE);
	});

	it.each<[string, INodeParameters]>([
		['bloodPressure', { onlyStatus: ['in range', 'no readings'], compareWith: undefined }],
		['bloodPressure', { onlyStatus: ['no readings'], compareWith: 'day' }],
		['mindfulnessMinutes', { compareWith: 'day' }],
	])('of %s, a summary with %j is none', (metric, options) => {
		expect(judgementOf(metricOf(metric), 'summary', {}, options)).toMatchObject({ limits: {} });
	});
});
