/** Table of metrics: names that workflows save belong to one metric, and each entry fits itself. */
import type { INodeProperties } from 'n8n-workflow';
import { HealthDataServiceTrigger } from '../../../../nodes/HealthDataService/HealthDataServiceTrigger.node';
import { metrics } from '../../../../nodes/HealthDataService/service/readings/metrics';

const duplicates = (names: string[]) => names.filter((name, index) => names.indexOf(name) !== index);
const thresholds = metrics.flatMap((metric) => metric.thresholds);

it.each([
	['operations', metrics.map(({ value }) => value)],
	['paths', metrics.map(({ path }) => path)],
	['events', metrics.map(({ event }) => event)],
	['labels of the options for a threshold', thresholds.map(({ name }) => name)],
	// 10 minutes saved for one metric must never be read as 10 bpm of another.
	['names of the options for a threshold', thresholds.map(({ option }) => option)],
])('%s are unique', (_, names) => expect(duplicates(names)).toEqual([]));

it('no option of a metric has the name of another option of the trigger', () => {
	const { properties } = new HealthDataServiceTrigger().description;
	const { options } = properties.find(({ name }) => name === 'options')!;
	const names = (options as INodeProperties[]).map(({ name }) => name);
	expect(names).toEqual(expect.arrayContaining(thresholds.map(({ option }) => option)));
	expect(duplicates(names)).toEqual([]);
});

it('are in alphabetical order', () => {
	const names = metrics.map(({ name }) => name);
	expect(names).toEqual([...names].sort());
});

it.each(metrics)('$value: thresholds are of measured columns', ({ measured, thresholds: ofMetric }) => {
	expect(Object.keys(measured)).toEqual(expect.arrayContaining(ofMetric.map(({ column }) => column)));
});
