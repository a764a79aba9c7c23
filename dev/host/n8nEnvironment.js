/** Environment of an isolated n8n: its own folder and ports, loopback only, no requests to n8n's servers and no banners. */
const fs = require('node:fs');
const path = require('node:path');
const { cleanEnvironment, withFirstOnPath } = require('../install/cleanEnvironment');
const { CACHE } = require('../paths');
const { N8N_HOME, NODE24 } = require('./hostPaths');

/** This module fetches a list of servers from n8n at every start. An older n8n must not get the name of a module it does not know. */
const MCP_REGISTRY = 'mcp-registry';
const hasMcpRegistry = () => fs.existsSync(path.join(N8N_HOME, 'node_modules', 'n8n', 'dist', 'modules', MCP_REGISTRY));

/** Switches n8n's durable scheduler of polls on, with a short interval. An older n8n does not know these. */
const DURABLE_SCHEDULER = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	N8N_SCHEDULER_EXECUTOR_INTERVAL: '2',
};

/**
 * After five seconds, n8n gives up an expression, or takes its database for lost and refuses all requests. Its process for
 * Code nodes has half a minute to start.
 */
const FOR_A_BUSY_MACHINE = {
	DB_PING_TIMEOUT_MS: '60000',
	N8N_EXPRESSION_ENGINE_TIMEOUT: '60000',
	N8N_RUNNERS_GRANT_TOKEN_TTL: '600',
	N8N_RUNNERS_HEARTBEAT_INTERVAL: '600',
	N8N_RUNNERS_TASK_ACCEPT_TIMEOUT: '60',
	N8N_RUNNERS_TASK_REQUEST_TIMEOUT: '600',
};

/** For an n8n whose editor is not opened and that runs no Code node: it starts with a quarter less work. */
const WITHOUT_EDITOR = { N8N_DISABLE_UI: 'true', N8N_RUNNERS_MODE: 'external', N8N_RUNNERS_AUTH_TOKEN: 'unused' };

/**
 * @param {{ folder: string, port: number, brokerPort: number }} own
 * @param {Record<string, string>} extra overrides everything here
 */
function n8nEnvironment({ folder, port, brokerPort }, extra) {
	const inherited = cleanEnvironment();
	const noProxy = [inherited.NO_PROXY ?? inherited.no_proxy, '127.0.0.1', 'localhost'].filter(Boolean).join(',');
	const env = withFirstOnPath(inherited, path.dirname(NODE24));
	return {
		...env,
		// The caller's proxy is for the internet; the services of the tests run on this machine.
		NO_PROXY: noProxy,
		no_proxy: noProxy,
		// n8n is thousands of files: compiled once, it starts with a quarter less work.
		NODE_COMPILE_CACHE: path.join(CACHE, 'n8n-compiled'),
		N8N_USER_FOLDER: folder,
		N8N_HOST: '127.0.0.1',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_PORT: String(port),
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		// The login cookie is sent over plain HTTP.
		N8N_SECURE_COOKIE: 'false',
		...FOR_A_BUSY_MACHINE,
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
		N8N_LOG_LEVEL: 'info',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		...(hasMcpRegistry() && { N8N_DISABLED_MODULES: MCP_REGISTRY }),
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		// This package is one that n8n has not verified.
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		...extra,
	};
}

module.exports = { DURABLE_SCHEDULER, WITHOUT_EDITOR, n8nEnvironment };
