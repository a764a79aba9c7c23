/**
 * Users: whose readings. The fields that name them stand in files of their own.
 */
import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import { toChoice } from '../shared/values';
import type { FieldContext } from './locator';
import { userField } from './user';
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
	userField({ ...show, userScope: [ONE_USER] }),
	usersByField({ ...show, userScope: ['listed'] }),
	userIdsField({ ...show, userScope: ['listed'] }),
];

/** Who is meant: the one of `readUser`, those of `readUserIds`, or everybody. */
export function readUserScope(context: FieldContext): UserScope {
	const values = SCOPES.map(({ value }) => value);
	return toChoice(context.getNodeParameter('userScope', ONE_USER), 'Users', values);
}
