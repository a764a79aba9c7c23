import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { timeseriesFields } from './fields';
import { metrics, pathOf, type Metric } from '../../service/metrics';
import { cursorPagination } from './read';

const toOperation = (metric: Metric): INodePropertyOptions => ({
	name: metric.name,
	value: metric.value,
	action: metric.action,
	description: metric.description,
	routing: {
		request: { method: 'GET', url: pathOf(metric) },
		send: { paginate: true },
		operations: { pagination: cursorPagination(metric) },
	},
});

export const timeseriesDescription: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['timeseries'] } },
		options: metrics.map(toOperation),
		default: 'bloodPressure',
	},
	...timeseriesFields,
];
