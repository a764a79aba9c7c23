/**
 * Free ports of the loopback interface.
 */
const net = require('node:net');

/**
 * @param {number} port 0: any free one
 * @returns {Promise<number>} the port, which was free a moment ago
 */
function freePort(port = 0) {
	return new Promise((resolve, reject) => {
		const server = net.createServer();
		server.once('error', (/** @type {NodeJS.ErrnoException} */ error) => {
			const taken = error.code === 'EADDRINUSE';
			reject(taken ? new Error(`Port ${port} is already in use. End what runs there, or choose another port.`) : error);
		});
		server.listen(port, '127.0.0.1', () => {
			const address = /** @type {net.AddressInfo} */ (server.address());
			server.close(() => resolve(address.port));
		});
	});
}

module.exports = { freePort };
