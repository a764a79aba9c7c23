/**
 * Options of a timeseries operation: what few need, each with its default, bounds and reading.
 */
import type { IDisplayOptions, IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { optionsField, readOption } from '../../fields/optionsField';
import { whenNotFoundField } from '../../fields/whenNotFound';
import { CONCURRENT_REQUESTS } from '../../http/gate';
import { toSwitch, toText, wholeNumber } from '../../shared/values';

/** So that one execution does not crowd everybody else out of the service. */
const MAX_CONCURRENT_REQUESTS = 50;

const onlyForAllUsers: IDisplayOptions = { show: { '/userScope': ['all'] } };
const onlyForOneUser: IDisplayOptions = { show: { '/userScope': ['one'] } };

export const timeseriesOptions = (show: IDisplayOptions['show']): INodeProperties =>
	optionsField(show, [
		{
			displayName: 'Concurrent Requests',
			name: 'concurrency',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: MAX_CONCURRENT_REQUESTS },
			default: CONCURRENT_REQUESTS,
			description: 'How many requests may be on their way at once. Fewer are sent when the service asks for it.',
		},
		{
			displayName: 'Max Users',
			name: 'userLimit',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 1000,
			description: 'How many users of the list to read, to share a large team between several runs',
			displayOptions: onlyForAllUsers,
		},
		{
			displayName: 'Only Connected Users',
			name: 'onlyConnected',
			type: 'boolean',
			default: false,
			description:
				'Whether to ask only for users who have the chosen provider connected now. Faster, but leaves out readings of sources that were disconnected since.',
			displayOptions: onlyForAllUsers,
		},
		{
			displayName: 'Skip First Users',
			name: 'userOffset',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 0,
			description: 'How many users to leave out at the start of the list',
			displayOptions: onlyForAllUsers,
		},
		{
			displayName: 'Time Zone',
			name: 'timeZone',
			type: 'string',
			default: '',
			placeholder: 'e.g. Europe/Berlin',
			description: 'Time zone that days begin and end in. Leave empty for that of the workflow.',
		},
		whenNotFoundField('What to do when the service does not know the user', onlyForOneUser),
	]);

export const readConcurrency = (context: IExecuteSingleFunctions): number =>
	readOption(context, 'concurrency', CONCURRENT_REQUESTS, (value) =>
		Math.min(wholeNumber(value, 'Concurrent Requests', 1), MAX_CONCURRENT_REQUESTS),
	);

/** Which part of the team's list: all of it, unless the user says otherwise. */
export const readUserWindow = (context: IExecuteSingleFunctions) => ({
	offset: readOption(context, 'userOffset', 0, (value) => wholeNumber(value, 'Skip First Users', 0)),
	limit: readOption(context, 'userLimit', Infinity, (value) => wholeNumber(value, 'Max Users', 1)),
});

export const readOnlyConnected = (context: IExecuteSingleFunctions) =>
	readOption(context, 'onlyConnected', false, (value) => toSwitch(value, 'Only Connected Users'));

const ADVICE = "Enter a name from the IANA list, e.g. Europe/Berlin, or leave 'Time Zone' empty for the workflow's";

/** An IANA name, not yet checked. */
export const readTimeZone = (context: IExecuteSingleFunctions): string =>
	readOption(context, 'timeZone', '', (value) => toText(value, 'Time Zone', ADVICE).trim()) || context.getTimezone();
