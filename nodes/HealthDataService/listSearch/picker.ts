/**
 * What the pickers of users and of providers have in common: the connection, and errors that the editor can show.
 */
import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { connect, type Get } from '../http/client';
import { RequestQueue } from '../http/requestQueue';
import { SHORT_RETRY } from '../http/retry';
import { toNodeError } from '../shared/problem';

/** Pages of the user list that one call may read: some services allow ten requests a minute. */
export const MAX_PAGES = 3;

type Search = (get: Get, filter: string, paginationToken?: string) => Promise<INodeListSearchResult>;

/** `search` as n8n calls it: while somebody types, and again with the token of the last result when they scroll to its end. */
export function picker(search: Search) {
	return async function (this: ILoadOptionsFunctions, filter = '', paginationToken?: string) {
		try {
			const get = await connect(this, { ...SHORT_RETRY, queue: new RequestQueue({ concurrency: MAX_PAGES }) });
			return await search(get, filter.trim(), paginationToken);
		} catch (error) {
			throw toNodeError(this.getNode(), error, { isPicker: true });
		}
	};
}

/**
 * A row that says something instead of being a choice: picking it leaves the field blank. Not quite empty, because the editor
 * shows one row of each value, and that of an empty field as the one that was picked.
 */
export const hintRow = (name: string): INodeListSearchItems => ({ name, value: ' ' });
