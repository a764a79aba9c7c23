/** MCP client: the SDK that the n8n under test comes with, so that both sides speak the same version. */
const { realpathSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { N8N_HOME } = require('../../../dev/host/hostPaths');
const { fetchAlone, OWNER } = require('../../../dev/host/restClient');

const requireOfN8n = () => createRequire(join(realpathSync(join(N8N_HOME, 'node_modules', 'n8n')), 'package.json'));

/** @param {string} url @param {object} options of the transport */
function newConnection(url, options) {
	const { Client } = requireOfN8n()('@modelcontextprotocol/sdk/client/index.js');
	const { StreamableHTTPClientTransport } = requireOfN8n()('@modelcontextprotocol/sdk/client/streamableHttp.js');
	const client = new Client({ name: 'tests', version: '1.0.0' });
	return { client, transport: new StreamableHTTPClientTransport(new URL(url), { fetch: fetchAlone, ...options }) };
}

/**
 * @param {string} url
 * @param {string} token
 * @returns {Promise<any>} a connected client. Rejects if the server refuses the token
 */
exports.connectMcp = async (url, token) => {
	const headers = { Authorization: `Bearer ${token}` };
	const { client, transport } = newConnection(url, { requestInit: { headers } });
	await client.connect(transport);
	return client;
};

const REDIRECT = 'http://127.0.0.1/callback';

/**
 * Connects by OAuth, as an assistant does that knows the address only: the SDK finds n8n's authorization server, registers itself
 * and opens n8n's page. What a person does there, logging in and allowing it, is done by requests.
 *
 * @param {string} url
 * @param {boolean} isAllowed
 * @returns {Promise<any>} a connected client. Rejects if it is not allowed
 */
exports.connectMcpByLogin = async (url, isAllowed) => {
	/** @type {Record<string, any>} what a client stores */
	const stored = {};
	const provider = {
		redirectUrl: REDIRECT,
		clientMetadata: {
			client_name: 'tests',
			redirect_uris: [REDIRECT],
			grant_types: ['authorization_code', 'refresh_token'],
			response_types: ['code'],
			token_endpoint_auth_method: 'none',
		},
		clientInformation: () => stored.client,
		saveClientInformation: (/** @type {any} */ client) => void (stored.client = client),
		tokens: () => stored.tokens,
		saveTokens: (/** @type {any} */ tokens) => void (stored.tokens = tokens),
		codeVerifier: () => stored.verifier,
		saveCodeVerifier: (/** @type {string} */ verifier) => void (stored.verifier = verifier),
		redirectToAuthorization: (/** @type {URL} */ page) => void (stored.page = page),
	};
	const first = newConnection(url, { authProvider: provider });
	const refused = await first.client.connect(first.transport).catch((/** @type {Error} */ error) => error);
	if (!stored.page) throw refused ?? new Error('n8n asked for no login');

	const answer = new URL(await decide(stored.page, isAllowed));
	const code = answer.searchParams.get('code');
	if (!code) throw new Error(`n8n gave no code: ${answer.searchParams.get('error')}`);
	await first.transport.finishAuth(code);
	const { client, transport } = newConnection(url, { authProvider: provider });
	await client.connect(transport);
	return client;
};

/**
 * Logs in at n8n's page and allows or denies the client.
 *
 * @param {URL} page
 * @param {boolean} approved
 * @returns {Promise<string>} the address that n8n sends the browser back to
 */
async function decide(page, approved) {
	/** @type {string[]} */
	const cookies = [];
	const send = async (/** @type {string | URL} */ to, /** @type {object | undefined} */ body = undefined) => {
		const response = await fetchAlone(to, {
			method: body ? 'POST' : 'GET',
			redirect: 'manual',
			headers: { 'content-type': 'application/json', 'browser-id': 'tests', cookie: cookies.join('; ') },
			...(body && { body: JSON.stringify(body) }),
		});
		cookies.push(...response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]));
		if (response.status >= 400) throw new Error(`${to}: ${response.status} ${await response.text()}`);
		return response;
	};
	await send(new URL('/rest/login', page), { emailOrLdapLoginId: OWNER.email, password: OWNER.password });
	await send(page);
	const { data } = /** @type {any} */ (await (await send(new URL('/rest/consent/approve', page), { approved })).json());
	return data.redirectUrl;
}
