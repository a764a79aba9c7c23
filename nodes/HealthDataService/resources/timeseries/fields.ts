/**
 * The fields of every timeseries operation, in the order of the screen.
 */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { returnAllAndLimit } from '../../fields/limit';
import { simplifyField } from '../../fields/simplify';
import { providerField, userFields } from '../../fields/userScope';
import { metrics } from '../../service/metrics';
import { optionsField } from './options';

const show = { resource: ['timeseries'], operation: metrics.map(({ value }) => value) };

/** In the order of time: a table of its own, because lists of options are otherwise alphabetical. */
const DATE_RANGES: INodePropertyOptions[] = [
	{ name: 'Last 24 Hours', value: 'last24Hours' },
	{ name: 'Last 7 Days', value: 'last7Days' },
	{ name: 'Last 30 Days', value: 'last30Days' },
	{ name: 'Last 90 Days', value: 'last90Days' },
	{ name: 'Today', value: 'today' },
	{ name: 'Yesterday', value: 'yesterday' },
	{ name: 'Between Days', value: 'days', description: 'Whole days, the last one included' },
	{ name: 'Between Times', value: 'times', description: 'From one exact time to another' },
];

const dateRangeFields: INodeProperties[] = [
	{
		displayName: 'Date Range',
		name: 'dateRange',
		type: 'options',
		default: 'last7Days',
		description: 'When the readings were taken. Days are those of the workflow\'s time zone.',
		displayOptions: { show },
		options: DATE_RANGES,
	},
	...dateFields('days', { dateOnly: true }, 'day'),
	...dateFields('times', {}, 'time'),
];

function dateFields(dateRange: string, typeOptions: { dateOnly?: boolean }, word: string): INodeProperties[] {
	const displayOptions = { show: { ...show, dateRange: [dateRange] } };
	return [
		{
			displayName: 'Start Date',
			name: 'startDate',
			type: 'dateTime',
			typeOptions,
			required: true,
			default: '',
			description: `The first ${word} to include`,
			displayOptions,
		},
		{
			displayName: 'End Date',
			name: 'endDate',
			type: 'dateTime',
			typeOptions,
			default: '',
			description: `The last ${word} to include. Leave empty for everything up to now.`,
			displayOptions,
		},
	];
}

export const timeseriesFields: INodeProperties[] = [
	...userFields(show),
	...dateRangeFields,
	providerField(show),
	...returnAllAndLimit(show),
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		default: 'readings',
		description: 'The form in which the readings leave this node',
		displayOptions: { show },
		options: [
			{ name: 'One Item per Reading', value: 'readings', description: 'Flat rows, ready for a table or a sheet' },
			{ name: 'One Item per User', value: 'grouped', description: 'All readings of a user in one item, grouped by provider' },
		],
	},
	simplifyField({ ...show, output: ['readings'] }),
	optionsField(show),
];
