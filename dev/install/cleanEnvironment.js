/** Environment for child processes: the caller's, without variables that would make them behave differently here than elsewhere. */
const path = require('node:path');

/** Settings of the caller's own Node, of a jest around us, of an n8n that the caller may run, and of an npm around us. */
const DISTURBING =
	/^(NODE_(OPTIONS|ENV|PATH)|JEST_WORKER_ID|INIT_CWD|WEBHOOK_URL|GENERIC_TIMEZONE|(N8N|DB|QUEUE|EXECUTIONS|CREDENTIALS|WORKFLOWS|NODES|OFFLOAD|NODE_FUNCTION|npm|pnpm)_.*)$/i;

/** Most of npm's variables say *how* it installs (ignore-scripts, omit, …). Those that say *where from* stay. */
const WHERE_FROM =
	/^npm_config_(registry|userconfig|globalconfig|cache|store_dir|proxy|https?[_-]proxy|noproxy|ca|cafile|cert|key|strict[_-]ssl|@.*|\/\/.*)$/i;

/** @param {Record<string, string>} [extra] replaces the caller's variables @returns {Record<string, string>} */
function cleanEnvironment(extra = {}) {
	const kept = Object.entries(process.env).filter(([name]) => !DISTURBING.test(name) || WHERE_FROM.test(name));
	return /** @type {Record<string, string>} */ ({ ...Object.fromEntries(kept), ...extra });
}

/** @param {Record<string, string>} env @param {string} folder @returns {Record<string, string>} */
const withFirstOnPath = (env, folder) => ({ ...env, PATH: [folder, env.PATH].filter(Boolean).join(path.delimiter) });

module.exports = { cleanEnvironment, withFirstOnPath };
