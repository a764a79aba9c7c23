import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { connect, TRIES_WHILE_TYPING } from '../shared/connection';
import { MOST_USERS_PER_PAGE, userPages } from '../shared/paging';
import { connectedSources } from '../shared/users';

/** The providers that the first users of the team have connected, by display name. */
export async function searchProviders(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
	const get = await connect(this, { tries: TRIES_WHILE_TYPING });
	const page = await userPages(get, { most: MOST_USERS_PER_PAGE }).next();
	const sources = page.done ? [] : page.value.flatMap(connectedSources);
	const names = new Map(sources.map(({ slug, name }) => [slug, name]));

	const wanted = filter.trim().toLowerCase();
	const results = [...names]
		.map(([slug, name]) => ({ name: name === slug ? slug : `${name} (${slug})`, value: slug }))
		.filter(({ name }) => name.toLowerCase().includes(wanted))
		.sort((a, b) => a.name.localeCompare(b.name));
	return { results };
}
