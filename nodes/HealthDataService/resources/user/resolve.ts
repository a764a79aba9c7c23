/**
 * User → Resolve: one user by the client's own identifier (contract 4.4).
 */
import type { IDataObject, IExecutePaginationFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { readClientUserId } from '../../fields/users';
import { optionsField, readWhenNotFound, whenNotFoundField } from '../../fields/options';
import { isSimplified, simpleUser, simplifyField } from '../../fields/simplify';
import { userRow } from '../../service/readings';
import { noSuchClientUser, resolveUser } from '../../service/users';
import { routingOf, type Connect } from '../operation';

const show = { resource: ['user'], operation: ['resolve'] };

export const resolveOperation: INodePropertyOptions = {
	name: 'Resolve',
	value: 'resolve',
	action: 'Resolve user by client user ID',
	description: 'Find one user by the identifier that your own application gave to them',
	routing: routingOf('/v2/user/resolve/{client_user_id}', resolve),
};

export const resolveFields: INodeProperties[] = [
	{
		displayName: 'Client User ID',
		name: 'clientUserId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. app-user-0042',
		description: 'The identifier that your own application gave to the user',
		displayOptions: { show },
	},
	simplifyField(show),
	optionsField(show, [whenNotFoundField('What to do when no user has this identifier')]),
];

/** One request, in n8n's pagination hook because only there errors can be linked to their item. */
async function resolve(context: IExecutePaginationFunctions, connectRun: Connect): Promise<IDataObject[]> {
	const clientUserId = readClientUserId(context.getNodeParameter('clientUserId'));
	const whenNotFound = readWhenNotFound(context);
	const isSimple = isSimplified(context);
	const user = await resolveUser(await connectRun(), clientUserId);
	if (user) return [isSimple ? simpleUser(user) : userRow(user)];
	if (whenNotFound === 'error') throw noSuchClientUser();
	return [];
}
