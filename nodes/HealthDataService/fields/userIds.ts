/**
 * User IDs: a list as text, as JSON in a text, or from an expression, and what may stand in it. An error tells the place in the
 * list, never what stands there: it may tell who it is.
 */
import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import { isClientUserId, isUserId } from '../service/users';
import type { ListEntry, UserIdentifier } from '../service/userSelection';
import { Problem } from '../shared/problem';
import { isBlank, isText, text, toText, whatCame } from '../shared/values';
import type { FieldContext } from './locator';

const FIELD = 'User IDs';

/** As many as one input item may name: n8n holds all of their rows in memory at once. */
const MAX_USERS = 10_000;

export const userIdsField = (show: IDisplayOptions['show']): INodeProperties => ({
	displayName: FIELD,
	name: 'userIds',
	type: 'string',
	typeOptions: { rows: 3 },
	default: '',
	placeholder: 'e.g. 3f1c0a52-8d0e-4b57-9f43-5a2c8a6f1e90, 8a7e…',
	description: `The users, separated by commas or lines, or a list from an expression. At most ${MAX_USERS.toLocaleString('en')}.`,
	displayOptions: { show },
});

/** How entries are told apart in a text. A client user ID may hold blanks and semicolons. */
const SEPARATORS = { userId: /[\s,;]+/, clientUserId: /[,\r\n]+/ };

const ADVICE = {
	userId:
		"A user ID looks like 3f1c0a52-8d0e-4b57-9f43-5a2c8a6f1e90; User → List and User → Resolve give it. To use your own identifiers, set 'Identified By' to Client User ID",
	clientUserId: 'Enter the identifiers that your application gave to the users, separated by commas or lines',
};

/**
 * Each user once, in the order given.
 *
 * @throws Problem for an entry that no request can ask for, for none at all, and for too many
 */
export function readUserIds(context: FieldContext, by: UserIdentifier['by']): ListEntry[] {
	const entries = entriesOf(context.getNodeParameter('userIds', ''), by);
	const distinct = new Map<string, ListEntry>();
	entries.forEach((entry, index) => {
		const id = by === 'userId' ? toUserId(entry, index + 1) : toClientUserId(entry, index + 1);
		const same = by === 'userId' ? id.toLowerCase() : id;
		if (!distinct.has(same)) distinct.set(same, { id, at: index + 1 });
	});
	if (distinct.size === 0) throw new Problem(`'${FIELD}' is empty`, ADVICE[by]);
	if (distinct.size > MAX_USERS) throw tooMany();
	return [...distinct.values()];
}

function entriesOf(value: unknown, by: UserIdentifier['by']): unknown[] {
	if (Array.isArray(value)) return value;
	if (isBlank(value)) throw new Problem(`'${FIELD}' is empty`, ADVICE[by] + whatCame(value));
	// One that is a number may be a client's own identifier.
	if (typeof value !== 'string') return [toText(value, FIELD, ADVICE[by])];
	return jsonList(value) ?? splitText(value, SEPARATORS[by]);
}

const splitText = (value: string, separator: RegExp) =>
	value
		.split(separator)
		.map((entry) => entry.trim())
		.filter(Boolean);

/** What AI agents write, and what an expression in a text makes of `JSON.stringify`. */
function jsonList(value: string): unknown[] | undefined {
	if (!value.trimStart().startsWith('[')) return undefined;
	try {
		return JSON.parse(value) as unknown[];
	} catch {
		return undefined;
	}
}

function toUserId(entry: unknown, at: number): string {
	const id = typeof entry === 'string' ? entry.trim() : '';
	if (isUserId(id)) return id;
	throw wrongEntry(at, 'a user ID', entry, ADVICE.userId);
}

function toClientUserId(entry: unknown, at: number): string {
	const id = isText(entry) ? text(entry) : '';
	if (isClientUserId(id)) return id;
	throw wrongEntry(at, 'an identifier', entry, ADVICE.clientUserId);
}

const wrongEntry = (at: number, expected: string, entry: unknown, advice: string) =>
	new Problem(`Entry ${at} of '${FIELD}' is not ${expected}`, advice + whatCame(entry));

const tooMany = () =>
	new Problem(
		`'${FIELD}' has more than ${MAX_USERS.toLocaleString('en')} users`,
		'Share them between several input items',
	);
