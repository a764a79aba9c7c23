/** The demo as a newcomer runs it. */
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { createServer } = require('node:http');
const { ROOT } = require('../../dev/paths');

/**
 * Starts the demo; `until` tells from its output when to send `signal`.
 * @param {string[]} args
 * @param {string} [until]
 * @param {NodeJS.Signals} [signal]
 */
async function demo(args, until, signal) {
	const child = spawn(process.execPath, [require.resolve('../../dev/demo/demo'), ...args], {
		cwd: ROOT,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.on('data', (data) => {
			output += data;
			// Once: a second Ctrl-C does not wait for anything.
			if (until && output.includes(until) && !child.killed) child.kill(signal);
		});
	}
	const [code] = await once(child, 'close');
	return { code, output };
}

/** @param {string} url */
const answers = async (url) =>
	await fetch(url).then(
		() => true,
		() => false,
	);

it('--once prints the table of the alert and leaves nothing running', async () => {
	const { code, output } = await demo(['--once']);
	expect(output).toMatch(/\d+ readings of 240 users in the last 24 hours, \d+ at or above 140\/90:/);
	expect(output).toMatch(/^\d+\/\d+ +\d{4}-\d\d-\d\d \d\d:\d\d +High blood pressure: app-user-\d{4} measured/m);
	expect(code).toBe(0);
	const [, sandbox] = /(http:\S+), a team of/.exec(output) ?? [];
	expect(await answers(sandbox)).toBe(false);
});

it('leaves n8n running, says how to get in, and ends with Ctrl-C', async () => {
	const { code, output } = await demo([], 'Ctrl-C stops', 'SIGINT');
	const [, address] = /Address +(\S+)/.exec(output) ?? [];
	expect(output).toMatch(/E-mail +\S+@example\.com/);
	expect(code).toBe(130);
	expect(await answers(address)).toBe(false);
});

it('takes other ports when its own are in use', async () => {
	const servers = [4010, 5678].map((port) =>
		createServer()
			.on('error', () => {})
			.listen(port, '127.0.0.1'),
	);
	try {
		const { code, output } = await demo(['--once']);
		expect(output).toContain('Port 4010 is in use');
		expect(output).toContain('Port 5678 is in use');
		expect(code).toBe(0);
	} finally {
		for (const server of servers) server.close();
	}
});
