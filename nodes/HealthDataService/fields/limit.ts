/**
 * Return All and Limit: how many results.
 */
import type { IDisplayOptions, IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { wholeNumber } from '../shared/values';

/** As the field says below. */
const DEFAULT_LIMIT = 50;

/** "Return All" and "Limit", for the operations named by `show`. */
export const returnAllAndLimit = (show: IDisplayOptions['show']): INodeProperties[] => [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
		displayOptions: { show },
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50, // The lint wants the digits here.
		description: 'Max number of results to return',
		hint: "What exceeds this is left out. Turn on 'Return All' to get everything.",
		displayOptions: { show: { ...show, returnAll: [false] } },
	},
];

/** How many results are wanted: Infinity with Return All. */
export function readLimit(context: IExecuteSingleFunctions): number {
	if (context.getNodeParameter('returnAll', false)) return Infinity;
	return wholeNumber(context.getNodeParameter('limit', DEFAULT_LIMIT), 'Limit', 1);
}
