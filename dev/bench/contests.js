/** Contests of the benchmark between our node, n8n's HTTP Request node and plain axios, with their goals. */
const { plain } = require('./plain');
const { chain, httpRequest, loop, ours } = require('./workflows');

/**
 * @typedef {{ credentialId: string, baseUrl: string, userId: string }} Service
 * @typedef {{ ours: object, http: object, unlimited?: object, axios: () => Promise<object[]> }} Contenders workflows and a function
 * @typedef {{
 *   name: string,
 *   service: import('./service').ServiceOptions,
 *   build: (service: Service) => Promise<Contenders>,
 *   goals: { http?: number, axios?: number },
 * }} Contest `goals`: at least so many times as fast as HTTP Request, at most so many times as slow as axios
 */

const EACH = '(a) 1,000 users, one page each, 20 ms latency, one item for all';
const LISTED = '(f) 1,000 user IDs in one item (Listed Users)';
const PAGES = 200;

/** @param {string} value */
const oneUser = (value) => ({ userScope: 'one', user: { __rl: true, mode: 'userId', value } });

/** The readings of 1,000 users. @param {string} name @param {'item' | 'items' | 'listed'} how @param {number} atOnce @param {Contest['goals']} goals @returns {Contest} */
const thousand = (name, how, atOnce, goals) => ({
	name: `${name}, ${atOnce} at once`,
	service: { users: 1000, latencyMs: 20 },
	async build({ credentialId, baseUrl }) {
		const axios = plain(baseUrl, atOnce);
		const given = how === 'listed' ? (await axios.listUsers()).map(({ user_id }) => ({ user_id })) : undefined;
		const http = httpRequest(credentialId, baseUrl);
		const users = given ? http.given(given) : http.users;
		const node = ours(credentialId, atOnce);
		const userIds = given?.map(({ user_id }) => user_id).join(', ') ?? '';
		const work = {
			item: () => [node.readings({ userScope: 'all' })],
			items: () => [node.users, node.readings(oneUser('={{ $json.user_id }}'))],
			listed: () => [node.readings({ userScope: 'listed', userIds })],
		};
		const readings = http.readings('{{ $json.user_id }}');
		return {
			ours: chain(work[how]()),
			http: loop(users, readings, atOnce),
			unlimited: chain([...users, readings]),
			axios: async () => await axios.readAll(given ?? (await axios.listUsers())),
		};
	},
	goals,
});

/** @type {Contest[]} */
const CONTESTS = [
	...[50, 16].map((atOnce) => thousand(EACH, 'item', atOnce, { http: 4, axios: 1.5 })),
	...[50, 16].map((atOnce) => thousand('(b) the same, one item per user', 'items', atOnce, { http: 2 })),
	{
		name: '(c) 20,000 users listed',
		service: { users: 20_000, latencyMs: 20 },
		build: async ({ credentialId, baseUrl }) => ({
			ours: chain([ours(credentialId).users]),
			http: chain(httpRequest(credentialId, baseUrl).users),
			axios: plain(baseUrl).listUsers,
		}),
		goals: { http: 4 },
	},
	{
		name: `(d) one user, ${PAGES} pages`,
		service: { users: 1, perUser: 5 * PAGES, pageSize: 5 },
		build: async ({ credentialId, baseUrl, userId }) => ({
			ours: chain([ours(credentialId).readings(oneUser(userId))]),
			http: chain([httpRequest(credentialId, baseUrl).readings(userId)]),
			axios: async () => await plain(baseUrl).readPages(userId),
		}),
		goals: { http: 1.5, axios: 1.8 },
	},
	thousand(LISTED, 'listed', 50, { http: 5 }),
	thousand(LISTED, 'listed', 8, { axios: 1.2 }),
];

module.exports = { CONTESTS };
