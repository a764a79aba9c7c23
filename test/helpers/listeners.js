/**
 * Attackers between the node and the service: a listening proxy, and a service with an unverifiable certificate.
 * Both record what they receive and answer with the user list of an empty team.
 */
// Plain JavaScript: the strict lint forbids `node:http` in TypeScript files.
const { createServer } = require('node:http');
const { createServer: createSecureServer } = require('node:https');

/**
 * Self-signed certificate for `health.test`, `localhost` and 127.0.0.1, valid until 2126. Made for these tests
 * with openssl; its key is public, as it stands here, and protects nothing.
 */
const SELF_SIGNED = {
	cert: `-----BEGIN CERTIFICATE-----
MIIBrDCCAVKgAwIBAgIUI33/ck1opr65Z10yDdkVmLHI7t4wCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLaGVhbHRoLnRlc3QwIBcNMjYxMTIxMTgxOTIyWhgPMjEyNjEw
MjgxODE5MjJaMBYxFDASBgNVBAMMC2hlYWx0aC50ZXN0MFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEc7WFmE93l37GRD+qv2SpiKY4hSyHZWq8TS40nuEsMqnt/Fa7
qGx3YeQRI5EaIQJj1csLII6Ssr0sraTcMI+s5qN8MHowHQYDVR0OBBYEFOlCT0xv
tjWB7LpdUv5t/WZgHAwHMB8GA1UdIwQYMBaAFOlCT0xvtjWB7LpdUv5t/WZgHAwH
MA8GA1UdEwEB/wQFMAMBAf8wJwYDVR0RBCAwHoILaGVhbHRoLnRlc3SCCWxvY2Fs
aG9zdIcEfwAAATAKBggqhkjOPQQDAgNIADBFAiEAzvCvukpNfA6BcOKKfhSL4Mye
jbjZSrw27C0uZ764ZaACIC/fYmKiVPAH9X7YgSmix33nVPDKqCT/kxIIlIYfduu8
-----END CERTIFICATE-----`,
	key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5XUDCDj62BTJtmhm
n5ulSMnXN9xHmYgPXXXEG2XslVOhRANCAARztYWYT3eXfsZEP6q/ZKmIpjiFLIdl
arxNLjSe4Swyqe38VruobHdh5BEjkRohAmPVywsgjpKyvSytpNwwj6zm
-----END PRIVATE KEY-----`,
};
exports.SELF_SIGNED = SELF_SIGNED;

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
