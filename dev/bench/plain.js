/**
 * Floor of the comparison: the same work in plain axios, without n8n.
 */
const { default: axios } = require('axios');
const { KEY, RANGE } = require('./workflows');

/** @typedef {{ user_id: string }} ListedUser */
/** @typedef {{ groups: Record<string, Array<{ data: object[], source: object }>>, next_cursor?: string | null }} Page */

/** @param {string} url @param {object} params */
const getByAxios = async (url, params) =>
	(await axios.get(url, { params, headers: { 'x-service-api-key': KEY } })).data;

/**
 * With as many requests at once as ours.
 * @param {string} baseUrl
 * @param {(url: string, params: object) => Promise<any>} getFrom
 */
const plain = (baseUrl, atOnce = 8, getFrom = getByAxios) => {
	/** @param {string} path @param {object} params */
	const get = async (path, params) => await getFrom(baseUrl + path, params);
	/** @returns {Promise<ListedUser[]>} */
	const listUsers = async () => {
		const first = await get('/v2/user', { limit: 500, offset: 0 });
		const offsets = Array.from({ length: Math.ceil(first.total / 500) - 1 }, (_, i) => (i + 1) * 500);
		const others = await pool(offsets, 8, async (offset) => await get('/v2/user', { limit: 500, offset }));
		return [first, ...others].flatMap(({ users }) => users);
	};
	/** @param {Page} page */
	const rowsOf = ({ groups }) =>
		Object.values(groups)
			.flat()
			.flatMap(({ data, source }) => data.map((point) => ({ ...point, ...source })));
	/** @param {ListedUser[]} users @param {object} [query] */
	const readAll = async (users, query = RANGE) =>
		(
			await pool(users, atOnce, async ({ user_id }) =>
				rowsOf(await get(`/v2/timeseries/${user_id}/blood_pressure/grouped`, query)),
			)
		).flat();
	/** @param {string} userId */
	const readPages = async (userId) => {
		/** @type {object[]} */
		const rows = [];
		let next_cursor;
		do {
			/** @type {Page} */
			const page = await get(`/v2/timeseries/${userId}/blood_pressure/grouped`, { ...RANGE, next_cursor });
			rows.push(...rowsOf(page));
			({ next_cursor } = page);
		} while (next_cursor);
		return rows;
	};
	return { get, listUsers, readAll, readPages };
};

/**
 * `work` over all `things`, so many at once.
 * @template T, R
 * @param {T[]} things
 * @param {number} width
 * @param {(thing: T) => Promise<R>} work
 * @returns {Promise<R[]>}
 */
async function pool(things, width, work) {
	const results = new Array(things.length);
	let next = 0;
	const worker = async () => {
		while (next < things.length) {
			const index = next++;
			results[index] = await work(things[index]);
		}
	};
	await Promise.all(Array.from({ length: width }, worker));
	return results;
}

module.exports = { plain };
