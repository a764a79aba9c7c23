/**
 * The resource Timeseries: an operation per metric, and their fields in the order of the screen.
 */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { returnAllAndLimit } from '../../fields/limit';
import { providerField } from '../../fields/provider';
import { simplifyField } from '../../fields/simplify';
import { userFields } from '../../fields/userScope';
import { metrics, pathOf, type Metric } from '../../service/metrics';
import { perItem } from '../perItem';
import { dateRangeFields } from './dateRange';
import { timeseriesOptions } from './options';
import { outputField, READINGS } from './output';
import { readTimeseries } from './read';

const toOperation = (metric: Metric): INodePropertyOptions => ({
	name: metric.name,
	value: metric.value,
	action: metric.action,
	description: metric.description,
	routing: {
		request: { method: 'GET', url: pathOf(metric) },
		send: { paginate: true },
		operations: { pagination: perItem(readTimeseries(metric)) },
	},
});

/** Pages come in the order of time, and the service cannot be asked for another. */
const LIMIT_HINT =
	"Keeps the first rows, as a rule the oldest, and leaves out the rest. For the newest, choose a short 'Date Range' and turn on 'Return All'.";

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
	...userFields(show),
	...dateRangeFields(show),
	providerField(show),
	...returnAllAndLimit(show, LIMIT_HINT),
	outputField(show),
	simplifyField({ ...show, output: [READINGS] }),
	timeseriesOptions(show),
];
