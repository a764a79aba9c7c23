/**
 * Identified By: whether listed users are named by the service's identifiers or by the client's own.
 */
import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import type { UserIdentifier } from '../service/userSelection';
import { toChoice } from '../shared/values';
import type { FieldContext } from './locator';

const USER_ID: UserIdentifier['by'] = 'userId';

const KINDS = [
	{
		name: 'Client User ID',
		value: 'clientUserId' as const,
		description: 'The identifiers that your own application gave to the users',
	},
	{ name: 'User ID', value: USER_ID, description: 'The identifiers that the Health Data Service gave to the users' },
];

export const usersByField = (show: IDisplayOptions['show']): INodeProperties => ({
	displayName: 'Identified By',
	name: 'usersBy',
	type: 'options',
	default: USER_ID,
	description: "Which identifiers the list in 'User IDs' holds",
	displayOptions: { show },
	options: KINDS,
});

export function readUsersBy(context: FieldContext): UserIdentifier['by'] {
	const values = KINDS.map(({ value }) => value);
	return toChoice(context.getNodeParameter('usersBy', USER_ID), 'Identified By', values);
}
