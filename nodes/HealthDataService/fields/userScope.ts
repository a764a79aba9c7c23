/**
 * Users and User: whose readings. The fields of a list of users stand in files of their own.
 */
import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import { isUserId, UUID } from '../service/users';
import type { NamedUser } from '../service/usersToRead';
import { Problem } from '../shared/problem';
import { isBlank, toChoice, unusable, whatCame } from '../shared/values';
import { readClientUserId } from './clientUserId';
import { readLocator, type FieldContext } from './locator';
import { userIdsField } from './userIds';
import { usersByField } from './usersBy';

export type UserScope = 'one' | 'listed' | 'all';

const ONE_USER: UserScope = 'one';

const SCOPES: Array<{ name: string; value: UserScope; description: string }> = [
	{ name: 'All Users', value: 'all', description: 'The readings of every user of your team' },
	{ name: 'Listed Users', value: 'listed', description: 'The readings of the users in a list' },
	{ name: 'One User', value: ONE_USER, description: 'The readings of a single user' },
];

type Show = IDisplayOptions['show'];

/** "Users" and what names them: "User" for a single one, "Identified By" and "User IDs" for a list. */
export const userFields = (show: Show): INodeProperties[] => [
	{
		displayName: 'Users',
		name: 'userScope',
		type: 'options',
		default: ONE_USER,
		description: 'Whose readings to retrieve',
		displayOptions: { show },
		options: SCOPES,
	},
	userField(show),
	usersByField({ ...show, userScope: ['listed'] }),
	userIdsField({ ...show, userScope: ['listed'] }),
];

/** Not `required`: where "Users" is an expression n8n shows it, and would refuse to start with it empty. */
const userField = (show: Show): INodeProperties => ({
	displayName: 'User',
	name: 'user',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'The user whose readings are retrieved',
	displayOptions: { show: { ...show, userScope: [ONE_USER] } },
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

/** Who is meant: the one of `readUser`, those of `readUserIds`, or everybody. */
export function readUserScope(context: FieldContext): UserScope {
	const values = SCOPES.map(({ value }) => value);
	return toChoice(context.getNodeParameter('userScope', ONE_USER), 'Users', values);
}

const ADVICE =
	"A user ID looks like 3f1c0a52-8d0e-4b57-9f43-5a2c8a6f1e90; User → List and User → Resolve give it. To use your own identifier, set 'User' to By Client User ID";

/** @throws Problem for what cannot be an identifier: a path is built from it */
export function readUser(context: FieldContext): NamedUser {
	const { mode, value } = readLocator(context, 'user');
	if (mode === 'clientUserId') return { by: 'clientUserId', id: readClientUserId(value) };

	if (isBlank(value)) throw new Problem("'User' is empty", ADVICE + whatCame(value));
	const id = typeof value === 'string' ? value.trim() : '';
	if (isUserId(id)) return { by: 'userId', id };
	throw unusable('User', 'a user ID', value, ADVICE);
}
