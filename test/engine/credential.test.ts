/**
 * Credential in n8n's engine: node, credential test and pickers read every spelling of the Base URL alike, and send the key only
 * there.
 */
import { runNode, searchList, testCredential } from '../helpers/engine';
import { textOf } from '../helpers/pages';
import { KEY } from '../helpers/people';
import { listUsers, resolve, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const used = useSandbox();
useVirtualTime();

it.each(['', '/v2/'])(
	'Base URL with "%s" at its end means the same to node, credential test and pickers',
	async (end) => {
		const credential = { ...used.credential, baseUrl: used.sandbox.baseUrl + end };
		const { rows, error } = await runNode({ credential, parameters: listUsers({ limit: 4 }) });
		expect([error, rows.length]).toEqual([undefined, 4]);
		expect(await testCredential(credential)).toMatchObject({ status: 'OK' });
		expect(used.sandbox.requests).toEqual(['/v2/user?offset=0&limit=4', '/v2/user?limit=1']);
		expect((await searchList(credential, 'searchUsers')).results).toHaveLength(4);
		const { results } = await searchList(credential, 'searchProviders');
		expect(results.map(({ value }) => value)).toEqual(['', 'omron', 'withings']);
	},
);

describe('the credential test', () => {
	const refusal = expect.stringContaining("The answer is not that of the Health Data Service. Check 'Base URL'");

	it('refuses a wrong key', async () => {
		const result = await testCredential({ ...used.credential, apiKey: 'wrong' });
		const message = expect.stringMatching(
			/^The service did not accept the API key\. Check 'API Key' and 'Base URL' together/,
		);
		expect(result).toEqual({ status: 'Error', message });
	});

	it.each([
		[403, /^The service did not accept the API key/],
		[404, /^The service has nothing at this address\. Check 'Base URL'/],
		[407, /^A proxy between n8n and the service asks for a password/],
		[500, /^Internal Server Error$/],
	])('status %i has its words', async (status, message) => {
		used.sandbox.switches.fault = () => ({ status });
		expect(await testCredential(used.credential)).toEqual({ status: 'Error', message: expect.stringMatching(message) });
	});

	it('refuses a login page', async () => {
		used.sandbox.switches.fault = () => ({ status: 200, body: '<html>', type: 'text/html' });
		expect(await testCredential(used.credential)).toEqual({ status: 'Error', message: refusal });
	});

	it('does not follow a redirect to another host', async () => {
		used.sandbox.switches.redirect = 'otherOrigin';
		const message = expect.stringMatching(/^The service redirects to another address/);
		expect(await testCredential(used.credential)).toEqual({ status: 'Error', message });
	});

	it('accepts a key that was pasted with a line break', async () => {
		expect(await testCredential({ ...used.credential, apiKey: ` ${KEY}\n` })).toMatchObject({ status: 'OK' });
	});
});

describe('unencrypted HTTP', () => {
	const refused = "'Base URL' in the credential must start with https://, or turn on 'Allow Unencrypted HTTP' there";

	it('is refused in node and test, and allowed by the switch', async () => {
		const credential = { baseUrl: 'http://health.example', apiKey: KEY };
		expect((await runNode({ credential, parameters: listUsers() })).error?.message).toBe(refused);
		expect(await testCredential(credential)).toEqual({ status: 'Error', message: refused });

		const allowed = await runNode({
			credential: { ...credential, baseUrl: 'http://health.invalid', allowHttp: true },
			parameters: listUsers(),
		});
		expect(allowed.error?.message).toBe('The service could not be reached');
	});
});

it('n8n evaluates {{ }} with the decrypted credential, so expressions can find out the key: SECURITY.md says so', async () => {
	const isStart = async (text: string) => {
		const guess = `={{ $credentials.apiKey.startsWith('${text}') ? 'no date'.toDateTime() : 'x' }}`;
		const { error } = await runNode({ credential: used.credential, parameters: resolve(guess) });
		return error?.message === 'cannot convert to Luxon DateTime';
	};
	expect(await isStart(KEY.slice(0, 5))).toBe(true);
	expect(await isStart(`${KEY.slice(0, 4)}?`)).toBe(false);
	expect(textOf('SECURITY.md')).toContain('with the decrypted credential as `$credentials`');
});
