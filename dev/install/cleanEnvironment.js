/**
 * Environment for child processes: the caller's, without variables that would make them behave differently here than elsewhere.
 */
const path = require('node:path');

/** Settings of the caller's own Node, of a jest around us, and of an n8n that the caller may run. */
const DISTURBING = [
	/^(NODE_OPTIONS|NODE_ENV|NODE_PATH|JEST_WORKER_ID|INIT_CWD)$/i,
	/^(N8N|DB|QUEUE|EXECUTIONS|CREDENTIALS|WORKFLOWS|NODES|OFFLOAD|NODE_FUNCTION)_/i,
	/^(WEBHOOK_URL|GENERIC_TIMEZONE)$/i,
	/^(npm|pnpm)_/i,
];

/** npm's variables change *how* it installs (ignore-scripts, nodedir, omit, …); only those that say *where from* stay. */
const WHERE_FROM =
	/^npm_config_(registry|userconfig|globalconfig|cache|store_dir|proxy|https?[_-]proxy|noproxy|ca|cafile|cert|key|strict[_-]ssl|@.*|\/\/.*)$/i;

/**
 * @param {Record<string, string>} [extra] added to it; replaces the caller's variables
 * @returns {Record<string, string>}
 */
function cleanEnvironment(extra = {}) {
	/** @type {Record<string, string>} */
	const env = {};
	for (const [name, value] of Object.entries(process.env)) {
		const disturbs = DISTURBING.some((pattern) => pattern.test(name)) && !WHERE_FROM.test(name);
		if (value !== undefined && !disturbs) env[name] = value;
	}
	return { ...env, ...extra };
}

/**
 * Puts a folder first on the PATH, whatever the variable's spelling (`Path` on Windows).
 * @param {Record<string, string>} env
 * @param {string} folder
 * @returns {Record<string, string>}
 */
function withFirstOnPath(env, folder) {
	const name = Object.keys(env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
	return { ...env, [name]: [folder, env[name]].filter(Boolean).join(path.delimiter) };
}

module.exports = { cleanEnvironment, withFirstOnPath };
