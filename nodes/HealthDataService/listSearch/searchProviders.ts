/**
 * Provider picker: the providers that users on a sample of the user list have connected. A file of its own, as for each picker.
 */
import { connectedSources, userPage, type UserPage } from '../service/users';
import { MAX_PAGES, picker, hintRow } from './picker';

/** Needed because the editor cannot clear a picked value. */
const ALL_PROVIDERS = { name: 'All Providers', value: '' };

/** Returns no token: with one, the editor requests pages until the list can be scrolled, which may read the whole team. */
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

/** Offsets of the other pages: evenly spread over the list, or consecutive if its length is unknown. */
function spread({ users: { length: size }, total = MAX_PAGES * size }: UserPage): number[] {
	if (size === 0) return [];
	const others = Math.min(MAX_PAGES, Math.ceil(total / size)) - 1;
	return Array.from({ length: others }, (_, i) => Math.floor(((i + 1) * (total - size)) / others));
}

const moreProvidersHint = (read: number) =>
	hintRow(`Another one? Use By Slug (${read.toLocaleString('en')} users looked at)`);
