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
 * @param {import('node:http').Server | import('node:https').Server} server
 * @param {string[]} handed
 * @returns {Promise<Listener>}
 */
async function listening(server, handed) {
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
exports.plainService = async () => {
	/** @type {string[]} */
	const handed = [];
	return await listening(createServer(answering(handed)), handed);
};

/** Anything on 127.0.0.1: notes each connection and closes it. */
exports.doorbell = async () => {
	/** @type {string[]} */
	const handed = [];
	const server = createServer();
	server.on('connection', (socket) => {
		handed.push('connection');
		socket.destroy();
	});
	return await listening(server, handed);
};

/** https on 127.0.0.1. */
exports.selfSignedService = async () => {
	/** @type {string[]} */
	const handed = [];
	return await listening(createSecureServer(SELF_SIGNED, answering(handed)), handed);
};

/** Reads plain requests, and opens what is encrypted with a certificate of its own instead of passing it on. */
exports.listeningProxy = async () => {
	/** @type {string[]} */
	const handed = [];
	const inside = createSecureServer(SELF_SIGNED, answering(handed));
	const server = createServer(answering(handed));
	server.on('connect', ({ url }, socket) => {
		handed.push(`CONNECT ${url}`);
		socket.on('error', () => socket.destroy());
		socket.write('HTTP/1.1 200 OK\r\n\r\n');
		inside.emit('connection', socket);
	});
	return await listening(server, handed);
};
