/**
 * Error messages in n8n's engine: words about the fields on the screen, linked to the item, never a key or a reading.
 */
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

describe('a wrong key', () => {
	it.each([
		['list', listUsers()],
		['resolve', resolve('steady')],
		['readings', steady()],
	])('%s', async (_, parameters) => {
		const { error } = await run(parameters, { credential: { ...used.credential, apiKey: 'wrong-key-of-mine' } });
		expect(error).toMatchObject({ message: 'The service did not accept the API key (status 401)', httpCode: '401' });
		expect(error?.description).toContain("Check 'API Key' and 'Base URL' in the credential together");
		expect(everythingIn(error)).not.toContain('wrong-key-of-mine');
		// It would not get better by asking again.
		expect(used.sandbox.requests).toHaveLength(1);
	});

	it.each([
		[401, '<html>'],
		[403, { message: 'no' }],
		[403, ''],
	])('status %i with any body', async (status, body) => {
		used.sandbox.switches.fault = () => ({ status, body });
		expect((await run(listUsers())).error?.message).toBe(`The service did not accept the API key (status ${status})`);
	});
});

describe('an unknown user', () => {
	it('by user ID', async () => {
		const { error } = await run(bloodPressureOf(byUserId('00000000-0000-4000-8000-000000000000')));
		expect(error).toMatchObject({
			message: "There is no such user: the service does not know the 'User'",
			httpCode: '404',
		});
	});

	it('by user ID of another team', async () => {
		const { error } = await run(steady(), { credential: { ...used.credential, apiKey: OTHER_KEY } });
		expect(error?.description).toContain('key belongs to the team of this user');
	});

	it('by client user ID', async () => {
		const { error } = await run(bloodPressureOf(byClientId('unknown')));
		expect(error?.message).toBe("There is no user with this 'Client User ID'");
	});
});

describe('refused before any request', () => {
	it.each<[string, INodeParameters]>([
		// What n8n lets pass only when it comes of an expression.
		["'User' is not a user ID", bloodPressureOf(byUserId('={{ "app-user-0001" }}'))],
		["'User' is not a user ID", bloodPressureOf(byUserId('={{ "../../admin" }}'))],
		["'User' is empty", bloodPressureOf(byUserId('={{ "" }}'))],
		["'Client User ID' is empty", bloodPressureOf(byClientId(''))],
		["'Start Date' is not a date", { ...steady(), startDate: 'soon' }],
		["'Start Date' is not a date", { ...steady(), startDate: '01/02/2026' }],
		["'Start Date' is empty", { ...steady(), startDate: '' }],
		["'End Date' is not a date", { ...steady(), endDate: '2026-02-30' }],
		["'End Date' is before 'Start Date'", { ...steady(), endDate: '2026-02-28' }],
		["'Time Zone' is not a known time zone", { ...steady(), options: { timeZone: 'Europe/Atlantis' } }],
	])('%s: %j', async (message, parameters) => {
		const { error } = await run(parameters);
		expect(error?.message).toBe(message);
		expect(error?.description).toBeTruthy();
		expect(used.sandbox.requests).toEqual([]);
	});
});

describe("the service's own words are not repeated, in any shape", () => {
	const invalid = (detail: unknown) => ({ status: 422, body: { detail } });
	it.each([
		[
			"The service did not accept 'Start Date'",
			"Check the value of 'Start Date'",
			[{ type: 'x', loc: ['query', 'start_date'], msg: 'not a date', input: 'secret' }],
		],
		[
			"The service did not accept 'Provider'",
			"Check the value of 'Provider'",
			[{ loc: ['query', 'provider'], msg: 'secret' }],
		],
		['The service did not accept the request', 'Check the values', 'secret'],
		['The service did not accept the request', 'Check the values', { error_type: 'X', error_message: 'secret' }],
		['The service did not accept the request', 'Check the values', undefined],
	])('%s', async (message, description, detail) => {
		used.sandbox.switches.fault = () => invalid(detail);
		const { error } = await run(steady());
		expect(error?.message).toBe(message);
		expect(error?.description).toContain(description);
		expect(error?.description).not.toContain('secret');
	});
});

describe('answers that are not the data', () => {
	it.each([
		['A web page came back instead of data', { status: 200, body: '<html>Log in</html>', type: 'text/html' }],
		["The service's answer is not the data that was asked for", { status: 200, body: [1, 2] }],
		[
			"The service's answer is not the data that was asked for",
			{ status: 200, body: 'null', type: 'application/json' },
		],
		["The service's answer has no 'groups'", { status: 200, body: { next_cursor: null } }],
		["The service's answer has no 'groups'", { status: 200, body: { groups: [] } }],
		["The service's answer has no 'data'", { status: 200, body: { groups: { omron: [{ data: 5 }] } } }],
	])('%s', async (message, fault) => {
		used.sandbox.switches.fault = () => fault;
		const { error, rows } = await run(steady());
		expect(error?.message).toBe(message);
		expect(rows).toEqual([]);
	});

	it('a user list without users', async () => {
		used.sandbox.switches.fault = () => ({ status: 200, body: { groups: {} } });
		expect((await run(listUsers())).error?.message).toBe("The service's answer has no 'users'");
	});
});

describe('no answer', () => {
	it('no service listens', async () => {
		const { error } = await run(listUsers(), { credential: { baseUrl: 'http://127.0.0.1:9', apiKey: 'key-of-mine' } });
		expect(error).toMatchObject({ message: 'The service could not be reached' });
		expect(error?.description).toBe(
			"Tried 7 times in 0 seconds. Nothing answers at 127.0.0.1:9. Check 'Base URL' in the credential",
		);
		expect(everythingIn(error)).not.toContain('key-of-mine');
	});

	it.each(['beforeAnswer', 'insideBody'] as const)('the connection drops %s', async (drop) => {
		used.sandbox.switches.fault = () => ({ drop });
		const { error, rows } = await run(steady());
		expect(error?.message).toBe('The service could not be reached');
		expect(everythingIn(error)).not.toContain(used.credential.apiKey);
		expect(rows).toEqual([]);
	});
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
