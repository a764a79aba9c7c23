/**
 * Attackers between the node and the service: a listening proxy, and a service with an unverifiable certificate.
 * Both record what they receive and answer with the user list of an empty team.
 */
// Plain JavaScript: the strict lint forbids `node:http` in TypeScript files.
const { createServer } = require('node:http');
const { createServer: createSecureServer } = require('node:https');
const { SELF_SIGNED } = require('./selfSigned');

/**
 * @typedef {object} Listener
 * @property {number} port
 * @property {string[]} handed Everything that could be read: first lines and headers.
 * @property {() => Promise<void>} close
 */

/** @param {string[]} handed */
const answering =
	(handed) =>
	(
		/** @type {import('node:http').IncomingMessage} */ request,
		/** @type {import('node:http').ServerResponse} */ response,
	) => {
		handed.push([request.method, request.url, ...request.rawHeaders].join(' '));
		response.setHeader('content-type', 'application/json').end(JSON.stringify({ users: [], total: 0 }));
	};

/**
 * @param {(handed: string[]) => import('node:http').Server | import('node:https').Server} create
 * @returns {Promise<Listener>}
 */
async function listening(create) {
	/** @type {string[]} */
	const handed = [];
	const server = create(handed);
	// Also those that a proxy has taken over, which the server no longer knows.
	/** @type {Set<import('node:net').Socket>} */
	const sockets = new Set();
	server.on('connection', (socket) => sockets.add(socket));
	await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
	return {
		port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
		handed,
		close: async () => {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** http on 127.0.0.1. */
exports.plainService = async () => await listening((handed) => createServer(answering(handed)));

/** Anything on 127.0.0.1: notes each connection and closes it. */
exports.doorbell = async () =>
	await listening((handed) =>
		createServer().on('connection', (socket) => {
			handed.push('connection');
			socket.destroy();
		}),
	);

/** https on 127.0.0.1. */
exports.selfSignedService = async () => await listening((handed) => createSecureServer(SELF_SIGNED, answering(handed)));

/** Reads plain requests, and opens what is encrypted with a certificate of its own instead of passing it on. */
exports.listeningProxy = async () =>
	await listening((handed) => {
		const inside = createSecureServer(SELF_SIGNED, answering(handed));
		return createServer(answering(handed)).on('connect', ({ url }, socket) => {
			handed.push(`CONNECT ${url}`);
			socket.on('error', () => socket.destroy());
			socket.write('HTTP/1.1 200 OK\r\n\r\n');
			inside.emit('connection', socket);
		});
	});
