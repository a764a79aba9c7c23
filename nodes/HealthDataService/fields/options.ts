/**
 * Fields and options that several operations share: Provider, Return All, Limit, Concurrent
 * Requests, Requests per Second, Only Connected Users, Skip First Users, Limits, Source Types and
 * When Not Found.
 */
import type {
	IDataObject,
	IExecuteSingleFunctions,
	INodeProperties,
} from 'n8n-workflow';
import { DEFAULT_CONCURRENCY } from '../http/requestQueue';
import type {
	LimitFields,
	LimitGroup,
	Limits,
	Metric,
	ThresholdField,
	Thresholds,
} from '../service/readings/metrics';
import type { WhenNotFound } from '../service/users/selection';
import { Problem } from '../shared/problem';
import {
	isBlank,
	isObject,
	someNumber,
	toSwitch,
	toText,
	unusable,
	wholeNumber,
} from '../shared/values';
import {
	readField,
	readLocator,
	readOption,
	toValueOf,
	toWords,
	type FieldContext,
} from './field';

export const providerField: INodeProperties = {
	displayName: 'Provider',
	name: 'provider',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description:
		'Only readings of this provider, such as the maker of a wearable. Leave empty, or pick All Providers, for all.',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'All providers',
			typeOptions: { searchListMethod: 'searchProviders', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'slug',
			type: 'string',
			placeholder: 'e.g. omron',
			hint: "The service's short name of the provider, e.g. apple_health_kit. User → List shows it under connected_sources.",
		},
	],
};

/** A slug; empty for all providers. @param path of the field, or of the option, with this label */
export const readProvider = (
	context: FieldContext,
	path = 'provider',
	label = 'Provider',
) =>
	toText(
		readLocator(context, path).value,
		label,
		`Enter a provider, e.g. omron, or leave '${label}' empty for all`,
	).trim();

const concurrencyField: INodeProperties = {
	displayName: 'Concurrent Requests',
	name: 'concurrency',
	type: 'number',
	// Leaves room in the service for other clients.
	typeOptions: { minValue: 1, maxValue: 50 },
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
		'The most requests that one execution sends in a second, retries included. Without this option there is no limit.',
};

export const requestLimitFields = [concurrencyField, requestsPerSecondField];

/** Without its option, `requestsPerSecond` is undefined: no limit. */
export const readRequestLimits = (context: FieldContext) => ({
	concurrency: readOption(
		context,
		concurrencyField,
		DEFAULT_CONCURRENCY,
		wholeNumber,
	),
	requestsPerSecond: readOption(
		context,
		requestsPerSecondField,
		undefined,
		someNumber,
	),
});

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

/** *Limits* of a metric: a group for each pair. n8n fills in both numbers when a group is added. */
export function limitsField(
	{ limits }: Metric,
	groups: readonly LimitGroup[],
	description: string,
): INodeProperties {
	const options = groups.flatMap((group) => {
		const fields = limits[group];
		return fields ? [pairField(group, fields)] : [];
	});
	return {
		displayName: 'Limits',
		name: 'limits',
		type: 'fixedCollection',
		placeholder: 'Add limit',
		default: {},
		description,
		options,
	};
}

const pairField = (name: LimitGroup, { label, thresholds }: LimitFields) => ({
	name,
	displayName: label,
	values: thresholds.map((one) => thresholdField(name, one)),
});

const thresholdField = (
	group: LimitGroup,
	{ name, label, default: whenMissing }: ThresholdField,
): INodeProperties => ({
	displayName: label,
	name,
	type: 'number',
	typeOptions: { minValue: leastOf(group) },
	default: whenMissing,
});

const leastOf = (group: LimitGroup) => (group === 'enough' ? 1 : 0);

/**
 * The groups that were added and have a number.
 *
 * @throws Problem for a value that is no number, and for a pair in the wrong order
 */
export function readLimits(
	context: FieldContext,
	metric: Metric,
	groups: readonly LimitGroup[],
): Limits {
	const given = toGroup(context.getNodeParameter('limits', {}));
	const limits: Limits = {};
	for (const group of groups) {
		const fields = metric.limits[group]?.thresholds ?? [];
		if (given[group] === undefined || fields.length === 0) continue;
		const values = toGroup(given[group]);
		const numbers = fields.map((field) => readThreshold(group, field, values));
		if (numbers.every((number) => number === undefined)) continue;
		if (metric.isDescending && group !== 'enough')
			refuseAscending(fields, numbers);
		limits[group] = numbers;
	}
	return limits;
}

/** An expression may give anything in place of the set. */
function toGroup(value: unknown) {
	if (isObject(value)) return value;
	throw unusable(
		'Limits',
		'a set of limits',
		value,
		'Add limits from the list, and use expressions for single numbers only',
	);
}

/** An emptied number is no limit. n8n fills in a missing one; an expression that gave undefined is an error. */
function readThreshold(
	group: LimitGroup,
	{ name, label, default: whenMissing }: ThresholdField,
	values: IDataObject,
) {
	if (!Object.hasOwn(values, name)) return whenMissing;
	const value = values[name];
	if (value !== undefined && isBlank(value)) return undefined;
	const convert = group === 'enough' ? wholeNumber : someNumber;
	return convert(value, label, leastOf(group));
}

/** Such limits would be reached by nearly every reading. */
function refuseAscending(
	fields: readonly ThresholdField[],
	numbers: Thresholds,
) {
	const at = numbers.findIndex(
		(number = -Infinity, index) => number > (numbers[index - 1] ?? Infinity),
	);
	if (at < 0) return;
	const [before, after] = [fields[at - 1], fields[at]].map(
		({ label }) => `'${label}'`,
	);
	throw new Problem(
		`${after} (${numbers[at]}) is above ${before} (${numbers[at - 1]})`,
		`Enter the larger number in ${before}`,
	);
}

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

export const whenNotFoundField: INodeProperties = {
	displayName: 'When Not Found',
	name: 'whenNotFound',
	type: 'options',
	default: 'error',
	description: 'What to do when the service does not know a user',
	options: [
		{ name: 'Return No Item', value: 'empty' },
		{ name: 'Stop With an Error', value: 'error' },
	],
};

export const readWhenNotFound = (
	context: IExecuteSingleFunctions,
): WhenNotFound =>
	readOption(context, whenNotFoundField, 'error', toValueOf(whenNotFoundField));

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
	displayOptions: { show: { returnAll: [false] } },
};

/** @param hint what Limit leaves out, and how to get the rest */
export const returnAllAndLimit = (hint: string): INodeProperties[] => [
	returnAllField,
	{ ...rowLimitField, hint },
];

/** Infinity with Return All. */
export const readLimit = (context: IExecuteSingleFunctions): number =>
	readField(context, returnAllField, toSwitch)
		? Infinity
		: readField(context, rowLimitField, wholeNumber);
