/** `npm run sandbox -- --compare`: what a service shows, with the sandbox as that service. */
import { compare } from '../../dev/sandbox/compare';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { defaultSwitches, type Switches } from '../../dev/sandbox/switches';
import { createWorld } from '../../dev/sandbox/world';

const world = createWorld([{ key: 'a-key', users: 6 }]);
const [, user] = world.teams[0].users;
let sandbox: Sandbox;
beforeAll(async () => void (sandbox = await startSandbox({ world, checksItself: false })));
afterEach(() => void Object.assign(sandbox.switches, defaultSwitches()));
afterAll(async () => await sandbox.close());

const findings = async (switches: Partial<Switches> = {}) => {
	Object.assign(sandbox.switches, switches);
	const found = await compare(sandbox.baseUrl, 'a-key', Date.UTC(2026, 2, 20));
	return Object.fromEntries(found.map(({ of, signs }) => [of, signs]));
};

it('the sandbox keeps the contract, and shows few quirks by itself', async () => {
	const found = Object.entries(await findings()).filter(([, signs]) => signs?.length !== 0);
	expect(Object.fromEntries(found)).toEqual({
		'quirk 9': ['offset, 6 digits of a second'],
		'quirk 10': ['refuses +'],
		'quirk 16': ['status 404', 'detail is string'],
		'quirk 17': ['status 422', 'detail is a list'],
		'quirk 18': ['status 401', 'detail is string'],
		'quirk 26': ['repeats a value that it was given'],
	});
});

it('finds no values', async () => {
	const found = JSON.stringify(await findings({ extraFields: true, oddValues: true }));
	for (const value of ['a-key', user.user_id, user.client_user_id]) expect(found).not.toContain(value);
});
