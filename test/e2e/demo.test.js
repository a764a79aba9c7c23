/** The demo as a newcomer runs it. */
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { existsSync, rmSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { RUNNING } = require('../../dev/demo/running');
const { ROOT } = require('../../dev/paths');

/** Far from where the tests run, so that a time in another zone is seen. */
const TZ = 'Pacific/Auckland';

/** Runs the demo; Ctrl-C once its output has `until`. @param {string[]} args @param {string} [until] */
async function demo(args, until) {
	const child = spawn(process.execPath, [require.resolve('../../dev/demo/demo'), ...args], {
		cwd: ROOT,
		env: { ...process.env, TZ },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let output = '';
	let isStopped = false;
	const note = (/** @type {Buffer} */ data) => {
		output += data;
		// Once: a second Ctrl-C does not wait for anything.
		if (!until || isStopped || !output.includes(until)) return;
		isStopped = child.kill('SIGINT');
	};
	for (const stream of [child.stdout, child.stderr]) stream.on('data', note);
	const [code] = await once(child, 'close');
	return { code, output };
}

/** @param {string} url */
const answers = async (url) =>
	await fetch(url).then(
		() => true,
		() => false,
	);

/** @param {string} output */
const sandboxOf = (output) => /Base URL (http:\S+), API Key \S+: a team of 240 users/.exec(output)?.[1] ?? 'none';

describe('when ports are in use', () => {
	const servers = [4010, 5678].map(() => createServer());
	beforeAll(() => {
		for (const [at, server] of servers.entries()) server.on('error', () => {}).listen([4010, 5678][at], '127.0.0.1');
	});
	afterAll(() => {
		for (const server of servers) server.close();
	});

	it('--once chooses others, prints the message of the alert, and leaves nothing running', async () => {
		const { code, output } = await demo(['--once']);
		for (const port of [4010, 5678]) expect(output).toContain(`Port ${port} is in use`);
		const [, items, messages, told] =
			/"Blood Pressure" gave (\d+) items?\.\n"Slack" is switched off in the demo\. It would have got (\d+) items?:\n\n([^]+?)\n\nTimes are/.exec(
				output,
			) ?? [];
		expect([items, messages]).toEqual(['1', '1']);
		expect(told).toMatch(/\b240 people\b/);
		expect(told).toContain('Pacific/Auckland');
		expect(told).toMatch(/^• app-user-\d{4}: /m);
		expect(output).toContain(`Times are those of ${TZ}, here and in n8n.`);
		expect(code).toBe(0);
		expect(await answers(sandboxOf(output))).toBe(false);
	});
});

it('does not start beside another one, and forgets one that was killed', async () => {
	writeFileSync(RUNNING, String(process.pid));
	const { code, output } = await demo(['--once']);
	rmSync(RUNNING);
	expect(output).toContain(`The demo stopped: A demo is already running in this clone (process ${process.pid}).`);
	expect(code).toBe(1);

	writeFileSync(RUNNING, '4194303');
	expect((await demo([], '[2/4]')).code).toBe(130);
	expect(existsSync(RUNNING)).toBe(false);
});
