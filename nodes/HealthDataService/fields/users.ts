/**
 * Users fields: Users, User, Identified By and User IDs. Errors name the position of an entry, never the entry: a client user ID
 * may identify a person.
 */
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { ListEntry, UserIdentifier } from '../service/users/selection';
import {
	connectedSources,
	isClientUserId,
	isUserId,
	UUID,
} from '../service/users/users';
import { Problem } from '../shared/problem';
import { isBlank, text, toEntries } from '../shared/values';
import {
	readField,
	readLocator,
	shownIf,
	toValueOf,
	type FieldContext,
} from './field';

type UserScope = 'one' | 'listed' | 'all';

const SCOPES = [
	{
		name: 'All Users',
		value: 'all',
		description: 'Every user of your team',
	},
	{
		name: 'Listed Users',
		value: 'listed',
		description: 'The users of a list',
	},
	{
		name: 'One User',
		value: 'one',
		description: 'A single user',
	},
];

const scopeField: INodeProperties = {
	displayName: 'Users',
	name: 'userScope',
	type: 'options',
	// The first run shows rows.
	default: 'all',
	description: 'The users whose readings to read',
	options: SCOPES,
};

/** `one` means the user of `readUser`, `listed` the users of `readUserIds`, `all` the team. */
export const readUserScope = (context: FieldContext): UserScope =>
	readField(context, scopeField, toValueOf(scopeField));

/** Not `required`: if "Users" is an expression, n8n shows "User" and refuses to start while "User" is empty. */
const userField: INodeProperties = {
	displayName: 'User',
	name: 'user',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'The user whose readings to read',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a user...',
			typeOptions: { searchListMethod: 'searchUsers', searchable: true },
		},
		{
			displayName: 'Client User ID',
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
						errorMessage:
							'Not a user ID. For your own identifier, choose Client User ID',
					},
				},
			],
		},
	],
};

const USER_ID_ADVICE =
	'A user ID looks like 3f1c0a52-8d0e-4b57-9f43-5a2c8a6f1e90; User → List and User → Resolve give it. To use your own';
const USER_ADVICE = `${USER_ID_ADVICE} identifier, set 'User' to Client User ID`;

const PICK_USER = "Pick a user from the list, or set 'Users' to All Users";

/** @throws Problem for an identifier that cannot be part of a path */
export function readUser(context: FieldContext): UserIdentifier {
	const { mode, value, label } = readLocator(context, 'user');
	if (mode === 'clientUserId')
		return { by: 'clientUserId', id: readClientUserId(value) };
	const advice = mode === 'list' && isBlank(value) ? PICK_USER : USER_ADVICE;
	const id = toIdentifier(value, 'userId', "'User'", advice);
	if (label === undefined) return { by: 'userId', id };
	const picked = String(value);
	const shown = label.replace(SOURCES_OF_ROW, '');
	return {
		by: 'userId',
		id: picked,
		shownAs: shown === picked ? undefined : shown,
	};
}

const CLIENT_ID_ADVICE =
	'Enter the identifier that your application gave to this user';

/** @throws Problem for an identifier that cannot be part of a path */
export const readClientUserId = (value: unknown) =>
	toIdentifier(value, 'clientUserId', "'Client User ID'", CLIENT_ID_ADVICE);

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
	const id =
		client === '' || client.startsWith('=') ? String(user.user_id) : client;
	return `${id} (${sources.join(', ') || 'no source'})`;
}

const SOURCES_OF_ROW = / \([^()]*\)$/;

const usersByField: INodeProperties = {
	displayName: 'Identified By',
	name: 'usersBy',
	type: 'options',
	default: 'userId',
	description: "Which identifiers the list in 'User IDs' holds",
	options: [
		{
			name: 'Client User ID',
			value: 'clientUserId',
			description:
				'The identifiers that your own application gave to the users',
		},
		{
			name: 'User ID',
			value: 'userId',
			description:
				'The identifiers that the Health Data Service gave to the users',
		},
	],
};

const LIST_FIELD = 'User IDs';

/** For one input item: n8n holds all rows of an item in memory at once. */
const MAX_USERS = 10_000;
const MOST_USERS = MAX_USERS.toLocaleString('en');

const userIdsField: INodeProperties = {
	displayName: LIST_FIELD,
	name: 'userIds',
	type: 'string',
	typeOptions: { rows: 3 },
	default: '',
	placeholder: 'e.g. 3f1c0a52-8d0e-4b57-9f43-5a2c8a6f1e90, 8a7e…',
	description: `The users, separated by commas or lines, or a list from an expression. At most ${MOST_USERS}.`,
};

/** "Users", "User" for a single user, "Identified By" and "User IDs" for a list. */
export const userFields: INodeProperties[] = [
	scopeField,
	...shownIf({ userScope: ['one'] }, [userField]),
	...shownIf({ userScope: ['listed'] }, [usersByField, userIdsField]),
];

/** How identifiers are listed, validated and named in errors. */
const IDENTIFIERS = {
	userId: {
		separators: /[\s,;]+/,
		isValid: isUserId,
		noun: 'a user ID',
		listAdvice: `${USER_ID_ADVICE} identifiers, set 'Identified By' to Client User ID`,
	},
	clientUserId: {
		// May contain spaces and semicolons.
		separators: /[,\r\n]+/,
		isValid: isClientUserId,
		noun: 'an identifier',
		listAdvice:
			'Enter the identifiers that your application gave to the users, separated by commas or lines',
	},
};

/**
 * The users of a list, without duplicates, in the order given.
 *
 * @throws Problem for an invalid entry, an empty list and a list over the limit
 */
export function readUserIds(context: FieldContext) {
	const by: UserIdentifier['by'] = readField(
		context,
		usersByField,
		toValueOf(usersByField),
	);
	const { separators, listAdvice } = IDENTIFIERS[by];
	const distinct = new Map<string, ListEntry>();
	const value = context.getNodeParameter('userIds', '');
	toEntries(value, LIST_FIELD, listAdvice, separators).forEach(
		(entry, index) => {
			const at = index + 1;
			const id = toIdentifier(
				entry,
				by,
				`Entry ${at} of '${LIST_FIELD}'`,
				listAdvice,
			);
			if (!distinct.has(id)) distinct.set(id, { id, at });
		},
	);
	if (distinct.size === 0)
		throw new Problem(`'${LIST_FIELD}' is empty`, listAdvice);
	if (distinct.size <= MAX_USERS)
		return { by, entries: [...distinct.values()] };
	const message = `'${LIST_FIELD}' has more than ${MOST_USERS} users`;
	throw new Problem(message, 'Share them between several input items');
}

/** A user ID in lower case: a UUID names the same user in either case. @param subject of the error */
function toIdentifier(
	value: unknown,
	by: UserIdentifier['by'],
	subject: string,
	advice: string,
) {
	const { isValid, noun } = IDENTIFIERS[by];
	const given = text(value);
	const id = by === 'userId' ? given.trim().toLowerCase() : given;
	if (isValid(id)) return id;
	const fault = isBlank(value) ? 'is empty' : `is not ${noun}`;
	throw new Problem(`${subject} ${fault}`, advice);
}
