/** Resource Timeseries: one operation per metric. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { shownIf } from '../../fields/field';
import { metrics, pathOf, type Metric } from '../../service/readings/metrics';
import { routingOf } from '../operation';
import { executeTimeseries } from './execute';
import { timeseriesFields } from './parameters';

function toOperation(metric: Metric): INodePropertyOptions {
	const { name, value, action, description } = metric;
	const routing = routingOf(pathOf(metric), executeTimeseries(metric));
	return { name, value, action, description, routing };
}

const resource = ['timeseries'];
const show = { resource, operation: metrics.map(({ value }) => value) };

export const timeseriesDescription: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource } },
		options: metrics.map(toOperation),
		default: 'bloodPressure',
	},
	...shownIf(show, timeseriesFields),
];
