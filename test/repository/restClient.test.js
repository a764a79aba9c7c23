/** REST client of dev/host: no request is lost to a connection that n8n has closed. */
const { createServer } = require('node:http');
const { RestClient } = require('../../dev/host/restClient');

/** Answers the first request of each connection and cuts the connection at the next, as n8n does with one that was idle. */
const server = createServer((request, response) => {
	if (used.has(request.socket)) return request.socket.destroy();
	used.add(request.socket);
	received.push(`${request.method} ${request.url}`);
	return response.setHeader('content-type', 'application/json').end('{"data":"taken"}');
});
/** @type {Set<import('node:net').Socket>} */
const used = new Set();
/** @type {string[]} */
const received = [];

beforeAll(async () => await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined))));
afterAll(() => {
	server.close();
	server.closeAllConnections();
});

it.each(['GET', 'POST', 'PATCH', 'DELETE'])(
	'sends every %s once, each over a connection of its own',
	async (method) => {
		const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
		const client = new RestClient(`http://127.0.0.1:${port}`);
		received.length = 0;
		for (const path of ['/first', '/second', '/third'])
			expect(await client.call(method, path, method === 'GET' ? undefined : { any: 1 })).toBe('taken');
		expect(received).toEqual([`${method} /first`, `${method} /second`, `${method} /third`]);
	},
);
