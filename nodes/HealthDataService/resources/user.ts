/**
 * Resource User: List, the team's users, one item each (contract 4.3), and Resolve, one user by the client's own identifier
 * (contract 4.4).
 */
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { optionsField, readOption, shownIf } from '../fields/field';
import {
	providerField,
	readLimit,
	readProvider,
	readWhenNotFound,
	returnAllAndLimit,
	skipField,
	whenNotFoundField,
} from '../fields/options';
import {
	isSimplified,
	limitNote,
	simpleUser,
	simplifyField,
} from '../fields/simplify';
import { readClientUserId } from '../fields/users';
import { withServiceFields } from '../service/readings/rows';
import type { ListSlice } from '../service/users/list';
import { wholeTeam } from '../service/users/selection';
import { noSuchClientUser, resolveUser } from '../service/users/users';
import { wholeNumber } from '../shared/values';
import {
	itemLimit,
	routingOf,
	unknownProvider,
	type Execute,
} from './operation';

const connectedField: INodeProperties = {
	...providerField,
	displayName: 'Connected Provider',
	description:
		'Only users who have connected this provider. Leave empty, or pick All Providers, for all users.',
};

const listFields: INodeProperties[] = [
	...returnAllAndLimit(
		"What exceeds this is left out. Turn on 'Return All' to get everything.",
	),
	simplifyField,
	optionsField([connectedField, skipField]),
];

const userRow = (user: IDataObject) => withServiceFields({}, user);

const READ_IN_PARTS =
	"Read the list in parts, an input item for each: 'Return All' off, 'Limit' 100,000 at most, and 'Skip First Users' in the options";

const FEWER_USERS =
	'Skip these users, or ask for those of one provider or for one user';

const listUsers: Execute = async (context, connectRun) => {
	const limit = itemLimit(readLimit(context), READ_IN_PARTS);
	const slug = readProvider(
		context,
		'options.provider',
		connectedField.displayName,
	);
	const offset = readOption(context, skipField, 0, wholeNumber);
	const isSimple = isSimplified(context);

	const read: IDataObject[] = [];
	// With a filter, the number of users to read is unknown: only the matching ones count.
	const slice: ListSlice = slug
		? { offset, isLazy: limit.mayEndEarly }
		: { offset, maxUsers: limit.maxRows };
	const connection = await connectRun();
	const team = wholeTeam({ ...slice, connectedTo: slug });
	for await (const { record = {} } of team.users(connection.get)) {
		read.push(record);
		if (limit.isReached(read.length)) break;
	}
	if (slug && read.length === 0) {
		const problem = await unknownProvider(
			connection,
			slug,
			connectedField.displayName,
		);
		if (problem) throw problem;
	}
	const notes = limitNote(context, read.length, limit.maxRows, FEWER_USERS);
	return [...read.map(isSimple ? simpleUser : userRow), ...notes];
};

const resolveFields: INodeProperties[] = [
	{
		displayName: 'Client User ID',
		name: 'clientUserId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. app-user-0042',
		description: 'The identifier that your own application gave to the user',
	},
	simplifyField,
	optionsField([
		{
			...whenNotFoundField,
			description: 'What to do when no user has this identifier',
		},
	]),
];

/** One request, in n8n's pagination hook because only there errors can be linked to their item. */
const resolve: Execute = async (context, connectRun) => {
	const clientUserId = readClientUserId(
		context.getNodeParameter('clientUserId'),
	);
	const whenNotFound = readWhenNotFound(context);
	const isSimple = isSimplified(context);
	const user = await resolveUser((await connectRun()).get, clientUserId);
	if (user) return [isSimple ? simpleUser(user) : userRow(user)];
	if (whenNotFound === 'error') throw noSuchClientUser();
	return [];
};

const operations = [
	{
		name: 'List',
		value: 'list',
		action: 'List users',
		description: 'Retrieve the users of your team with their connected sources',
		routing: routingOf('/v2/user', listUsers),
	},
	{
		name: 'Resolve',
		value: 'resolve',
		action: 'Resolve user by client user ID',
		description:
			'Find one user by the identifier that your own application gave to them',
		routing: routingOf('/v2/user/resolve/{client_user_id}', resolve),
	},
];

const operationField: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	options: operations,
	default: 'list',
};

export const userDescription = shownIf({ resource: ['user'] }, [
	operationField,
	...shownIf({ operation: ['list'] }, listFields),
	...shownIf({ operation: ['resolve'] }, resolveFields),
]);
