/**
 * Credential in n8n's engine: node, credential test and pickers read every spelling of the Base URL alike, and send the key only
 * there.
 */
import type { Switches } from '../../dev/sandbox/switches';
import { searchList, testCredential, useRunner } from '../helpers/engine';
import { textOf } from '../helpers/pages';
import { KEY } from '../helpers/people';
import { listUsers, resolve } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const used = useRunner();
useVirtualTime();

it.each(['', '/v2/'])(
	'Base URL with "%s" at its end means the same to node, credential test and pickers',
	async (end) => {
		const credential = { ...used.credential, baseUrl: used.sandbox.baseUrl + end };
		const { rows, error } = await used.run(listUsers({ limit: 4 }), { credential });
		expect([error, rows.length]).toEqual([undefined, 4]);
		expect(await testCredential(credential)).toMatchObject({ status: 'OK' });
		expect(used.sandbox.requests).toEqual(['/v2/user?offset=0&limit=4', '/v2/user?limit=1']);
		expect((await searchList(credential, 'searchUsers')).results).toHaveLength(4);
		const { results } = await searchList(credential, 'searchProviders');
		expect(results.map(({ value }) => value)).toEqual(['', 'omron', 'withings']);
	},
);

describe('the credential test', () => {
	it('refuses a wrong key', async () => {
		const result = await testCredential({ ...used.credential, apiKey: 'wrong' });
		const message = expect.stringMatching(
			/^The service did not accept the API key\. Check 'API Key' and 'Base URL' together/,
		);
		expect(result).toEqual({ status: 'Error', message });
	});

	const page = { status: 200, body: '<html>', type: 'text/html' };
	it.each<[string, Partial<Switches>, RegExp]>([
		['status 403', { fault: () => ({ status: 403 }) }, /^The service did not accept the API key/],
		['status 404', { fault: () => ({ status: 404 }) }, /^The service has nothing at this address\. Check 'Base URL'/],
		['status 407', { fault: () => ({ status: 407 }) }, /^A proxy between n8n and the service asks for a password/],
		['status 500', { fault: () => ({ status: 500 }) }, /^Internal Server Error$/],
		['a login page', { fault: () => page }, /The answer is not that of the Health Data Service\. Check 'Base URL'/],
		['a redirect to another host', { redirect: 'otherOrigin' }, /^The service redirects to another address/],
	])('refuses %s, in its words', async (_, switches, message) => {
		Object.assign(used.sandbox.switches, switches);
		expect(await testCredential(used.credential)).toEqual({ status: 'Error', message: expect.stringMatching(message) });
	});

	it('accepts a key that was pasted with a line break', async () => {
		expect(await testCredential({ ...used.credential, apiKey: ` ${KEY}\n` })).toMatchObject({ status: 'OK' });
	});
});

it('unencrypted HTTP is refused in node and test, and allowed by the switch', async () => {
	const refused = "'Base URL' in the credential must start with https://, or turn on 'Allow Unencrypted HTTP' there";
	const credential = { baseUrl: 'http://health.example', apiKey: KEY };
	expect((await used.run(listUsers(), { credential })).error?.message).toBe(refused);
	expect(await testCredential(credential)).toEqual({ status: 'Error', message: refused });

	const allowed = { ...credential, baseUrl: 'http://health.invalid', allowHttp: true };
	expect((await used.run(listUsers(), { credential: allowed })).error?.message).toBe(
		'The service could not be reached',
	);
});

it('n8n evaluates {{ }} with the decrypted credential, so expressions can find out the key: SECURITY.md says so', async () => {
	const isStart = async (text: string) => {
		const guess = `={{ $credentials.apiKey.startsWith('${text}') ? 'no date'.toDateTime() : 'x' }}`;
		const { error } = await used.run(resolve(guess));
		return error?.message === 'cannot convert to Luxon DateTime';
	};
	expect(await isStart(KEY.slice(0, 5))).toBe(true);
	expect(await isStart(`${KEY.slice(0, 4)}?`)).toBe(false);
	expect(textOf('SECURITY.md')).toContain('with the decrypted credential as `$credentials`');
});
