/**
 * `npm run sandbox`: the sandbox by itself, until Ctrl-C. Prints what a credential needs, and users to read. With `--compare`: what a
 * real service shows of docs/contract.md and docs/quirks.md.
 */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { parseArgs } = require('node:util');
const { ROOT } = require('../paths');
const { numberOf, readSwitches } = require('../install/switches');
const { setUp } = require('../install/setUp');

const HELP = `npm run sandbox -- [switches]

The sandbox by itself, until Ctrl-C: the service with invented people, on this machine only. Prints what a credential needs, and users
to read. Each switch of the service is explained in dev/sandbox/switches.ts, each trouble in dev/sandbox/troubles.ts:

npm run sandbox -- --port 4011 --switch pageSize=7 --switch emptyPages --switch timestamps=z --switch-user app-user-0042=fails

  --port PORT                 where it answers (4010)
  --switch NAME=VALUE         what it does otherwise than usual
  --switch-user USER=TROUBLE  what is wrong with one user
  --compare URL               no sandbox: reads a real service (GET only, key in HEALTH_DATA_SERVICE_KEY) and prints which sections
                              of docs/contract.md and which quirks of docs/quirks.md its answers show, and no value of them`;

const values = readSwitches(HELP, () =>
	parseArgs({
		options: {
			port: { type: 'string', default: '4010' },
			switch: { type: 'string', multiple: true, default: [] },
			'switch-user': { type: 'string', multiple: true, default: [] },
			compare: { type: 'string' },
			help: { type: 'boolean' },
		},
	}),
);
const port = numberOf('port', values.port);
setUp();
require('tsx/cjs');
const { ReadableError, runAsScript } = require('../install/command');
const { compare } = require('./compare.ts');
const { startSandbox } = require('./server.ts');
const { defaultSwitches } = require('./switches.ts');
const { TROUBLES } = require('./troubles.ts');

/** Switches given by name. The type of a value is that of the switch's default. */
function sandboxSwitches() {
	/** @type {Record<string, unknown>} */
	const defaults = { ...defaultSwitches() };
	return Object.fromEntries(
		values.switch.map((text) => {
			const [name, value = 'true'] = text.split('=');
			const kind = typeof defaults[name];
			if (!['number', 'boolean', 'string'].includes(kind)) {
				const names = Object.keys(defaults).filter((one) => typeof defaults[one] !== 'function');
				throw new ReadableError(`There is no switch "${name}". There are: ${names.join(', ')}`);
			}
			return [name, kind === 'number' ? Number(value) : kind === 'boolean' ? value === 'true' : value];
		}),
	);
}

/** Troubles of single users: `app-user-0042=fails`. */
function troubledUsers() {
	const names = Object.keys(TROUBLES);
	return Object.fromEntries(
		values['switch-user'].map((text) => {
			const [, user, trouble = ''] = /^(.*)=(.*)$/.exec(text) ?? [];
			if (!names.includes(trouble)) {
				throw new ReadableError(`--switch-user takes USER=TROUBLE. Troubles are: ${names.join(', ')}`);
			}
			return [user, /** @type {import('./troubles').TroubleName} */ (trouble)];
		}),
	);
}

/** The first words of each section and quirk, by its number in the page. */
function headings() {
	/** @param {string} page @param {string} kind @param {RegExp} pattern */
	const found = (page, kind, pattern) =>
		[...readFileSync(join(ROOT, 'docs', page), 'utf8').matchAll(pattern)].map(([, number, text]) => [
			`${kind} ${number}`,
			text.replaceAll(/`|(?<=^.{90}).+/g, ''),
		]);
	return Object.fromEntries([
		...found('contract.md', 'contract', /^##+ ([\d.]*\d)\.? (.*)$/gm),
		...found('quirks.md', 'quirk', /^\| (\d+) \| ([^|]+) \|/gm),
	]);
}

/** @param {string} url */
async function printComparison(url) {
	const key = process.env.HEALTH_DATA_SERVICE_KEY;
	if (!key) throw new ReadableError('Set HEALTH_DATA_SERVICE_KEY to an API key of the service');
	const findings = await compare(url, key).catch((error) => {
		throw new ReadableError(error.message);
	});
	const texts = headings();
	for (const { of, signs } of findings) {
		const [none, some] = of.startsWith('quirk') ? ['not seen', 'seen'] : ['as written', 'differs'];
		const result = signs ? (signs.length > 0 ? `${some}: ${signs.join('; ')}` : none) : 'no readings to tell';
		console.log(`${of.padEnd(12)} ${texts[of] ?? ''}\n             ${result}`);
	}
}

async function main() {
	if (values.compare) return await printComparison(values.compare);
	const sandbox = await startSandbox({
		port,
		switches: { ...sandboxSwitches(), users: troubledUsers() },
	}).catch((error) => {
		if (error.code !== 'EADDRINUSE') throw error;
		throw new ReadableError(`Port ${port} is in use. Choose another: npm run sandbox -- --port 4011`);
	});
	console.log(`The sandbox of the Health Data Service answers on this machine only. All people in it are invented.

Base URL   ${sandbox.baseUrl}
OpenAPI    ${sandbox.baseUrl}/openapi.json

API keys, and a user of each team by the client's own identifier and by user ID:`);
	for (const { key, users } of sandbox.world.teams) {
		const [{ client_user_id, user_id }] = users;
		console.log(`  ${key.padEnd(20)} ${String(users.length).padStart(5)} users   ${client_user_id}   ${user_id}`);
	}
	console.log('\nCtrl-C stops it.');
	process.once('SIGINT', async () => await sandbox.close());
}

void runAsScript(main);
