/**
 * Whose readings: the fields that node and trigger share.
 */
import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import { UUID } from '../service/users';

type Show = IDisplayOptions['show'];

/** "Users" and, for a single one, "User". */
export const userFields = (show: Show): INodeProperties[] => [
	{
		displayName: 'Users',
		name: 'userScope',
		type: 'options',
		default: 'one',
		description: 'Whose readings to retrieve',
		displayOptions: { show },
		options: [
			{ name: 'All Users', value: 'all', description: 'The readings of every user of your team' },
			{ name: 'One User', value: 'one', description: 'The readings of a single user' },
		],
	},
	userField(show),
];

const userField = (show: Show): INodeProperties => ({
	displayName: 'User',
	name: 'user',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The user whose readings are retrieved',
	displayOptions: { show: { ...show, userScope: ['one'] } },
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a user...',
			typeOptions: { searchListMethod: 'searchUsers', searchable: true },
		},
		{
			displayName: 'By Client User ID',
			name: 'clientUserId',
			type: 'string',
			placeholder: 'e.g. app-user-0042',
			hint: 'The identifier that your own application gave to the user',
		},
		{
			displayName: 'By User ID',
			name: 'userId',
			type: 'string',
			placeholder: 'e.g. 3f1c0a52-8d0e-4b57-9f43-5a2c8a6f1e90',
			hint: 'The identifier that the Health Data Service gave to the user',
			validation: [
				{
					type: 'regex',
					properties: { regex: `^\\s*${UUID}\\s*$`, errorMessage: 'Not a valid user ID' },
				},
			],
		},
	],
});

/** Which source's readings: empty for all. */
export const providerField = (show: Show): INodeProperties => ({
	displayName: 'Provider',
	name: 'provider',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'The source of the readings, such as a wearable. Leave empty for all sources.',
	displayOptions: { show },
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'All providers',
			typeOptions: { searchListMethod: 'searchProviders', searchable: true },
		},
		{
			displayName: 'By Slug',
			name: 'slug',
			type: 'string',
			placeholder: 'e.g. omron',
		},
	],
});
