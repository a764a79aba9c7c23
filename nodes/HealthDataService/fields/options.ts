/**
 * Options that several operations share: Return All, Limit, Concurrent Requests, Requests per Second, Only Connected Users, Skip
 * First Users, Source Types, When Not Found, and the Options collection, in the order of the alphabet.
 */
import type { IDisplayOptions, IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { DEFAULT_CONCURRENCY } from '../http/requestQueue';
import type { Limit } from '../service/readings/measured';
import type { ThresholdOption } from '../service/readings/metrics';
import type { WhenNotFound } from '../service/users/selection';
import { Problem } from '../shared/problem';
import {
	isObject,
	someNumber,
	toChoice,
	toEntries,
	toSwitch,
	toText,
	wholeNumber,
} from '../shared/values';
import type { FieldContext } from './locator';

export const optionsField = (
	show: IDisplayOptions['show'],
	options: INodeProperties[],
): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	...(show && { displayOptions: { show } }),
	options: options.sort((a, b) => a.displayName.localeCompare(b.displayName)),
});

/** The value of an option, converted by `read`; `whenAbsent` if the option was not added. */
export function readOption<T>(
	context: FieldContext,
	name: string,
	whenAbsent: T,
	read: (value: unknown) => T,
): T {
	const options: unknown = context.getNode().parameters.options ?? {};
	// Only a workflow edited as JSON can have this.
	if (!isObject(options))
		throw new Problem("'Options' is not a set of options", 'Add options from the list');
	return options[name] === undefined
		? whenAbsent
		: read(context.getNodeParameter(`options.${name}`));
}

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

/** One request in ten seconds. */
const MIN_REQUESTS_PER_SECOND = 0.1;

const requestsPerSecondField: INodeProperties = {
	displayName: 'Requests per Second',
	name: 'requestsPerSecond',
	type: 'number',
	typeOptions: { minValue: MIN_REQUESTS_PER_SECOND },
	default: 5,
	description:
		'How many requests one execution sends in a second at most, evenly spread, tries after a failure included. Without this option there is no limit.',
};

export const requestLimitFields = [concurrencyField, requestsPerSecondField];

/** Without its option, `requestsPerSecond` is undefined: no limit. */
export const readRequestLimits = (context: FieldContext) => ({
	concurrency: readOption(context, 'concurrency', DEFAULT_CONCURRENCY, (value) =>
		Math.min(wholeNumber(value, 'Concurrent Requests', 1), MAX_CONCURRENT_REQUESTS),
	),
	requestsPerSecond: readOption<number | undefined>(
		context,
		'requestsPerSecond',
		undefined,
		(value) => someNumber(value, 'Requests per Second', MIN_REQUESTS_PER_SECOND),
	),
});

export const onlyConnectedField = (displayOptions: IDisplayOptions): INodeProperties => ({
	displayName: 'Only Connected Users',
	name: 'onlyConnected',
	type: 'boolean',
	default: false,
	description:
		'Whether to ask only for users who have the chosen provider connected now. Faster, but leaves out readings of sources that were disconnected since.',
	displayOptions,
});

export const readOnlyConnected = (context: FieldContext) =>
	readOption(context, 'onlyConnected', false, (value) => toSwitch(value, 'Only Connected Users'));

/** @param name in saved workflows, which differs between operations */
export const skipField = (name: string): INodeProperties => ({
	displayName: 'Skip First Users',
	name,
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 0,
	description: 'How many users to leave out at the start of the list',
});

export const readSkip = (context: FieldContext, name: string) =>
	readOption(context, name, 0, (value) => wholeNumber(value, 'Skip First Users', 0));

/** The option for a limit of a metric. */
export const limitField = (
	{ option, name, default: limit }: ThresholdOption,
	description: string,
	displayOptions: IDisplayOptions,
): INodeProperties => ({
	displayName: name,
	name: option,
	type: 'number',
	typeOptions: { minValue: 0 },
	default: limit,
	description,
	displayOptions,
});

/** The limits of the options that were added. */
export const readLimits = (context: FieldContext, options: readonly ThresholdOption[]): Limit[] =>
	options.flatMap(({ column, at, option, name }) => {
		const limit = readOption<number | undefined>(context, option, undefined, (value) =>
			someNumber(value, name, 0),
		);
		return limit === undefined ? [] : [{ column, [at]: limit }];
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

const SOURCE_ADVICE = "Enter types such as cuff, watch, or leave 'Source Types' empty for all";

/** Source types in lower case and alphabetical order; an empty list for all types. */
export const readSourceTypes = (context: FieldContext): string[] =>
	readOption<string[]>(context, 'sourceTypes', [], (value) => {
		const entries = toEntries(value, 'Source Types', SOURCE_ADVICE, /[,;\r\n]+/);
		const types = entries.map((entry) =>
			toText(entry, 'Source Types', SOURCE_ADVICE).trim().toLowerCase(),
		);
		return [...new Set(types)].filter(Boolean).sort();
	});

const STOP: WhenNotFound = 'error';

const NOT_FOUND_CHOICES = [
	{ name: 'Return No Item', value: 'empty' as const },
	{ name: 'Stop With an Error', value: STOP },
];

export const whenNotFoundField = (
	description: string,
	displayOptions?: IDisplayOptions,
): INodeProperties => ({
	displayName: 'When Not Found',
	name: 'whenNotFound',
	type: 'options',
	default: STOP,
	description,
	...(displayOptions && { displayOptions }),
	options: NOT_FOUND_CHOICES,
});

export const readWhenNotFound = (context: IExecuteSingleFunctions): WhenNotFound =>
	readOption(
		context,
		'whenNotFound',
		STOP,
		(value) => toChoice(value, 'When Not Found', NOT_FOUND_CHOICES).value,
	);

/** @param hint what Limit leaves out, and how to get the rest */
export const returnAllAndLimit = (
	show: IDisplayOptions['show'],
	hint: string,
): INodeProperties[] => [
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
