/**
 * Scenarios of the comparison of our node, n8n's HTTP Request node and plain axios in a real n8n, with their goals.
 */
const { plain } = require('./plain');
const { httpRequest } = require('./httpRequest');
const { chain, loop, ours } = require('./workflows');

const PAGES = 200;

/**
 * @typedef {import('./workflows').WorkflowNode} WorkflowNode
 * @typedef {ReturnType<typeof ours>} OurNodes
 * @typedef {{ credentialId: string, baseUrl: string, userId: string }} Service
 * @typedef {() => Promise<object[]>} Plain
 * @typedef {{ http?: number, axios?: number }} Targets
 * @typedef {{ ours: object, http: object, unlimited?: object, axios: Plain }} Contenders
 * @typedef {{
 *   name: string,
 *   service: import('./startService').ServiceOptions,
 *   build: (service: Service) => Contenders | Promise<Contenders>,
 *   targets: Targets,
 * }} Scenario
 */

const THOUSAND = { users: 1000, latencyMs: 20 };

/** @param {string} one */
const byList = (one) => ({ user: { __rl: true, mode: 'userId', value: one } });

/**
 * The readings of 1,000 users, with so many requests at once; `one` is our workflow for it.
 * @param {string} name
 * @param {number} atOnce
 * @param {(nodes: OurNodes) => WorkflowNode[]} one
 * @param {Targets} targets
 * @returns {Scenario}
 */
const thousandUsers = (name, atOnce, one, targets) => ({
	name: `${name}, ${atOnce} at once`,
	service: THOUSAND,
	build: ({ credentialId, baseUrl }) => {
		const http = httpRequest(credentialId, baseUrl);
		const readings = http.readings('{{ $json.user_id }}');
		const axios = plain(baseUrl, atOnce);
		return {
			ours: chain('ours', one(ours(credentialId, atOnce))),
			http: loop('http', http.users, readings, atOnce),
			unlimited: chain('unlimited', [...http.users, readings]),
			axios: async () => await axios.readAll(await axios.listUsers()),
		};
	},
	targets,
});
/** @param {OurNodes} nodes */
const inOneItem = ({ readings }) => [readings({ userScope: 'all' })];
/** @param {OurNodes} nodes */
const inItemsOfTheirOwn = ({ users, readings }) => [users, readings(byList('={{ $json.user_id }}'))];

/** The same for a given list of users, which is not requested. @param {number} atOnce @param {Targets} targets @returns {Scenario} */
const listed = (atOnce, targets) => ({
	name: `(f) 1,000 user IDs in one item (Listed Users), ${atOnce} at once`,
	service: THOUSAND,
	build: async ({ credentialId, baseUrl }) => {
		const axios = plain(baseUrl, atOnce);
		const users = await axios.listUsers();
		const http = httpRequest(credentialId, baseUrl);
		const readings = http.readings('{{ $json.user_id }}');
		const userIds = users.map(({ user_id }) => user_id).join(', ');
		return {
			ours: chain('ours', [ours(credentialId, atOnce).readings({ userScope: 'listed', userIds })]),
			http: loop('http', http.given(users), readings, atOnce),
			unlimited: chain('unlimited', [...http.given(users), readings]),
			axios: async () => await axios.readAll(users),
		};
	},
	targets,
});

/** Each gives workflows for the nodes and a function for axios. @type {Scenario[]} */
const SCENARIOS = [
	...[50, 16].map((atOnce) =>
		thousandUsers('(a) 1,000 users, one page each, 20 ms latency, one item for all', atOnce, inOneItem, {
			http: 4,
			axios: 1.5,
		}),
	),
	...[50, 16].map((atOnce) => thousandUsers('(b) the same, one item per user', atOnce, inItemsOfTheirOwn, { http: 2 })),
	{
		name: '(c) 20,000 users listed',
		service: { users: 20_000, latencyMs: 20 },
		build: ({ credentialId, baseUrl }) => ({
			ours: chain('ours', [ours(credentialId).users]),
			http: chain('http', httpRequest(credentialId, baseUrl).users),
			axios: plain(baseUrl).listUsers,
		}),
		targets: { http: 4 },
	},
	{
		name: `(d) one user, ${PAGES} pages`,
		service: { users: 1, perUser: 5 * PAGES, pageSize: 5 },
		build: ({ credentialId, baseUrl, userId }) => ({
			ours: chain('ours', [ours(credentialId).readings(byList(userId))]),
			http: chain('http', [httpRequest(credentialId, baseUrl).readings(userId)]),
			axios: async () => await plain(baseUrl).readPages(userId),
		}),
		targets: { http: 1.5, axios: 1.8 },
	},
	listed(50, { http: 5 }),
	listed(8, { axios: 1.2 }),
];

module.exports = { SCENARIOS };
