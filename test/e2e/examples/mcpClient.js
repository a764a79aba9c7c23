/** MCP client: the SDK that the n8n under test comes with, so that both sides speak the same version. */
const { realpathSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { N8N_HOME } = require('../../../dev/host/hostPaths');
const { fetchAlone } = require('../../../dev/host/restClient');

/**
 * @param {string} url
 * @param {string} token
 * @returns {Promise<any>} a connected client. Rejects if the server refuses the token
 */
exports.connectMcp = async (url, token) => {
	const ofN8n = createRequire(join(realpathSync(join(N8N_HOME, 'node_modules', 'n8n')), 'package.json'));
	const { Client } = ofN8n('@modelcontextprotocol/sdk/client/index.js');
	const { StreamableHTTPClientTransport } = ofN8n('@modelcontextprotocol/sdk/client/streamableHttp.js');
	const client = new Client({ name: 'tests', version: '1.0.0' });
	const requestInit = { headers: { Authorization: `Bearer ${token}` } };
	await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: fetchAlone, requestInit }));
	return client;
};
