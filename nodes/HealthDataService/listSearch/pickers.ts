/** Pickers: the lists of users and of providers, read from the user list, because the service has no search. */
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { pickerRow } from '../fields/users';
import { connect, type Get } from '../http/client';
import { RequestQueue } from '../http/requestQueue';
import { SHORT_RETRY } from '../http/retry';
import { userPages } from '../service/users/list';
import {
	connectedSources,
	isUserId,
	resolveUser,
} from '../service/users/users';
import {
	ignoreProblem,
	logFault,
	toNodeError,
	type Problem,
} from '../shared/problem';

/** Maximum pages of the user list per call: some services allow ten requests a minute. The last one may only show the end. */
const MAX_PAGES = 4;

interface Picker {
	rowsOf: (users: IDataObject[]) => INodeListSearchItems[];
	/** Finds a user by the whole text, wherever the list has the user. */
	find?: (get: Get, text: string) => Promise<IDataObject | undefined>;
	/** What to do where the first users of the list lack a row. */
	advice: string;
}

/** A search as n8n calls it, with the typed text. */
function picker({ rowsOf, find, advice }: Picker) {
	return async function (
		this: ILoadOptionsFunctions,
		filter = '',
	): Promise<INodeListSearchResult> {
		try {
			const queueOf = () => new RequestQueue({ concurrency: 1 });
			const get = await connect(this, { ...SHORT_RETRY, queueOf });
			const text = filter.trim();
			const found = await find?.(get, text);
			if (found) return { results: rowsOf([found]) };

			const { users, isAll } = await firstUsers(get);
			const results = rowsOf(users).filter((row) =>
				isMatch(row, text.toLowerCase()),
			);
			if (!isAll) {
				const name = `${advice} (first ${users.length.toLocaleString('en')} searched)`;
				// Picked, this leaves the field blank. The editor marks a row with an empty value as picked in an empty field.
				results.push({ name, value: ' ' });
			}
			return { results };
		} catch (error) {
			logFault(this, error);
			throw toNodeError(this.getNode(), error, { isPicker: true });
		}
	};
}

async function firstUsers(get: Get) {
	let users: IDataObject[] = [];
	let isAll = false;
	let pages = 0;
	for await (const page of userPages(get, { isLazy: true })) {
		users = users.concat(page.users);
		isAll = page.isLast;
		pages++;
		if (pages === MAX_PAGES) break;
	}
	return { users, isAll };
}

const isMatch = ({ name, value }: INodeListSearchItems, wanted: string) =>
	name.toLowerCase().includes(wanted) || String(value).toLowerCase() === wanted;

export const searchUsers = picker({
	rowsOf(users) {
		const rows = users.map((user) => ({
			name: pickerRow(user),
			value: String(user.user_id),
		}));
		return rows.filter(({ value }) => isUserId(value));
	},
	async find(get, text) {
		// A 404 of this `get` does not check the Base URL: the list is requested next.
		const getOnly: Get = async (path) => await get(path);
		return await resolveUser(getOnly, text).catch(ignoreNoMatch);
	},
	advice: 'Type the whole client user ID',
});

/** Of a partial identifier, which the service may reject, or which cannot be one: then the list is searched. */
function ignoreNoMatch(error: Problem) {
	if (error.isTransient || error.kind === 'credential-invalid') throw error;
	return ignoreProblem(error);
}

/** Needed because the editor cannot clear a picked value. */
const ALL_PROVIDERS = { name: 'All Providers', value: '' };

export const searchProviders = picker({
	rowsOf(users) {
		const sources = users.flatMap(connectedSources);
		const names = new Map(sources.map(({ slug, name }) => [slug, name]));
		const shown = [...names].filter(([slug]) => !isExpression(slug));
		const rows = shown.map(([slug, name]) => ({
			name: providerRow(slug, name),
			value: slug,
		}));
		rows.sort((a, b) => a.name.localeCompare(b.name));
		return [ALL_PROVIDERS, ...rows];
	},
	advice: 'Another one? Use By ID',
});

/** n8n evaluates a picked value that begins with `=`, so that a service could read data of other nodes. */
const isExpression = (value: string) => value.startsWith('=');

const providerRow = (slug: string, name: string) =>
	name === slug || isExpression(name) ? slug : `${name} (${slug})`;
