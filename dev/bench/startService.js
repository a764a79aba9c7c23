/**
 * Starts service.js beside the caller, and gives what it printed.
 */
const { spawn } = require('node:child_process');
const { once } = require('node:events');

/** @typedef {{ users: number, latencyMs?: number, pageSize?: number, perUser?: number }} ServiceOptions */

/**
 * @param {ServiceOptions} options
 * @returns {Promise<{ baseUrl: string, userId: string, stop: () => void }>} `userId`: of its first user
 */
async function startService(options) {
	const child = spawn(process.execPath, [require.resolve('./service'), JSON.stringify(options)], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const [line] = await once(child.stdout, 'data');
	return { ...JSON.parse(line), stop: () => child.kill() };
}

module.exports = { startService };
