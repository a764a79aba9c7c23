/**
 * User → Resolve: one user by the client's own identifier (contract 4.4).
 */
import type {
	DeclarativeRestApiSettings,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { connect } from '../../http/connect';
import { CONCURRENT_REQUESTS, gateOf } from '../../http/gate';
import { linkedItems } from '../perItem';
import { runOf } from '../../fields/oncePerRun';
import { isSimplified, simpleUser, simplifyField } from '../../fields/simplify';
import { noSuchClientUser, resolveUser } from '../../service/users';

const show = { resource: ['user'], operation: ['resolve'] };

export const resolveOperation: INodePropertyOptions = {
	name: 'Resolve',
	value: 'resolve',
	action: 'Resolve user by client user ID',
	description: 'Find one user by the identifier that your own application gave to them',
	routing: {
		request: { method: 'GET', url: '/v2/user/resolve/{client_user_id}' },
		send: { paginate: true },
		operations: { pagination: oneUser },
	},
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
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show },
		options: [
			{
				displayName: 'When Not Found',
				name: 'whenNotFound',
				type: 'options',
				default: 'error',
				description: 'What to do when no user has this identifier',
				options: [
					{ name: 'Return No Item', value: 'empty' },
					{ name: 'Stop With an Error', value: 'error' },
				],
			},
		],
	},
];

/** A single request, made in n8n's pagination hook because only there can errors be linked to their item. */
async function oneUser(
	this: IExecutePaginationFunctions,
	{ options }: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	return await linkedItems(this, async () => {
		const get = await connect(this, { defaults: options, gate: gateOf(runOf(this), CONCURRENT_REQUESTS) });
		const user = await resolveUser(get, this.getNodeParameter('clientUserId'));
		if (user) return [isSimplified(this) ? simpleUser(user) : user];
		if (this.getNodeParameter('options.whenNotFound', 'error') === 'empty') return [];
		throw noSuchClientUser();
	});
}
