/**
 * Users fields: Users, User, Identified By and User IDs. Errors name the position of an entry, never the entry: a client user ID
 * may identify a person.
 */
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { ListEntry, UserIdentifier } from '../service/users/selection';
import { connectedSources, isClientUserId, isUserId, UUID } from '../service/users/users';
import { Problem } from '../shared/problem';
import {
	emptyField,
	isBlank,
	isText,
	text,
	toEntries,
	toText,
	unusable,
	whatCame,
} from '../shared/values';
import { readField, shownIf, toChoiceOf, type FieldContext } from './field';
import { readLocator } from './locator';

export type UserScope = 'one' | 'listed' | 'all';

/** The default, so that the first run shows rows. */
const ALL_USERS: UserScope = 'all';

const SCOPES: Array<{ name: string; value: UserScope; description: string }> = [
	{
		name: 'All Users',
		value: ALL_USERS,
		description: 'The readings of every user of your team',
	},
	{
		name: 'Listed Users',
		value: 'listed',
		description: 'The readings of the users in a list',
	},
	{ name: 'One User', value: 'one', description: 'The readings of a single user' },
];

const scopeField: INodeProperties = {
	displayName: 'Users',
	name: 'userScope',
	type: 'options',
	default: ALL_USERS,
	description: 'Whose readings to retrieve',
	options: SCOPES,
};

/** `one` means the user of `readUser`, `listed` the users of `readUserIds`, `all` the team. */
export const readUserScope = (context: FieldContext): UserScope =>
	readField(context, scopeField, toChoiceOf(SCOPES)).value;

/** Not `required`: if "Users" is an expression, n8n shows "User" and refuses to start while "User" is empty. */
const userField: INodeProperties = {
	displayName: 'User',
	name: 'user',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'The user whose readings are retrieved',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a user...',
			typeOptions: { searchListMethod: 'searchUsers', searchable: true },
		},
		{
			displayName: 'Client ID',
			name: 'clientUserId',
			type: 'string',
			placeholder: 'e.g. app-user-0042',
			hint: 'The identifier that your own application gave to the user',
		},
		{
			displayName: 'User ID',
			name: 'userId',
			type: 'string',
			placeholder: 'e.g. 3f1c0a52-8d0e-4b57-9f43-5a2c8a6f1e90',
			hint: 'The identifier that the Health Data Service gave to the user',
			validation: [
				{
					type: 'regex',
					properties: {
						regex: `^\\s*${UUID}\\s*$`,
						errorMessage: 'Not a user ID. For your own identifier, choose Client ID',
					},
				},
			],
		},
	],
};

const USER_ID_ADVICE =
	'A user ID looks like 3f1c0a52-8d0e-4b57-9f43-5a2c8a6f1e90; User → List and User → Resolve give it. To use your own';
const USER_ADVICE = `${USER_ID_ADVICE} identifier, set 'User' to Client ID`;

const PICK_USER = "Pick a user from the list, or set 'Users' to All Users";

/** @throws Problem for an identifier that cannot be part of a path */
export function readUser(context: FieldContext): UserIdentifier {
	const { mode, value, cachedResultName, isPicked } = readLocator(context, 'user');
	if (mode === 'clientUserId') return { by: 'clientUserId', id: readClientUserId(value) };

	if (isBlank(value))
		throw emptyField('User', value, mode === 'list' ? PICK_USER : USER_ADVICE);
	const id = typeof value === 'string' ? value.trim() : '';
	if (!isUserId(id)) throw unusable('User', 'a user ID', value, USER_ADVICE);
	const shownAs = mode === 'list' ? shownIn(cachedResultName, id) : undefined;
	return { by: 'userId', id: isPicked ? id : id.toLowerCase(), shownAs };
}

const CLIENT_ID_FIELD = 'Client User ID';
const CLIENT_ID_ADVICE = 'Enter the identifier that your application gave to this user';

/** @throws Problem for an identifier that cannot be part of a path */
export function readClientUserId(value: unknown): string {
	if (isBlank(value)) throw emptyField(CLIENT_ID_FIELD, value, CLIENT_ID_ADVICE);
	const id = toText(value, CLIENT_ID_FIELD, CLIENT_ID_ADVICE);
	if (isClientUserId(id)) return id;
	throw unusable(CLIENT_ID_FIELD, 'an identifier', value, CLIENT_ID_ADVICE);
}

/**
 * A row of the picker, `app-user-0042 (Omron, Withings)`. The saved workflow keeps the row beside the user ID, and `readUser`
 * reads it again: so only the sources are in round brackets.
 */
