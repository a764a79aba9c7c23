/** Options of a timeseries operation: fields, defaults, bounds and values. */
import type {
	IExecuteSingleFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import {
	optionsField,
	readField,
	readOption,
	shownIf,
	toChoiceOf,
	toValueOf,
	toWords,
} from '../../fields/field';
import {
	limitField,
	onlyConnectedField,
	readLimits,
	readOnlyConnected,
	readRequestLimits,
	readSourceTypes,
	readWhenNotFound,
	requestLimitFields,
	skipField,
	sourceTypesField,
	whenNotFoundField,
} from '../../fields/options';
import type { RequestLimits } from '../../http/requestQueue';
import {
	metrics,
	type Metric,
	type ThresholdOption,
} from '../../service/readings/metrics';
import type {
	CompareWith,
	Status,
	SummaryOptions,
} from '../../service/readings/summary';
import type { WhenNotFound } from '../../service/users/selection';
import { Problem } from '../../shared/problem';
import { toChoice, toSwitch, toText, wholeNumber } from '../../shared/values';
import { outputField, OUTPUTS, type Output } from './output';

const skipUsersField = { ...skipField, name: 'userOffset' };

const maxUsersField: INodeProperties = {
	displayName: 'Max Users',
	name: 'userLimit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 1000,
	description:
		'How many users of the list to read, to share a large team between several runs. Without this option, all are read.',
};

const timeZoneField: INodeProperties = {
	displayName: 'Time Zone',
	name: 'timeZone',
	type: 'string',
	default: '',
	placeholder: 'e.g. Europe/Berlin',
	description:
		'Time zone that days begin and end in. Leave empty for that of the workflow.',
};

const ZONE_ADVICE =
	"Enter a name from the IANA list, e.g. Europe/Berlin, or leave 'Time Zone' empty for the workflow's";

const toZone = (value: unknown, label: string) =>
	toText(value, label, ZONE_ADVICE).trim();

const userTimeZoneField: INodeProperties = {
	displayName: "Use Each User's Time Zone",
	name: 'userTimeZone',
	type: 'boolean',
	default: false,
	description:
		"Whether days begin and end in the user's own time zone, where the service knows it. For others, and for users chosen by user ID, it is that of Time Zone.",
};

const minReadingsField: INodeProperties = {
	displayName: 'Least Readings',
	name: 'minReadings',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 12,
	description:
		'How many readings make the mean reliable. The column enough_readings says so.',
};

const minDaysField: INodeProperties = {
	displayName: 'Least Days',
	name: 'minDays',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 3,
	description:
		'On how many days there must be readings. The column enough_readings says so, too.',
};

const STATUSES: Array<{ name: string; value: Status }> = [
	{ name: 'High', value: 'high' },
	{ name: 'In Range', value: 'in range' },
	{ name: 'No Readings', value: 'no readings' },
];

const onlyStatusField: INodeProperties = {
	displayName: 'Return Only',
	name: 'onlyStatus',
	type: 'multiOptions',
	default: [],
	description:
		'Only users with one of these in the column status. Leave empty for all.',
	options: STATUSES,
};

const COMPARISONS: Array<INodePropertyOptions & { value: CompareWith }> = [
	{
		name: 'Previous Period',
		value: 'period',
		description: 'As many days, or as much time, just before',
	},
	{
		name: 'A Day Earlier',
		value: 'day',
		description: 'The same range a day back, to see what is new today',
	},
];

const compareWithField: INodeProperties = {
	displayName: 'Compare With',
	name: 'compareWith',
	type: 'options',
	default: 'period',
	description:
		'Adds the means or sums of an earlier range. A range that is not over is compared up to the same time of day.',
	options: COMPARISONS,
};

const outputsWith = (has: 'hasLimits' | 'hasJudgement') =>
	OUTPUTS.filter((output) => output[has]).map(({ value }) => value);

const metricsWithLimits = metrics.filter(({ meanLimits }) => meanLimits);

/** The limits of each metric, for its operation. */
const limitFields = metricsWithLimits.flatMap(
	({ value, noun, meanLimits = [], thresholds }) => {
		const ofMean = (limit: ThresholdOption) =>
			limitField(limit, 'The status of a mean at or above this is "high"');
		const ofReading = (limit: ThresholdOption) => {
			const where = limit.at === 'least' ? 'at or above' : 'at or below';
			return limitField(
				limit,
				`Names the newest ${noun} ${where} this value, or beyond another such limit`,
			);
		};
		const fields = [...meanLimits.map(ofMean), ...thresholds.map(ofReading)];
		return shownIf(
			{ '/operation': [value], '/output': outputsWith('hasLimits') },
			fields,
		);
	},
);

export const timeseriesOptions = optionsField([
	...requestLimitFields,
	...shownIf({ '/userScope': ['all'] }, [
		maxUsersField,
		onlyConnectedField,
		skipUsersField,
	]),
	...shownIf({ '/userScope': ['one', 'listed'] }, [whenNotFoundField]),
	sourceTypesField,
	timeZoneField,
	userTimeZoneField,
	...limitFields,
	...shownIf({ '/output': outputsWith('hasJudgement') }, [
		...shownIf({ '/operation': metricsWithLimits.map(({ value }) => value) }, [
			minReadingsField,
			minDaysField,
		]),
		onlyStatusField,
		compareWithField,
	]),
]);

export interface TimeseriesOptions
	extends RequestLimits,
		Omit<SummaryOptions, 'rangeOf' | 'provider'> {
	output: Output;
	concurrency: number;
	whenNotFound: WhenNotFound;
	isConnectedOnly: boolean;
	/** The part of the team's list to read; by default all of it. */
	offset: number;
	maxUsers: number;
	/** An IANA name, not yet validated. */
	timeZone: string;
}

/**
 * *Output* and the options that were added, with what counts without the others. Options of another
 * output are ignored.
 */
export function readOptions(
	context: IExecuteSingleFunctions,
	metric: Metric,
): TimeseriesOptions {
	const { meanLimits = [], thresholds } = metric;
	const output = readField(context, outputField, toChoiceOf(OUTPUTS));
	// A metric without limits of the mean has no options for limits.
	const hasLimits = output.hasLimits === true && meanLimits.length > 0;
	const zone = readOption(context, timeZoneField, '', toZone);
	const options: TimeseriesOptions = {
		...readRequestLimits(context),
		metric,
		output,
		sourceTypes: readSourceTypes(context),
		whenNotFound: readWhenNotFound(context),
		isConnectedOnly: readOnlyConnected(context),
		offset: readOption(context, skipUsersField, 0, wholeNumber),
		maxUsers: readOption(context, maxUsersField, Infinity, wholeNumber),
		timeZone: zone || context.getTimezone(),
		hasTimeZone: readOption(context, userTimeZoneField, false, toSwitch),
		meanLimits: readLimits(context, hasLimits ? meanLimits : []),
		limits: readLimits(context, hasLimits ? thresholds : []),
		onlyStatus: [],
	};
	if (!output.hasJudgement) return options;
	if (hasLimits) {
		options.minReadings = readOption(
			context,
			minReadingsField,
			undefined,
			wholeNumber,
		);
		options.minDays = readOption(context, minDaysField, undefined, wholeNumber);
	}
	options.onlyStatus = readOption(context, onlyStatusField, [], toStatuses);
	options.compareWith = readOption(
		context,
		compareWithField,
		undefined,
		toValueOf<CompareWith>(compareWithField),
	);
	// Without a limit no row is high, which would look like good news.
	if (options.onlyStatus.includes('high') && options.meanLimits.length === 0)
		throw new Problem(
			"'Return Only' is High, but there is no limit above which a mean is high",
			"Remove High from 'Return Only'. For blood pressure, you can add 'Mean Systolic' or 'Mean Diastolic' instead",
		);
	return options;
}

/** In upper or lower case. */
function toStatuses(value: unknown, label: string): Status[] {
	const words = toWords(
		value,
		label,
		'Pick from the list, or give text such as high, no readings',
	);
	return words.map((word) => toChoice(word, label, STATUSES).value);
}
