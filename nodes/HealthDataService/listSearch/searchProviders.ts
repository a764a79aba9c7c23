/**
 * The picker of providers: those that users of the team have connected, as far as a few pages of the user list show them.
 */
import { userPage, type UserPage } from '../service/userPages';
import { connectedSources } from '../service/users';
import { MAX_PAGES, picker, hintRow } from './picker';

/** The only way back: the editor cannot empty a field that was picked from a list. */
const ALL_PROVIDERS = { name: 'All Providers', value: '' };

/** Never gives a token: the editor would go on by itself until there is enough to scroll, which is through the whole team. */
export const searchProviders = picker(async (get, filter) => {
	const first = await userPage(get, 0);
	const pages = [first, ...(await Promise.all(spread(first).map(async (offset) => await userPage(get, offset))))];
	const users = pages.flatMap((page) => page.users);
	const names = new Map(users.flatMap(connectedSources).map(({ slug, name }) => [slug, name]));

	const wanted = filter.toLowerCase();
	const results = [...names]
		.map(([slug, name]) => ({ name: name === slug ? slug : `${name} (${slug})`, value: slug }))
		.filter(({ name }) => name.toLowerCase().includes(wanted))
		.sort((a, b) => a.name.localeCompare(b.name));
	if (filter === '') results.unshift(ALL_PROVIDERS);
	const isSample = first.total === undefined ? pages.at(-1)!.users.length > 0 : first.total > users.length;
	return { results: isSample ? [...results, moreProvidersHint(users.length)] : results };
});

/** Where the other pages begin, so that all of them lie evenly over the list; one after the other where its length is unknown. */
function spread({ users: { length: size }, total = MAX_PAGES * size }: UserPage): number[] {
	if (size === 0) return [];
	const others = Math.min(MAX_PAGES, Math.ceil(total / size)) - 1;
	return Array.from({ length: others }, (_, i) => Math.floor(((i + 1) * (total - size)) / others));
}

const moreProvidersHint = (read: number) =>
	hintRow(`Another one? Use By Slug (${read.toLocaleString('en')} users looked at)`);
