/** Free ports of the loopback interface. (get-port does nearly the same, but jest cannot load an ES module.) */
const { randomInt } = require('node:crypto');
const { once } = require('node:events');
const net = require('node:net');

/**
 * @param {number} [wanted] none or 0: any, at random, because programs that start together must not get the same. Below 32768:
 *   systems use the ports above for outgoing connections, and one could be in use again before its program listens
 * @returns {Promise<number>} the port, which was free a moment ago
 */
async function freePort(wanted) {
	const port = wanted || randomInt(20_000, 32_000);
	const server = net.createServer().listen(port, '127.0.0.1');
	try {
		await once(server, 'listening');
	} catch (error) {
		if (error.code !== 'EADDRINUSE') throw error;
		if (wanted) throw new Error(`Port ${port} is already in use. End what runs there, or choose another port.`);
		return await freePort();
	}
	await once(server.close(), 'close');
	return port;
}

module.exports = { freePort };