export function pickerRow(user: IDataObject): string {
	const sources = connectedSources(user).map(({ name }) =>
		name.replaceAll('(', '[').replaceAll(')', ']'),
	);
	const client = text(user.client_user_id);
	// n8n would evaluate a saved label that begins with this.
	const id = client === '' || client.startsWith('=') ? String(user.user_id) : client;
	return sources.length ? `${id} (${sources.join(', ')})` : id;
}

/** The client user ID in a picker row; undefined if the row shows the user ID. */
function shownIn(row: unknown, userId: string): string | undefined {
	if (typeof row !== 'string') return undefined;
	const id =
		row.endsWith(')') && row.includes(' (') ? row.slice(0, row.lastIndexOf(' (')) : row;
	return isClientUserId(id) && !id.toLowerCase().endsWith(userId.toLowerCase())
		? id
		: undefined;
}

const USER_ID: UserIdentifier['by'] = 'userId';

const IDENTIFIERS = [
	{
		name: 'Client User ID',
		value: 'clientUserId' as const,
		description: 'The identifiers that your own application gave to the users',
	},
	{
		name: 'User ID',
		value: USER_ID,
		description: 'The identifiers that the Health Data Service gave to the users',
	},
];

const usersByField: INodeProperties = {
	displayName: 'Identified By',
	name: 'usersBy',
	type: 'options',
	default: USER_ID,
	description: "Which identifiers the list in 'User IDs' holds",
	options: IDENTIFIERS,
};

export const readUsersBy = (context: FieldContext): UserIdentifier['by'] =>
	readField(context, usersByField, toChoiceOf(IDENTIFIERS)).value;

const LIST_FIELD = 'User IDs';

/** For one input item: n8n holds all rows of an item in memory at once. */
const MAX_USERS = 10_000;

const userIdsField: INodeProperties = {
	displayName: LIST_FIELD,
	name: 'userIds',
	type: 'string',
	typeOptions: { rows: 3 },
	default: '',
	placeholder: 'e.g. 3f1c0a52-8d0e-4b57-9f43-5a2c8a6f1e90, 8a7e…',
	description: `The users, separated by commas or lines, or a list from an expression. At most ${MAX_USERS.toLocaleString('en')}.`,
};

/** "Users", "User" for a single user, "Identified By" and "User IDs" for a list. */
export const userFields: INodeProperties[] = [
	scopeField,
	...shownIf({ userScope: ['one'] }, [userField]),
	...shownIf({ userScope: ['listed'] }, [usersByField, userIdsField]),
];

/** A client user ID may contain spaces and semicolons. */
const SEPARATORS = { userId: /[\s,;]+/, clientUserId: /[,\r\n]+/ };

const LIST_ADVICE = {
	userId: `${USER_ID_ADVICE} identifiers, set 'Identified By' to Client User ID`,
	clientUserId:
		'Enter the identifiers that your application gave to the users, separated by commas or lines',
};

/** Without duplicates, in the order given. @throws Problem for an invalid entry, an empty list and a list over the limit */
export function readUserIds(
	context: FieldContext,
	by: UserIdentifier['by'],
): ListEntry[] {
	const distinct = new Map<string, ListEntry>();
	const value = context.getNodeParameter('userIds', '');
	if (isBlank(value)) throw emptyField(LIST_FIELD, value, LIST_ADVICE[by]);
	const entries = toEntries(value, LIST_FIELD, LIST_ADVICE[by], SEPARATORS[by]);
	entries.forEach((entry, index) => {
		const at = index + 1;
		const id = toIdentifier(entry, at, by);
		if (!distinct.has(id)) distinct.set(id, { id, at });
	});
	if (distinct.size === 0) throw new Problem(`'${LIST_FIELD}' is empty`, LIST_ADVICE[by]);
	if (distinct.size <= MAX_USERS) return [...distinct.values()];
	const message = `'${LIST_FIELD}' has more than ${MAX_USERS.toLocaleString('en')} users`;
	throw new Problem(message, 'Share them between several input items');
}

/** A user ID in lower case: a UUID names the same user in either case. */
function toIdentifier(entry: unknown, at: number, by: UserIdentifier['by']): string {
	const id = isText(entry) ? text(entry) : '';
	if (by === 'clientUserId' && isClientUserId(id)) return id;
	if (by === 'userId' && isUserId(id.trim())) return id.trim().toLowerCase();
	const expected = by === 'userId' ? 'a user ID' : 'an identifier';
	throw new Problem(
		`Entry ${at} of '${LIST_FIELD}' is not ${expected}`,
		LIST_ADVICE[by] + whatCame(entry),
	);
}
