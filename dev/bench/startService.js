/**
 * Launcher of service.js: starts it as a child process and returns its address.
 */
const { spawn } = require('node:child_process');
const { once } = require('node:events');

/** @typedef {{ users: number, latencyMs?: number, pageSize?: number, perUser?: number, broken?: number }} ServiceOptions */

/**
 * @param {ServiceOptions} options
 * @returns {Promise<{ baseUrl: string, userId: string, requests: () => Promise<number>, stop: () => void }>} `userId`: of its first
 *   user; `requests`: their number since the last call
 */
async function startService(options) {
	const child = spawn(process.execPath, [require.resolve('./service'), JSON.stringify(options)], {
		stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
	});
	const [line] = await once(/** @type {import('node:stream').Readable} */ (child.stdout), 'data');
	const requests = async () => {
		child.send('requests');
		const [count] = await once(child, 'message');
		return count;
	};
	return { ...JSON.parse(line), requests, stop: () => child.kill() };
}

module.exports = { startService };
