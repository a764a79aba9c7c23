/**
 * Loopback wire: whether bytes, connections or their ends are between a client and a server of this process.
 *
 * The rule, for each connection: everything that one end wrote, the other end has read, and both ends are open or both are
 * closed. A request that its server holds back (latency, a hang, a drip) leaves nothing on the wire. A connection to another
 * process is busy while it connects and while a request on it has no complete answer. Of TLS only that is
 * watched: looking up the name, connecting, and the handshake.
 */
const { subscribe, unsubscribe } = require('node:diagnostics_channel');
const net = require('node:net');
const { TLSSocket } = require('node:tls');

/** @typedef {import('node:net').Socket & { _httpMessage?: unknown }} Socket */
/** @typedef {{ client?: Socket, server?: Socket, wasPaired: boolean }} Connection */

/** @param {Connection} connection */
function isBusy({ client, server, wasPaired }) {
	if (client?.connecting) return true;
	if (client && server) return client.bytesWritten !== server.bytesRead || server.bytesWritten !== client.bytesRead;
	if (!client) return wasPaired;
	return wasPaired || Boolean(client._httpMessage);
}

const { connect } = net.Socket.prototype;

class Wire {
	/** @type {Set<Connection>} */
	connections = new Set();
	/** By the ports of both ends. @type {Map<string, Connection>} */
	byPorts = new Map();
	/** TLS sockets that are not ready yet. @type {Set<Socket>} */
	handshakes = new Set();

	open() {
		subscribe('net.client.socket', this.onClient);
		subscribe('net.server.socket', this.onServer);
		const { handshakes } = this;
		// Node does not announce the start of a TLS client.
		net.Socket.prototype.connect = /** @type {any} */ (
			/** @this {Socket} @param {any[]} args */
			function (...args) {
				if (this instanceof TLSSocket) {
					handshakes.add(this);
					for (const end of ['secureConnect', 'close']) this.once(end, () => handshakes.delete(this));
				}
				return Reflect.apply(connect, this, args);
			}
		);
	}

	close() {
		unsubscribe('net.client.socket', this.onClient);
		unsubscribe('net.server.socket', this.onServer);
		net.Socket.prototype.connect = connect;
	}

	isBusy() {
		if (this.handshakes.size > 0) return true;
		for (const connection of this.connections) if (isBusy(connection)) return true;
		return false;
	}

	/** @param {unknown} message */
	onClient = (message) => {
		const { socket } = /** @type {{ socket: Socket }} */ (message);
		/** @type {Connection} */
		let connection = { client: socket, wasPaired: false };
		let key = '';
		this.connections.add(connection);
		socket.once('connect', () => {
			key = `${socket.localPort}-${socket.remotePort}`;
			const accepted = this.byPorts.get(key);
			if (!accepted) return void this.byPorts.set(key, connection);
			this.connections.delete(connection);
			connection = Object.assign(accepted, { client: socket, wasPaired: true });
		});
		socket.once('close', () => this.ended(key, connection, 'client'));
	};

	/** @param {unknown} message */
	onServer = (message) => {
		const { socket } = /** @type {{ socket: Socket }} */ (message);
		const key = `${socket.remotePort}-${socket.localPort}`;
		const connection = this.byPorts.get(key) ?? { wasPaired: false };
		connection.server = socket;
		connection.wasPaired = Boolean(connection.client);
		this.byPorts.set(key, connection);
		this.connections.add(connection);
		socket.once('close', () => this.ended(key, connection, 'server'));
	};

	/** @param {string} key @param {Connection} connection @param {'client' | 'server'} end */
	ended(key, connection, end) {
		delete connection[end];
		if (connection.client || connection.server) return;
		this.connections.delete(connection);
		if (this.byPorts.get(key) === connection) this.byPorts.delete(key);
	}
}

module.exports = { Wire };
