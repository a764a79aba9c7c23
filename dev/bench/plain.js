/** Floor of the benchmark: the same work in a plain loop, without n8n. */
const { default: axios } = require('axios');
const { KEY, RANGE } = require('./workflows');

/** @typedef {{ user_id: string }} ListedUser */
/** @typedef {{ groups: Record<string, Array<{ data: object[], source: object }>>, next_cursor?: string | null }} Page */

/** @param {string} url @param {object} params */
const byAxios = async (url, params) => (await axios.get(url, { params, headers: { 'x-service-api-key': KEY } })).data;

/** @param {Page} page */
const rowsOf = ({ groups }) =>
	Object.values(groups)
		.flat()
		.flatMap(({ data, source }) => data.map((point) => ({ ...point, ...source })));

/**
 * @param {string} baseUrl
 * @param {number} [atOnce] requests in flight
 * @param {(url: string, query: object) => Promise<any>} [send]
 */
const plain = (baseUrl, atOnce = 8, send = byAxios) => {
	const list = async (/** @type {number} */ offset) => await send(`${baseUrl}/v2/user`, { limit: 500, offset });
	/** @param {string} userId @param {object} query @returns {Promise<Page>} */
	const read = async (userId, query) => await send(`${baseUrl}/v2/timeseries/${userId}/blood_pressure/grouped`, query);
	return {
		/** @returns {Promise<ListedUser[]>} */
		async listUsers() {
			const first = await list(0);
			const offsets = Array.from({ length: Math.ceil(first.total / 500) - 1 }, (_, i) => (i + 1) * 500);
			return [first, ...(await pool(offsets, 8, list))].flatMap(({ users }) => users);
		},
		/** One page of each. @param {ListedUser[]} users @param {object} [query] */
		readAll: async (users, query = RANGE) =>
			(await pool(users, atOnce, async ({ user_id }) => rowsOf(await read(user_id, query)))).flat(),
		/** All pages of one. @param {string} userId */
		async readPages(userId) {
			const rows = [];
			let next_cursor;
			do {
				/** @type {Page} */
				const page = await read(userId, { ...RANGE, next_cursor });
				rows.push(...rowsOf(page));
				({ next_cursor } = page);
			} while (next_cursor);
			return rows;
		},
	};
};

/** @template T, R @param {T[]} things @param {number} width @param {(thing: T) => Promise<R>} work @returns {Promise<R[]>} */
async function pool(things, width, work) {
	const results = new Array(things.length);
	let next = 0;
	const worker = async () => {
		for (let at = next++; at < things.length; at = next++) results[at] = await work(things[at]);
	};
	await Promise.all(Array.from({ length: width }, worker));
	return results;
}

module.exports = { plain };
