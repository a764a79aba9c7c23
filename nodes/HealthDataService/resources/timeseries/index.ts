/** Resource Timeseries: one operation per metric, and the fields in their order on the screen. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { shownIf } from '../../fields/field';
import { providerField, returnAllAndLimit } from '../../fields/options';
import { simplifyField } from '../../fields/simplify';
import { userFields } from '../../fields/users';
import { metrics, pathOf, type Metric } from '../../service/readings/metrics';
import { routingOf } from '../operation';
import { dateRangeFields } from './dateRange';
import { timeseriesOptions } from './options';
import { outputField } from './output';
import { executeTimeseries } from './execute';

function toOperation(metric: Metric): INodePropertyOptions {
	const { name, value, action, description } = metric;
	const routing = routingOf(pathOf(metric), executeTimeseries(metric));
	return { name, value, action, description, routing };
}

/** Pages are in order of time; the contract has no other order. */
const LIMIT_HINT =
	"Stops after this many rows, so only the first users are read. For everybody, or the newest readings, turn on 'Return All'.";

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
	...shownIf(show, [
		...userFields,
		...dateRangeFields,
		outputField,
		providerField,
		...returnAllAndLimit(LIMIT_HINT),
		simplifyField,
		timeseriesOptions,
	]),
];
