/**
 * User → List: the team's users, one item each (contract 4.3).
 */
import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { connect } from '../../http/connect';
import { CONCURRENT_REQUESTS, gateOf } from '../../http/gate';
import { readMost, returnAllAndLimit, text, wholeNumber } from '../../fields/limit';
import { linkedItems, stopAtTooManyRows } from '../perItem';
import { userPages } from '../../service/userPages';
import { runOf } from '../../fields/oncePerRun';
import { isSimplified, notes, simpleUser, simplifyField } from '../../fields/simplify';
import { isConnectedTo } from '../../service/users';

const show = { resource: ['user'], operation: ['list'] };

export const listOperation: INodePropertyOptions = {
	name: 'List',
	value: 'list',
	action: 'List users',
	description: 'Retrieve the users of your team with their connected sources',
	routing: {
		request: { method: 'GET', url: '/v2/user' },
		send: { paginate: true },
		operations: { pagination: offsetPagination },
	},
};

export const listFields: INodeProperties[] = [
	...returnAllAndLimit(show),
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
				displayName: 'Connected Provider',
				name: 'provider',
				type: 'string',
				default: '',
				placeholder: 'e.g. omron',
				description: 'Keep only users who have connected this provider, given by its slug',
			},
			{
				displayName: 'Skip First Users',
				name: 'offset',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 0,
				description: 'How many users to leave out at the start of the list',
			},
		],
	},
];

/** Offset paging: as many pages of the user list as it takes to have what was asked for. */
async function offsetPagination(
	this: IExecutePaginationFunctions,
	{ options }: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	return await linkedItems(this, async () => {
		const most = readMost(this);
		const provider = text(this.getNodeParameter('options.provider', '')).trim();
		const offset = wholeNumber(this.getNodeParameter('options.offset', 0), 'Skip First Users', 0);

		const get = await connect(this, { defaults: options, gate: gateOf(runOf(this), CONCURRENT_REQUESTS) });
		const users: IDataObject[] = [];
		// With a filter nobody knows how many users it takes: only those that stay count.
		const window = provider ? { offset, ahead: most === Infinity ? undefined : 0 } : { offset, most };
		for await (const page of userPages(get, window)) {
			for (const user of page) {
				if (users.length < most && (!provider || isConnectedTo(user, provider))) users.push(user);
			}
			stopAtTooManyRows(users.length);
			if (users.length >= most) break;
		}
		return isSimplified(this) ? [...users.map(simpleUser), ...notes(users.length, most, provider)] : users;
	});
}
