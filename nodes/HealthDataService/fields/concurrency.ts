/**
 * Concurrent Requests: how many may be on their way at once.
 */
import type { INodeProperties } from 'n8n-workflow';
import { DEFAULT_CONCURRENCY } from '../http/requestQueue';
import { wholeNumber } from '../shared/values';
import type { FieldContext } from './locator';
import { readOption } from './optionsField';

/** So that one execution does not crowd everybody else out of the service. */
const MAX_CONCURRENT_REQUESTS = 50;

/** An option of an Options collection. */
export const concurrencyField: INodeProperties = {
	displayName: 'Concurrent Requests',
	name: 'concurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: MAX_CONCURRENT_REQUESTS },
	default: DEFAULT_CONCURRENCY,
	description: 'How many requests may be on their way at once. Fewer are sent when the service asks for it.',
};

export const readConcurrency = (context: FieldContext): number =>
	readOption(context, 'concurrency', DEFAULT_CONCURRENCY, (value) =>
		Math.min(wholeNumber(value, 'Concurrent Requests', 1), MAX_CONCURRENT_REQUESTS),
	);
