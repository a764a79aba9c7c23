/**
 * Options of a timeseries operation: what few need, each with its default, bounds and reading.
 */
import type { IDisplayOptions, IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { optionsField } from '../../fields/optionsField';
import { CONCURRENT_REQUESTS } from '../../http/gate';
import { text, wholeNumber } from '../../shared/values';

/** So that one execution does not crowd everybody else out of the service. */
const MAX_CONCURRENT_REQUESTS = 50;

const onlyForAllUsers: IDisplayOptions = { show: { '/userScope': ['all'] } };

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
	]);

export function readConcurrency(context: IExecuteSingleFunctions): number {
	const given = context.getNodeParameter('options.concurrency', CONCURRENT_REQUESTS);
	return Math.min(wholeNumber(given, 'Concurrent Requests', 1), MAX_CONCURRENT_REQUESTS);
}

/** Which part of the team's list: all of it, unless the user says otherwise. */
export function readUserWindow(context: IExecuteSingleFunctions) {
	const limit = context.getNodeParameter('options.userLimit', '');
	return {
		offset: wholeNumber(context.getNodeParameter('options.userOffset', 0), 'Skip First Users', 0),
		limit: limit === '' ? Infinity : wholeNumber(limit, 'Max Users', 1),
	};
}

export const readOnlyConnected = (context: IExecuteSingleFunctions) =>
	context.getNodeParameter('options.onlyConnected', false) === true;

/** An IANA name, not yet checked. */
export const readTimeZone = (context: IExecuteSingleFunctions): string =>
	text(context.getNodeParameter('options.timeZone', '')).trim() || context.getTimezone();
