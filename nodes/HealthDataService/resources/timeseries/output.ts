/** Output: the shapes of the rows, and the function that makes each from a user's pages. */
import type { IDisplayOptions, IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { collectDaily, type DayRange } from '../../service/readings/daily';
import { collectGrouped, collectReadings, type Collect } from '../../service/readings/rows';
import type { Metric } from '../../service/readings/metrics';
import type { RowLimit } from '../../service/readings/rowLimit';
import { collectSummary } from '../../service/readings/summary';
import { toChoice } from '../../shared/values';

export const READINGS = 'readings';
export const DAILY = 'daily';
export const SUMMARY = 'summary';
export const GROUPED = 'grouped';

const FORMS = [
	{
		name: 'One Item per Reading',
		value: READINGS,
		description: 'Flat rows, ready for a table or a sheet',
	},
	{
		name: 'One Item per Day',
		value: DAILY,
		description: 'A row per day and source, with means or sums',
	},
	{
		name: 'Summary per User',
		value: SUMMARY,
		description: 'A row per user with means or sums, also without readings',
	},
	{
		name: 'One Item per User',
		value: GROUPED,
		description: 'All readings of a user in one item, grouped by provider',
	},
];

export const outputField = (show: IDisplayOptions['show']): INodeProperties => ({
	displayName: 'Output',
	name: 'output',
	type: 'options',
	default: READINGS,
	description: 'The form in which the readings leave this node',
	displayOptions: { show },
	options: FORMS,
});

export const readOutput = (context: IExecuteSingleFunctions): string =>
	toChoice(context.getNodeParameter('output', READINGS), 'Output', FORMS).value;

interface CollectOptions extends DayRange {
	limit: RowLimit;
	/** YYYY-MM-DD in `zone`: the last day of a summary without an end. */
	today: string;
	provider: string;
}

export function collectAs(output: string, metric: Metric, options: CollectOptions): Collect {
	if (output === GROUPED) return collectGrouped;
	if (output === DAILY) return collectDaily(metric, options);
	if (output === SUMMARY)
		return collectSummary(metric, { ...options, last: options.last ?? options.today });
	return collectReadings(metric, options.limit, options.zone);
}
