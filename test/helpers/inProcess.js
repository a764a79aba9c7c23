/**
 * A request to a server of this process without a connection: the server's own handlers get it, and n8n's request helper is not
 * needed. It takes a tenth of the time. What breaks a connection breaks it here too.
 */
const { IncomingMessage, ServerResponse } = require('node:http');
const { Writable } = require('node:stream');

/** Keeps what a server writes. */
class Response extends ServerResponse {
	/** @type {Buffer[]} */
	chunks = [];

	/** @param {IncomingMessage} request */
	constructor(request) {
		super(request);
		const socket = new Writable({ write: (_chunk, _encoding, done) => done() });
		this.assignSocket(/** @type {any} */ (socket));
	}

	/** @param {number} status @param {any} headers */
	writeHead(status, headers = {}) {
		for (const [name, value] of Object.entries(headers)) this.setHeader(name, value);
		return super.writeHead(status);
	}

	/** @param {any} data @param {any[]} more */
	write(data, ...more) {
		this.chunks.push(Buffer.from(data));
		return /** @type {any} */ (super.write)(data, ...more);
	}

	/** @param {any} [data] */
	end(data) {
		if (data) this.write(data);
		return super.end();
	}

	destroy() {
		if (this.destroyed) return this;
		this.destroyed = true;
		process.nextTick(() => this.emit('close'));
		return this;
	}
}

/**
 * @param {import('node:http').Server} server
 * @param {string} url path and query
 * @param {object} headers
 * @param {AbortSignal} signal
 * @returns {Promise<{ statusCode: number, headers: Record<string, string>, body: unknown }>} as n8n gives it
 * @throws Error when the connection would have been cut, or the signal ends the request
 */
async function request(server, url, headers, signal) {
	const request = Object.assign(new IncomingMessage(/** @type {any} */ (new Writable())), {
		method: 'GET',
		url,
		headers,
	});
	const response = new Response(request);
	const abort = () => response.destroy();
	signal.addEventListener('abort', abort, { once: true });
	await new Promise((resolve, reject) => {
		response.once('finish', resolve).once('finish', () => response.emit('close'));
		response.once('close', () => reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })));
		server.emit('request', request, response);
		if (signal.aborted) abort();
	}).finally(() => signal.removeEventListener('abort', abort));
	const sent = Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
	return {
		statusCode: response.statusCode,
		headers: Object.fromEntries(sent),
		body: parsed(Buffer.concat(response.chunks).toString()),
	};
}

/** As axios reads a body. @param {string} body @returns {unknown} */
function parsed(body) {
	try {
		return JSON.parse(body);
	} catch {
		return body;
	}
}

module.exports = { request };
