/**
 * `npm run sandbox`: the sandbox by itself, until Ctrl-C. Prints what a credential needs, and users to read.
 */
const { readSwitches } = require('../install/switches');
const { setUp } = require('../install/setUp');

const values = readSwitches({
	name: 'npm run sandbox',
	about: `The sandbox by itself, until Ctrl-C: the service with invented people, on this machine only. Prints what a credential
needs, and users to read. Each switch is explained in dev/sandbox/switches.ts, each trouble in dev/sandbox/troubles.ts:

npm run sandbox -- --port 4011 --page-size 7 --switch emptyPages --switch timestamps=z --switch-user app-user-0042=fails`,
	switches: {
		port: { type: 'number', default: 4010, about: 'where it answers', value: 'PORT' },
		'page-size': { type: 'number', about: 'readings on a page' },
		latency: { type: 'number', about: 'milliseconds before every answer' },
		switch: { type: 'string', multiple: true, about: 'what it does otherwise than usual', value: 'NAME=VALUE' },
		'switch-user': { type: 'string', multiple: true, about: 'what is wrong with one user', value: 'USER=TROUBLE' },
	},
});
setUp();
require('tsx/cjs');
const { runAsScript } = require('../install/command');
const { ReadableError } = require('../install/failure');
const { startSandbox } = require('./server.ts');
const { defaultSwitches } = require('./switches.ts');
const { TROUBLES } = require('./troubles.ts');

/** Switches given by name. The type of a value is that of the switch's default. */
function sandboxSwitches() {
	/** @type {Record<string, unknown>} */
	const defaults = { ...defaultSwitches() };
	const given = [...values.switch];
	if (values['page-size']) given.push(`pageSize=${values['page-size']}`);
	if (values.latency) given.push(`latencyMs=${values.latency}`);

	return Object.fromEntries(
		given.map((text) => {
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

async function main() {
	const sandbox = await startSandbox({
		port: values.port,
		switches: { ...sandboxSwitches(), users: troubledUsers() },
	}).catch((error) => {
		if (error.code !== 'EADDRINUSE') throw error;
		throw new ReadableError(`Port ${values.port} is in use. Choose another: npm run sandbox -- --port 4011`);
	});
	console.log(`The sandbox of the Health Data Service answers on this machine only. All people in it are invented.

Base URL   ${sandbox.baseUrl}
OpenAPI    ${sandbox.baseUrl}/openapi.json

API keys, and a user of each team by the client's own identifier and by user ID:`);
	for (const { key, users } of sandbox.world.teams) {
		console.log(
			`  ${key.padEnd(20)} ${String(users.length).padStart(5)} users   ${users[0].client_user_id}   ${users[0].user_id}`,
		);
	}
	console.log('\nCtrl-C stops it.');
	process.once('SIGINT', async () => await sandbox.close());
}

void runAsScript(main);
