/**
 * User → List: the team's users, one item each (contract 4.3).
 */
import type { IDataObject, IExecutePaginationFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { optionsField, readLimit, readOption, readSkip, returnAllAndLimit, skipField } from '../../fields/options';
import { toSlug } from '../../fields/provider';
import { isSimplified, limitNotes, simpleUser, simplifyField } from '../../fields/simplify';
import { userRow } from '../../service/readings';
import { userPages, type ListSlice } from '../../service/userPaginator';
import { isConnectedTo } from '../../service/users';
import { itemLimit, routingOf, runOf, type Connect } from '../operation';

const show = { resource: ['user'], operation: ['list'] };

export const listOperation: INodePropertyOptions = {
	name: 'List',
	value: 'list',
	action: 'List users',
	description: 'Retrieve the users of your team with their connected sources',
	routing: routingOf('/v2/user', listUsers),
};

export const listFields: INodeProperties[] = [
	...returnAllAndLimit(show, "What exceeds this is left out. Turn on 'Return All' to get everything."),
	simplifyField(show),
	optionsField(show, [
		{
			displayName: 'Connected Provider',
			name: 'provider',
			type: 'string',
			default: '',
			placeholder: 'e.g. omron',
			description:
				'Keep only users who have connected this provider, given by its slug. If no user has, no item comes out.',
		},
		skipField('offset'),
	]),
];

const READ_IN_PARTS =
	"Read the list in parts, an input item for each: 'Return All' off, 'Limit' 100,000 at most, and 'Skip First Users' in the options";

async function listUsers(context: IExecutePaginationFunctions, connectRun: Connect): Promise<IDataObject[]> {
	const limit = itemLimit(readLimit(context), READ_IN_PARTS);
	const slug = readOption(context, 'provider', '', (value) => toSlug(value, 'Connected Provider'));
	const provider = runOf(context).providerCheck(slug);
	const offset = readSkip(context, 'offset');
	const isSimple = isSimplified(context);

	const read: IDataObject[] = [];
	const onTotal = (users: number) => void limit.isReached(users);
	// With a filter, the number of users to read is unknown: only the matching ones count.
	const slice: ListSlice = slug ? { offset, isLazy: limit.mayEndEarly } : { offset, limit: limit.maximum, onTotal };
	for await (const { users } of userPages(provider.watching(await connectRun()), slice)) {
		for (const user of users) {
			if (!slug || isConnectedTo(user, slug)) read.push(user);
		}
		if (limit.isReached(read.length)) break;
	}
	const kept = limit.keep(read);
	return [...kept.map(isSimple ? simpleUser : userRow), ...limitNotes(context, kept.length, limit.maximum, slug)];
}
