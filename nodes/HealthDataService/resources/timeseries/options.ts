/** Options of a timeseries operation: fields, defaults and bounds. */
import type { IDisplayOptions, IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import {
	onlyConnectedField,
	optionsField,
	readOption,
	readSkip,
	requestLimitFields,
	skipField,
	sourceTypesField,
	whenNotFoundField,
} from '../../fields/options';
import { toText, wholeNumber } from '../../shared/values';

const onlyForAllUsers: IDisplayOptions = { show: { '/userScope': ['all'] } };
const onlyForNamedUsers: IDisplayOptions = { show: { '/userScope': ['one', 'listed'] } };

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
		whenNotFoundField('What to do when the service does not know a user', onlyForNamedUsers),
	]);

/** The part of the team's list to read; by default all of it. */
export const readListSlice = (context: IExecuteSingleFunctions) => ({
	offset: readSkip(context, 'userOffset'),
	maxUsers: readOption(context, 'userLimit', Infinity, (value) =>
		wholeNumber(value, 'Max Users', 1),
	),
});

const ADVICE =
	"Enter a name from the IANA list, e.g. Europe/Berlin, or leave 'Time Zone' empty for the workflow's";

/** An IANA name, not yet validated. */
export const readTimeZone = (context: IExecuteSingleFunctions): string =>
	readOption(context, 'timeZone', '', (value) => toText(value, 'Time Zone', ADVICE).trim()) ||
	context.getTimezone();
