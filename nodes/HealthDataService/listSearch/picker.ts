/**
 * Picker: the connection and the errors of both searches. A file of its own, because the searches for users and providers use it.
 */
import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { connect, type Get } from '../http/client';
import { RequestQueue } from '../http/requestQueue';
import { SHORT_RETRY } from '../http/retry';
import { toNodeError } from '../shared/problem';

/** Maximum pages of the user list per call: some services allow ten requests a minute. */
export const MAX_PAGES = 3;

type Search = (get: Get, filter: string, paginationToken?: string) => Promise<INodeListSearchResult>;

/** `search` as n8n calls it: with the typed text, and with the token of the last result after scrolling to its end. */
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
 * A row with a message: picking it leaves the field blank. Its value is not empty, because the editor shows one row per value and
 * marks the empty one as picked in an empty field.
 */
export const hintRow = (name: string): INodeListSearchItems => ({ name, value: ' ' });
