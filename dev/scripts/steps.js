/**
 * Step runner of `npm test` and `npm run check`: quick steps side by side, then, unless one has failed, those that use all cores one
 * after the other. The output of a quick step is shown when it fails, in one piece. What failed is named at the end.
 */
const { spawn } = require('node:child_process');
const { availableParallelism } = require('node:os');
const { join } = require('node:path');
const { ROOT } = require('../paths');

/**
 * @typedef {{ title: string, command: string[], env?: Record<string, string>, usesAllCores?: boolean }} Step `command`: a
 * program of node_modules and its arguments; `usesAllCores`: runs alone, with the terminal to itself
 */

/**
 * @param {Step} step
 * @param {Record<string, string>} env added to ours
 * @returns {Promise<{ status: number, text: string }>} `text`: its output, unless the terminal had it
 */
function runStep({ command: [name, ...args], usesAllCores }, env) {
	const output = usesAllCores ? 'inherit' : 'pipe';
	return new Promise((resolve) => {
		const child = spawn(join(ROOT, 'node_modules', '.bin', name), args, {
			cwd: ROOT,
			stdio: [usesAllCores ? 'inherit' : 'ignore', output, output],
			env: { ...process.env, ...env },
			shell: process.platform === 'win32',
		});
		/** @type {Buffer[]} */
		const chunks = [];
		for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(chunk));
		const text = () => Buffer.concat(chunks).toString().trim();
		child.on('error', ({ message }) => resolve({ status: 1, text: message }));
		child.on('close', (status) => resolve({ status: status ?? 1, text: text() }));
	});
}

/**
 * @param {Step[]} steps
 * @param {Record<string, string>} [env] for all of them
 * @returns {Promise<number>} the status of the first step that failed, else 0
 */
async function runSteps(steps, env = {}) {
	/** @type {Array<{ title: string, status: number }>} */
	const failed = [];
	const settings = { ...(process.stdout.isTTY && { FORCE_COLOR: '1' }), ...env };
	/** @param {Step} step */
	const run = async (step) => {
		const label = `[${steps.indexOf(step) + 1}/${steps.length}] ${step.title}`;
		if (step.usesAllCores) console.log(`\n${label}`);
		const started = Date.now();
		const { status, text } = await runStep(step, { ...settings, ...step.env });
		const seconds = Math.round((Date.now() - started) / 1000);
		console.log(status === 0 ? `${label}: passed (${seconds} s)` : `${label}: FAILED (${seconds} s)\n${text}\n`);
		if (status !== 0) failed.push({ title: step.title, status });
	};

	const waiting = steps.filter(({ usesAllCores }) => !usesAllCores);
	const lane = async () => {
		for (let step = waiting.shift(); step; step = waiting.shift()) await run(step);
	};
	await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, lane));
	for (const step of steps) {
		if (step.usesAllCores && failed.length === 0) await run(step);
	}

	if (failed.length > 0) console.error(`\nFailed: ${failed.map(({ title }) => title).join('; ')}`);
	return failed[0]?.status ?? 0;
}

module.exports = { runSteps };
