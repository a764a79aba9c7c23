/**
 * User: a single one, picked from the list or named by an identifier. What a row of the list says stands here, since the saved
 * workflow keeps it beside the user ID.
 */
import type { IDataObject, IDisplayOptions, INodeProperties } from 'n8n-workflow';
import { connectedSources, isClientUserId, isUserId, UUID } from '../service/users';
import type { UserIdentifier } from '../service/userSelection';
import { Problem } from '../shared/problem';
import { isBlank, text, unusable, whatCame } from '../shared/values';
import { readClientUserId } from './clientUserId';
import { readLocator, type FieldContext } from './locator';

/** Not `required`: where "Users" is an expression n8n shows it, and would refuse to start with it empty. */
export const userField = (show: IDisplayOptions['show']): INodeProperties => ({
	displayName: 'User',
	name: 'user',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'The user whose readings are retrieved',
	displayOptions: { show },
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

const ADVICE =
	"A user ID looks like 3f1c0a52-8d0e-4b57-9f43-5a2c8a6f1e90; User → List and User → Resolve give it. To use your own identifier, set 'User' to By Client User ID";

/** @throws Problem for what cannot be an identifier: a path is built from it */
export function readUser(context: FieldContext): UserIdentifier {
	const { mode, value, cachedResultName } = readLocator(context, 'user');
	if (mode === 'clientUserId') return { by: 'clientUserId', id: readClientUserId(value) };

	if (isBlank(value)) throw new Problem("'User' is empty", ADVICE + whatCame(value));
	const id = typeof value === 'string' ? value.trim() : '';
	if (!isUserId(id)) throw unusable('User', 'a user ID', value, ADVICE);
	const shownAs = mode === 'list' ? shownIn(cachedResultName, id) : undefined;
	return { by: 'userId', id, ...(shownAs !== undefined && { shownAs }) };
}

/** `app-user-0042 (Omron, Withings)`: the last bracket holds the sources, and no other. */
export function rowOf(user: IDataObject): string {
	const sources = connectedSources(user).map(({ name }) => name.replaceAll('(', '[').replaceAll(')', ']'));
	const id = text(user.client_user_id) || String(user.user_id);
	return sources.length ? `${id} (${sources.join(', ')})` : id;
}

/** What stands before the last bracket: likely a client user ID, unless it is the user ID itself. */
function shownIn(row: unknown, userId: string): string | undefined {
	if (typeof row !== 'string') return undefined;
	const id = row.endsWith(')') && row.includes(' (') ? row.slice(0, row.lastIndexOf(' (')) : row;
	return isClientUserId(id) && !id.endsWith(userId) ? id : undefined;
}
