/**
 * What few need of a timeseries operation.
 */
import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

const onlyForAllUsers: IDisplayOptions = { show: { '/userScope': ['all'] } };

export const optionsField = (show: IDisplayOptions['show']): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	displayOptions: { show },
	options: [
		{
			displayName: 'Concurrent Requests',
			name: 'concurrency',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 50 },
			default: 8,
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
	],
});
