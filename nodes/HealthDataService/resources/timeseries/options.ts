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
	limitsField,
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
import {
	metrics,
	type Limits,
	type Metric,
} from '../../service/readings/metrics';
import type {
	CompareWith,
	Status,
	SummaryOptions,
} from '../../service/readings/summary';
import { Problem } from '../../shared/problem';
import {
	groupBy,
	toChoice,
	toSwitch,
	toText,
	wholeNumber,
} from '../../shared/values';
import { outputField, OUTPUTS, outputsWhere, type Output } from './output';

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

const LIMITS_SAY =
	'A mean at or above its limit is high, and readings that reach theirs are named: in the columns status and reached_reading, or in the message. Enough Readings says which means are of too few.';

/** *Limits* of each metric that has limits of the mean, for the outputs with the same groups. */
export const timeseriesLimits = metrics.flatMap((metric) => {
	if (!metric.limits.mean) return [];
	const operation = [metric.value];
	const outputs = groupBy(OUTPUTS, ({ limitGroups }) => limitGroups);
	return [...outputs].flatMap(([groups, some]) => {
		if (!groups) return [];
		const output = some.map(({ value }) => value);
		const field = limitsField(metric, groups, LIMITS_SAY);
		return shownIf({ operation, output }, [field]);
	});
});

const teamFields = [maxUsersField, onlyConnectedField, skipUsersField];
const judgementFields = [onlyStatusField, compareWithField];
const judging = outputsWhere((one) => one.hasJudgement);

export const timeseriesOptions = optionsField([
	...requestLimitFields,
	...shownIf({ '/userScope': ['all'] }, teamFields),
	...shownIf({ '/userScope': ['one', 'listed'] }, [whenNotFoundField]),
	sourceTypesField,
	timeZoneField,
	userTimeZoneField,
	...shownIf({ '/output': judging }, judgementFields),
]);

export const readOutput = (context: IExecuteSingleFunctions): Output =>
	readField(context, outputField, toChoiceOf(OUTPUTS));

/**
 * *Output* and the options that were added, with what counts without the others. Options of another
 * output are ignored.
 */
export function readOptions(context: IExecuteSingleFunctions, metric: Metric) {
	const output = readOutput(context);
	const { limitGroups = [] } = metric.limits.mean ? output : {};
	const limits = readLimits(context, metric, limitGroups);
	const judgement = readJudgement(context, output);
	refuseLostLimits(metric, limits, judgement);
	const zone = readOption(context, timeZoneField, '', toZone);
	return {
		metric,
		output,
		limits,
		...judgement,
		...readRequestLimits(context),
		...readTeamOptions(context),
		sourceTypes: readSourceTypes(context),
		/** An IANA name, not yet validated. */
		timeZone: zone || context.getTimezone(),
		hasTimeZone: readOption(context, userTimeZoneField, false, toSwitch),
	};
}

/** Which users, of the team or of a list. */
const readTeamOptions = (context: IExecuteSingleFunctions) => ({
	whenNotFound: readWhenNotFound(context),
	isConnectedOnly: readOnlyConnected(context),
	/** The part of the team's list to read; by default all of it. */
	offset: readOption(context, skipUsersField, 0, wholeNumber),
	maxUsers: readOption(context, maxUsersField, Infinity, wholeNumber),
});

type Judgement = Pick<SummaryOptions, 'onlyStatus' | 'compareWith'>;

function readJudgement(
	context: IExecuteSingleFunctions,
	{ hasJudgement }: Output,
): Judgement {
	if (!hasJudgement) return { onlyStatus: [] };
	const toComparison = toValueOf<CompareWith>(compareWithField);
	return {
		onlyStatus: readOption(context, onlyStatusField, [], toStatuses),
		compareWith: readOption(context, compareWithField, undefined, toComparison),
	};
}

/**
 * Without a limit of the mean no row is high, which would look like good news. n8n makes no limits of an expression in place of
 * all of them.
 */
function refuseLostLimits(
	{ limits: { mean } }: Metric,
	limits: Limits,
	{ onlyStatus, compareWith }: Judgement,
) {
	const isHighOnly = onlyStatus.includes('high');
	const isHighCompared = mean && compareWith && onlyStatus.length === 0;
	if (limits.mean || !(isHighOnly || isHighCompared)) return;
	const what = isHighOnly ? "'Return Only' is High" : "'Compare With' is set";
	throw new Problem(
		`${what}, but 'Limits' has no 'Mean At or Above'`,
		'Add it (Blood Pressure has it), or change this option. n8n ignores an expression in place of all limits: use expressions for single numbers',
	);
}

/** In upper or lower case. */
function toStatuses(value: unknown, label: string) {
	const words = toWords(
		value,
		label,
		'Pick from the list, or give text such as high, no readings',
	);
	return words.map((word) => toChoice(word, label, STATUSES).value);
}
