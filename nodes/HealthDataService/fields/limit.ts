/**
 * Fields that more than one operation shows, and how their values are read back.
 */
import type { IDisplayOptions, IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { Problem } from '../shared/problem';

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
		default: 50,
		description: 'Max number of results to return',
		hint: "What exceeds this is left out. Turn on 'Return All' to get everything.",
		displayOptions: { show: { ...show, returnAll: [false] } },
	},
];

/** How many results are wanted: Infinity with Return All. */
export function readMost(context: IExecuteSingleFunctions): number {
	if (context.getNodeParameter('returnAll', false)) return Infinity;
	return wholeNumber(context.getNodeParameter('limit', 50), 'Limit', 1);
}

/** A number field, which an expression may have filled with anything. */
export function wholeNumber(value: unknown, field: string, least: number): number {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof number === 'number' && Number.isSafeInteger(number) && number >= least) return number;
	throw new Problem(`'${field}' is not a whole number of ${least} or more`, `Enter '${field}' in digits, such as 50`);
}

/** A text field: numbers are welcome, since identifiers often are; blank means empty. */
export function text(value: unknown): string {
	if (typeof value === 'number' || typeof value === 'bigint') return String(value);
	return typeof value === 'string' && value.trim() !== '' ? value : '';
}
