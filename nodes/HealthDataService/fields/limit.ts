/**
 * Return All and Limit: the maximum number of results.
 */
import type { IDisplayOptions, IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { toSwitch, wholeNumber } from '../shared/values';

/** `hint` says what Limit leaves out, and how to get it. */
export const returnAllAndLimit = (show: IDisplayOptions['show'], hint: string): INodeProperties[] => [
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
		// The linter wants to see the number.
		default: 50,
		description: 'Max number of results to return',
		hint,
		displayOptions: { show: { ...show, returnAll: [false] } },
	},
];

/** Infinity with Return All. */
export function readLimit(context: IExecuteSingleFunctions): number {
	if (toSwitch(context.getNodeParameter('returnAll', false), 'Return All')) return Infinity;
	return wholeNumber(context.getNodeParameter('limit', 50), 'Limit', 1);
}
