import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { connect, TRIES_WHILE_TYPING } from '../shared/connection';
import { MOST_USERS_PER_PAGE, userPages } from '../shared/paging';
import { connectedSources } from '../shared/users';

/** The users whose client user ID contains `filter`, one page of the team's list at a time. */
export async function searchUsers(
	this: ILoadOptionsFunctions,
	filter = '',
	paginationToken = '0',
): Promise<INodeListSearchResult> {
	const offset = Number(paginationToken);
	const get = await connect(this, { tries: TRIES_WHILE_TYPING });
	const page = await userPages(get, { offset, most: MOST_USERS_PER_PAGE }).next();
	if (page.done) return { results: [] };

	const wanted = filter.trim().toLowerCase();
	return {
		results: page.value
			.filter(({ client_user_id }) => String(client_user_id).toLowerCase().includes(wanted))
			.map((user) => ({ name: label(user), value: String(user.user_id) })),
		paginationToken: String(offset + page.value.length),
	};
}

function label(user: IDataObject): string {
	const sources = connectedSources(user).map(({ name }) => name);
	return [user.client_user_id, ...(sources.length ? [`(${sources.join(', ')})`] : [])].join(' ');
}
