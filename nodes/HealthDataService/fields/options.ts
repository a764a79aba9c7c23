/**
 * Options that several operations share: Return All, Limit, Concurrent Requests, Requests per Second, Only Connected Users, Skip
 * First Users, limits of a metric, Source Types and When Not Found.
 */
import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { DEFAULT_CONCURRENCY } from '../http/requestQueue';
import type { Limit } from '../service/readings/measured';
import type { ThresholdOption } from '../service/readings/metrics';
import type { WhenNotFound } from '../service/users/selection';
import { someNumber, toSwitch, wholeNumber } from '../shared/values';
import {
	readField,
	readOption,
	shownIf,
	toChoiceOf,
	toWords,
	type FieldContext,
} from './field';

/** Leaves room in the service for other clients. */
const MAX_CONCURRENT_REQUESTS = 50;

const concurrencyField: INodeProperties = {
	displayName: 'Concurrent Requests',
	name: 'concurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: MAX_CONCURRENT_REQUESTS },
	default: DEFAULT_CONCURRENCY,
	description:
		'How many requests may be on their way at once. Fewer are sent when the service asks for it.',
};

const requestsPerSecondField: INodeProperties = {
	displayName: 'Requests per Second',
	name: 'requestsPerSecond',
	type: 'number',
	// One request in ten seconds.
	typeOptions: { minValue: 0.1 },
	default: 5,
	description:
		'How many requests one execution sends in a second at most, evenly spread, tries after a failure included. Without this option there is no limit.',
};

export const requestLimitFields = [concurrencyField, requestsPerSecondField];

/** Without its option, `requestsPerSecond` is undefined: no limit. */
export function readRequestLimits(context: FieldContext) {
	const concurrency = readOption(
		context,
		concurrencyField,
		DEFAULT_CONCURRENCY,
		wholeNumber,
	);
	return {
		concurrency: Math.min(concurrency, MAX_CONCURRENT_REQUESTS),
		requestsPerSecond: readOption(context, requestsPerSecondField, undefined, someNumber),
	};
}

export const onlyConnectedField: INodeProperties = {
	displayName: 'Only Connected Users',
	name: 'onlyConnected',
	type: 'boolean',
	default: false,
	description:
		'Whether to ask only for users who have the chosen provider connected now. Faster, but leaves out readings of sources that were disconnected since.',
};

export const readOnlyConnected = (context: FieldContext) =>
	readOption(context, onlyConnectedField, false, toSwitch);

export const skipField: INodeProperties = {
	displayName: 'Skip First Users',
	name: 'offset',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 0,
	description: 'How many users to leave out at the start of the list',
};

/** The option for a limit of a metric. */
export const limitField = (
	{ option, name, default: limit }: ThresholdOption,
	description?: string,
): INodeProperties => ({
	displayName: name,
	name: option,
	type: 'number',
	typeOptions: { minValue: 0 },
	default: limit,
	description,
});

/** A limit, with the name of its option. */
export type NamedLimit = Limit & Pick<ThresholdOption, 'name'>;

/** The limits of the options that were added. */
export const readLimits = (
	context: FieldContext,
	options: readonly ThresholdOption[],
): NamedLimit[] =>
	options.flatMap((option) => {
		const { column, at, name } = option;
		const limit = readOption(context, limitField(option), undefined, someNumber);
		return limit === undefined ? [] : [{ name, column, [at]: limit }];
	});

export const sourceTypesField: INodeProperties = {
	displayName: 'Source Types',
	name: 'sourceTypes',
	type: 'string',
	default: '',
	placeholder: 'e.g. cuff, watch',
	description:
		'Only readings whose source_type is one of these, separated by commas. Leave empty for all.',
};

const SOURCE_ADVICE =
	"Enter types such as cuff, watch, or leave 'Source Types' empty for all";

/** Source types in lower case and alphabetical order; an empty list for all types. */
export function readSourceTypes(context: FieldContext): string[] {
	const types = readOption(context, sourceTypesField, [], (value, label) =>
		toWords(value, label, SOURCE_ADVICE),
	);
	return [...new Set(types)].sort();
}

const STOP: WhenNotFound = 'error';

const NOT_FOUND_CHOICES = [
	{ name: 'Return No Item', value: 'empty' as const },
	{ name: 'Stop With an Error', value: STOP },
];

export const whenNotFoundField: INodeProperties = {
	displayName: 'When Not Found',
	name: 'whenNotFound',
	type: 'options',
	default: STOP,
	description: 'What to do when the service does not know a user',
	options: NOT_FOUND_CHOICES,
};

export const readWhenNotFound = (context: IExecuteSingleFunctions): WhenNotFound =>
	readOption(context, whenNotFoundField, { value: STOP }, toChoiceOf(NOT_FOUND_CHOICES))
		.value;

const returnAllField: INodeProperties = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
};

const rowLimitField: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	// The linter wants to see the number.
	default: 50,
	description: 'Max number of results to return',
};

/** @param hint what Limit leaves out, and how to get the rest */
export const returnAllAndLimit = (hint: string): INodeProperties[] => [
	returnAllField,
	...shownIf({ returnAll: [false] }, [{ ...rowLimitField, hint }]),
];

/** Infinity with Return All. */
export const readLimit = (context: IExecuteSingleFunctions): number =>
	readField(context, returnAllField, toSwitch)
		? Infinity
		: readField(context, rowLimitField, wholeNumber);
