/** Options of a timeseries operation: fields, defaults and bounds. */
import type { IDisplayOptions, IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import {
	limitField,
	onlyConnectedField,
	optionsField,
	readLimits,
	readOption,
	readSkip,
	requestLimitFields,
	skipField,
	sourceTypesField,
	whenNotFoundField,
} from '../../fields/options';
import { metrics, type Metric, type ThresholdOption } from '../../service/readings/metrics';
import type { Status } from '../../service/readings/summary';
import { Problem } from '../../shared/problem';
import { toChoice, toEntries, toSwitch, toText, wholeNumber } from '../../shared/values';
import { shownFor, type Output } from './output';

const onlyForAllUsers: IDisplayOptions = { show: { '/userScope': ['all'] } };
const onlyForNamedUsers: IDisplayOptions = { show: { '/userScope': ['one', 'listed'] } };

const metricsWithLimits = metrics.filter(({ meanLimits }) => meanLimits);

/** The limits of each metric, for its operation. */
const limitFields = metricsWithLimits.flatMap((metric) => {
	const displayOptions = shownFor(({ hasLimits }) => hasLimits, [metric.value]);
	const ofMean = (limit: ThresholdOption) =>
		limitField(limit, 'The status of a mean at or above this is "high"', displayOptions);
	const ofReading = (limit: ThresholdOption) => {
		const where = limit.at === 'least' ? 'at or above' : 'at or below';
		const description = `Names the newest ${metric.noun} ${where} this value, or beyond another such limit`;
		return limitField(limit, description, displayOptions);
	};
	return [...(metric.meanLimits ?? []).map(ofMean), ...metric.thresholds.map(ofReading)];
});

const judgedOf = (operation?: readonly string[]) =>
	shownFor(({ hasJudgement }) => hasJudgement, operation);
const judgedWithLimits = judgedOf(metricsWithLimits.map(({ value }) => value));

const STATUSES: Array<{ name: string; value: Status }> = [
	{ name: 'High', value: 'high' },
	{ name: 'In Range', value: 'in range' },
	{ name: 'No Readings', value: 'no readings' },
];

const judgementFields: INodeProperties[] = [
	{
		displayName: 'Least Readings',
		name: 'minReadings',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 12,
		description: 'How many readings make the mean reliable. The column enough_readings says so.',
		displayOptions: judgedWithLimits,
	},
	{
		displayName: 'Least Days',
		name: 'minDays',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 3,
		description:
			'On how many days there must be readings. The column enough_readings says so, too.',
		displayOptions: judgedWithLimits,
	},
	{
		displayName: 'Return Only',
		name: 'onlyStatus',
		type: 'multiOptions',
		default: [],
		description: 'Only users with one of these in the column status. Leave empty for all.',
		options: STATUSES,
		displayOptions: judgedOf(),
	},
	{
		displayName: 'Compare With Previous Period',
		name: 'comparePrevious',
		type: 'boolean',
		default: false,
		description: 'Whether to add the means or sums of the period just before, as long as this one',
		displayOptions: judgedOf(),
	},
];

export const timeseriesOptions = (show: IDisplayOptions['show']): INodeProperties =>
	optionsField(show, [
		...requestLimitFields,
		{
			displayName: 'Max Users',
			name: 'userLimit',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 1000,
			description: 'How many users of the list to read, to share a large team between several runs',
			displayOptions: onlyForAllUsers,
		},
		onlyConnectedField(onlyForAllUsers),
		{ ...skipField('userOffset'), displayOptions: onlyForAllUsers },
		sourceTypesField,
		{
			displayName: 'Time Zone',
			name: 'timeZone',
			type: 'string',
			default: '',
			placeholder: 'e.g. Europe/Berlin',
			description: 'Time zone that days begin and end in. Leave empty for that of the workflow.',
		},
		{
			displayName: "Use Each User's Time Zone",
			name: 'userTimeZone',
			type: 'boolean',
			default: false,
			description:
				"Whether days are those of the user's own time zone, where the service knows it. For others, and for users chosen by user ID, it is that of Time Zone.",
		},
		whenNotFoundField('What to do when the service does not know a user', onlyForNamedUsers),
		...limitFields,
		...judgementFields,
	]);

/** The part of the team's list to read; by default all of it. */
export const readListSlice = (context: IExecuteSingleFunctions) => ({
	offset: readSkip(context, 'userOffset'),
	limit: readOption(context, 'userLimit', Infinity, (value) => wholeNumber(value, 'Max Users', 1)),
});

const ADVICE =
	"Enter a name from the IANA list, e.g. Europe/Berlin, or leave 'Time Zone' empty for the workflow's";

/** An IANA name, not yet validated. */
export const readTimeZone = (context: IExecuteSingleFunctions): string =>
	readOption(context, 'timeZone', '', (value) => toText(value, 'Time Zone', ADVICE).trim()) ||
	context.getTimezone();

const readSwitch = (context: IExecuteSingleFunctions, name: string, label: string) =>
	readOption(context, name, false, (value) => toSwitch(value, label));

export const readUserTimeZone = (context: IExecuteSingleFunctions) =>
	readSwitch(context, 'userTimeZone', "Use Each User's Time Zone");

/** The options that an output has; those of others are ignored. */
export function readJudgement(context: IExecuteSingleFunctions, metric: Metric, output: Output) {
	const { meanLimits = [] } = metric;
	const hasLimits = output.hasLimits === true && meanLimits.length > 0;
	const hasLeast = output.hasJudgement === true && hasLimits;
	const least = (name: string, label: string) =>
		hasLeast
			? readOption<number | undefined>(context, name, undefined, (value) =>
					wholeNumber(value, label, 1),
				)
			: undefined;
	const judgement = {
		meanLimits: hasLimits ? readLimits(context, meanLimits) : [],
		limits: hasLimits ? readLimits(context, metric.thresholds) : [],
		minReadings: least('minReadings', 'Least Readings'),
		minDays: least('minDays', 'Least Days'),
		onlyStatus: output.hasJudgement ? readOnlyStatus(context) : [],
		comparesPrevious:
			output.hasJudgement === true &&
			readSwitch(context, 'comparePrevious', 'Compare With Previous Period'),
	};
	if (judgement.onlyStatus.includes('high') && judgement.meanLimits.length === 0)
		throw noLimit(meanLimits);
	return judgement;
}

const ONLY_STATUS = 'Return Only';

/** Text with commas or a list, in upper or lower case. */
const readOnlyStatus = (context: IExecuteSingleFunctions): Status[] =>
	readOption<Status[]>(context, 'onlyStatus', [], (value) => {
		const advice = 'Pick from the list, or give text such as high, no readings';
		const entries = toEntries(value, ONLY_STATUS, advice, /[,;\r\n]+/);
		const words = entries.map((entry) => toText(entry, ONLY_STATUS, advice).trim().toLowerCase());
		return words.filter(Boolean).map((word) => toChoice(word, ONLY_STATUS, STATUSES).value);
	});

/** Without a limit nobody is high, which would look like good news. */
const noLimit = (limits: readonly ThresholdOption[]) =>
	new Problem(
		`'${ONLY_STATUS}' is High, but there is no limit above which a mean is high`,
		limits.length > 0
			? `Add ${limits.map(({ name }) => `'${name}'`).join(' or ')} in the options`
			: `This operation has no such limits. Remove High from '${ONLY_STATUS}'`,
	);
