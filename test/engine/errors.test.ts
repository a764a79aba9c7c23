/** Error messages in n8n's engine: words about the fields on the screen, linked to the item, never a key or a reading. */
import type { INodeParameters } from 'n8n-workflow';
import { runNode } from '../helpers/engine';
import { everythingIn } from '../helpers/inspect';
import { OTHER_KEY, people, readingsOf, SPECIAL, STEADY } from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, listUsers, resolve, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const used = useSandbox();
useVirtualTime();
const steady = () => bloodPressureOf(byUserId(STEADY.user_id));
const run = async (parameters: INodeParameters, more = {}) =>
	await runNode({ credential: used.credential, parameters, ...more });

it.each([
	['list', listUsers()],
	['resolve', resolve('steady')],
	['readings', steady()],
])('a wrong key is an error after one request: %s', async (_, parameters) => {
	const { error } = await run(parameters, { credential: { ...used.credential, apiKey: 'wrong-key-of-mine' } });
	expect(error).toMatchObject({ message: 'The service did not accept the API key (status 401)', httpCode: '401' });
	expect(error?.description).toContain("Check 'API Key' and 'Base URL' in the credential together");
	expect(everythingIn(error)).not.toContain('wrong-key-of-mine');
	expect(used.sandbox.requests).toHaveLength(1);
});

it('a user of another team is unknown, and the error names the key', async () => {
	const { error } = await run(steady(), { credential: { ...used.credential, apiKey: OTHER_KEY } });
	expect(error?.message).toBe("There is no such user: the service does not know the 'User'");
	expect(error?.description).toContain('key belongs to the team of this user');
});

describe('refused before any request', () => {
	it.each<[string, INodeParameters]>([
		// What n8n lets pass only when it comes of an expression.
		["'User' is not a user ID", bloodPressureOf(byUserId('={{ "app-user-0001" }}'))],
		["'User' is not a user ID", bloodPressureOf(byUserId('={{ "../../admin" }}'))],
		["'User' is empty", bloodPressureOf(byUserId('={{ "" }}'))],
	])('%s: %j', async (message, parameters) => {
		const { error } = await run(parameters);
		expect(error?.message).toBe(message);
		expect(error?.description).toBeTruthy();
		expect(used.sandbox.requests).toEqual([]);
	});
});

it.each([
	["The service's answer is not the data that was asked for", 'null'],
	["The service's answer has no 'groups'", '{ "groups": [] }'],
])('%s: %s', async (message, body) => {
	used.sandbox.switches.fault = () => ({ status: 200, body, type: 'application/json' });
	expect((await run(steady())).error?.message).toBe(message);
});

it('a service that does not listen is named', async () => {
	const { error } = await run(listUsers(), { credential: { baseUrl: 'http://127.0.0.1:9', apiKey: 'key-of-mine' } });
	expect(error?.message).toBe('The service could not be reached');
	expect(error?.description).toBe(
		"Tried 7 times in 0 seconds. Nothing answers at 127.0.0.1:9. Check 'Base URL' in the credential",
	);
	expect(everythingIn(error)).not.toContain('key-of-mine');
});

describe('On Error {{ }}', () => {
	const input = [{ id: SPECIAL.client_user_id }, { id: 'unknown' }, { id: 'silent' }];
	const parameters = bloodPressureOf(byClientId('={{ $json.id }}'));

	it('stops with the number of the item', async () => {
		const { error } = await run(parameters, { input });
		expect(error?.context).toMatchObject({ itemIndex: 1 });
	});

	it('continues with an item that describes the error, linked to its input item', async () => {
		const { items, error } = await run(parameters, { input, onError: 'continueRegularOutput' });
		expect(error).toBeUndefined();
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 0 }, { item: 0 }, { item: 1 }]);
		expect(items[3].json).toEqual({
			error: "There is no user with this 'Client User ID'",
			details: expect.stringContaining('Check the identifier'),
		});
	});

	it('sends it to the error output, linked to its input item, without an effect on others', async () => {
		const { items, errorItems } = await run(parameters, { input, onError: 'continueErrorOutput' });
		expect(items).toHaveLength(readingsOf(people(), SPECIAL).length);
		expect(errorItems).toHaveLength(1);
		expect(errorItems[0].json).toMatchObject({ id: 'unknown', error: "There is no user with this 'Client User ID'" });
	});
});
