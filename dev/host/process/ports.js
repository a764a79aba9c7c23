/**
 * Free ports of the loopback interface.
 */
const { randomInt } = require('node:crypto');
const net = require('node:net');

/** Systems take the ports of outgoing connections from 32768 on: such a one could be in use again before its program listens. */
const RANGE = { first: 20_000, last: 32_000 };

/**
 * @param {number} port 0: any free one, at random, because programs that start at the same time must not get the same
 * @returns {Promise<number>} the port, which was free a moment ago
 */
async function freePort(port = 0) {
	for (;;) {
		const tried = port === 0 ? randomInt(RANGE.first, RANGE.last) : port;
		if (await isFree(tried)) return tried;
		if (port !== 0) throw new Error(`Port ${port} is already in use. End what runs there, or choose another port.`);
	}
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function isFree(port) {
	return new Promise((resolve, reject) => {
		const server = net.createServer();
		server.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
			error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
		);
		server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
	});
}

module.exports = { freePort };
