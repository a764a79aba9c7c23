/**
 * Credential in n8n's engine: node, credential test and pickers read the Base URL alike, and send the key only there. Its protection
 * from people who may edit a workflow, also in n8n's HTTP Request node: listening proxies, unchecked certificates, other domains.
 */
import { NodeConnectionTypes, type IExecuteFunctions, type INodeType } from 'n8n-workflow';
import { WorkflowExecute } from 'n8n-core';
import type { Switches } from '../../dev/sandbox/switches';
import {
	build,
	CREDENTIAL,
	runNode,
	searchList,
	startNodeType,
	testCredential,
	useRunner,
	type Credential,
} from '../helpers/engine';
import { everythingIn, requestAsHttpRequestNode } from '../helpers/machine';
import { SELF_SIGNED, listeningProxy, selfSignedService, type Listener } from '../helpers/listeners';
import { PollingHost } from '../helpers/pollingHost';
import { textOf } from '../helpers/pages';
import { KEY as TEAM_KEY } from '../helpers/people';
import { listUsers, resolve } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

describe('of the sandbox', () => {
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
		const page = { status: 200, body: '<html>', type: 'text/html' };
		it.each<[string, Partial<Switches>, RegExp]>([
			[
				'a wrong key',
				{ fault: () => ({ status: 401 }) },
				/^The service did not accept the API key\. Check 'API Key' and 'Base URL' together/,
			],
			['status 404', { fault: () => ({ status: 404 }) }, /^The service has nothing at this address\. Check 'Base URL'/],
			['status 407', { fault: () => ({ status: 407 }) }, /^A proxy between n8n and the service asks for a password/],
			['status 500', { fault: () => ({ status: 500 }) }, /^Internal Server Error$/],
			['a login page', { fault: () => page }, /The answer is not that of the Health Data Service\. Check 'Base URL'/],
			['a redirect to another host', { redirect: 'otherOrigin' }, /^The service redirects to another address/],
		])('refuses %s, in its words', async (_, switches, message) => {
			Object.assign(used.sandbox.switches, switches);
			expect(await testCredential(used.credential)).toEqual({
				status: 'Error',
				message: expect.stringMatching(message),
			});
		});

		it('accepts a key that was pasted with a line break', async () => {
			expect(await testCredential({ ...used.credential, apiKey: ` ${TEAM_KEY}\n` })).toMatchObject({ status: 'OK' });
		});
	});

	it('unencrypted HTTP is refused in node and test, and allowed by the switch', async () => {
		const refused = "'Base URL' in the credential must start with https://, or turn on 'Allow Unencrypted HTTP' there";
		const credential = { baseUrl: 'http://health.example', apiKey: TEAM_KEY };
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
		expect(await isStart(TEAM_KEY.slice(0, 5))).toBe(true);
		expect(await isStart(`${TEAM_KEY.slice(0, 4)}?`)).toBe(false);
		expect(textOf('SECURITY.md')).toContain('with the decrypted credential as `$credentials`');
	});
});

const KEY = 'sk-key-that-must-not-leak';
const ELSEWHERE = 'https://health.test';

let proxy: Listener;
let service: Listener;
beforeAll(async () => ([proxy, service] = await Promise.all([listeningProxy(), selfSignedService()])));
afterEach(() => [proxy, service].forEach(({ handed }) => (handed.length = 0)));
afterAll(async () => await Promise.all([proxy.close(), service.close()]));

type Options = { proxy?: boolean; allowUnauthorizedCerts?: boolean };
const credentialFor = (baseUrl: string, more: Partial<Credential> = {}): Credential => ({
	baseUrl,
	apiKey: KEY,
	...more,
});
const proxyUrl = () => `http://127.0.0.1:${proxy.port}`;

/** Our node with its Request Options. */
async function node(credential: Credential, { proxy: withProxy, allowUnauthorizedCerts }: Options): Promise<string> {
	const requestOptions = {
		...(withProxy && { proxy: proxyUrl() }),
		...(allowUnauthorizedCerts && { allowUnauthorizedCerts }),
	};
	const { error, run } = await runNode({ credential, parameters: { ...listUsers(), requestOptions } });
	expect(everythingIn(run).replaceAll(JSON.stringify(credential), '')).not.toContain(KEY);
	return error ? `${error.message}. ${error.description}` : 'OK';
}

/** What n8n's HTTP Request node does with these options. */
async function httpRequestNode(
	credential: Credential,
	{ proxy: withProxy, allowUnauthorizedCerts, ca }: Options & { ca?: string },
): Promise<string> {
	const { description } = startNodeType([]);
	const type: INodeType = {
		description: {
			...description,
			name: 'request',
			inputs: [NodeConnectionTypes.Main],
			credentials: [{ name: CREDENTIAL }],
		},
	};
	const { workflow, additionalData } = build(type, { credential, parameters: {} });
	type.execute = async function (this: IExecuteFunctions) {
		const request = {
			uri: `${credential.baseUrl}/v2/user`,
			method: 'GET' as const,
			headers: {},
			gzip: true,
			followRedirect: false,
			resolveWithFullResponse: true,
			rejectUnauthorized: !allowUnauthorizedCerts,
			...(withProxy && { proxy: proxyUrl() }),
			...(ca && { agentOptions: { ca } }),
		};
		await requestAsHttpRequestNode(this, CREDENTIAL, request);
		return [[]];
	};
	const run = await new WorkflowExecute(additionalData, 'manual').run({
		workflow,
		startNode: workflow.getNode('Start')!,
	});
	const error = run.data.resultData.error as { message: string; description?: string } | undefined;
	return error ? `${error.message}. ${error.description}` : 'OK';
}

const OF_THE_CREDENTIAL = /'Ignore SSL Issues \(Insecure\)' in the credential/;
const PROXY = /^A proxy of a node could read the API key/;

describe.each([
	['the node', node],
	["n8n's HTTP Request node", httpRequestNode],
])('%s', (_, send) => {
	it.each<[string, Partial<Credential>, Options, RegExp]>([
		[ELSEWHERE, {}, { allowUnauthorizedCerts: true }, OF_THE_CREDENTIAL],
		[ELSEWHERE, { allowUnauthorizedCerts: true }, { proxy: true }, PROXY],
	])('%s, credential %p, node %p: refused before anything is sent', async (baseUrl, credential, options, message) => {
		expect(await send(credentialFor(baseUrl, credential), options)).toMatch(message);
		expect([...proxy.handed, ...service.handed]).toEqual([]);
	});

	it('sends a proxy nothing but the name of the service when the certificate is checked', async () => {
		expect(await send(credentialFor(ELSEWHERE), { proxy: true })).not.toBe('OK');
		expect(new Set(proxy.handed)).toEqual(new Set(['CONNECT health.test:443']));
	});

	it('sends nothing over an unverified certificate, unless the credential allows it', async () => {
		const baseUrl = `https://127.0.0.1:${service.port}`;
		expect(await send(credentialFor(baseUrl), {})).not.toBe('OK');
		expect(service.handed).toEqual([]);
		expect(await send(credentialFor(baseUrl, { allowUnauthorizedCerts: true }), {})).toBe('OK');
		expect(service.handed).toEqual([expect.stringContaining(KEY)]);
	});

	it('keeps to the allowed domains', async () => {
		const domains = { allowedHttpRequestDomains: 'domains', allowedDomains: '*.health.test' };
		const sent = await send(credentialFor(ELSEWHERE, domains), { proxy: true });
		expect(sent).toMatch(/not allow requests to health\.test/);
		expect(proxy.handed).toEqual([]);
	});
});

it('an authority set in the node does not verify a certificate', async () => {
	const { cert } = SELF_SIGNED;
	expect(await httpRequestNode(credentialFor(ELSEWHERE), { proxy: true, ca: cert })).toMatch(/certificate authority/);
	expect(proxy.handed).toEqual([]);
});

const SENDERS: Array<[string, (credential: Credential) => Promise<unknown>, RegExp]> = [
	['the pickers', async (credential) => await searchList(credential, 'searchUsers'), /^OK$/],
	// The list is empty: it was read.
	[
		'the trigger',
		async (credential) => await new PollingHost(credential, { event: 'user' }).fetchTestEvent(),
		/^The test found no user/,
	],
];
const outcomeOf = async (sent: Promise<unknown>) =>
	await sent.then(
		() => 'OK',
		({ message, description }) => `${message}. ${description}`,
	);

it.each(SENDERS)('%s: the certificate is verified, unless the credential turns it off', async (_, send, success) => {
	const credential = credentialFor(`https://127.0.0.1:${service.port}`);
	expect(await outcomeOf(send(credential))).toMatch(
		/its certificate is not trusted \(\w*SELF_SIGNED\w*\).*'Ignore SSL Issues \(Insecure\)'/,
	);
	expect(service.handed).toEqual([]);
	expect(await outcomeOf(send({ ...credential, allowUnauthorizedCerts: true }))).toMatch(success);
	expect(service.handed).not.toEqual([]);
});

it("the credential test verifies it too, and n8n's None only concerns the HTTP Request node", async () => {
	const credential = credentialFor(`https://127.0.0.1:${service.port}`, { allowedHttpRequestDomains: 'none' });
	const insecure = { ...credential, allowUnauthorizedCerts: true };
	expect((await testCredential(credential)).status).toBe('Error');
	expect(service.handed).toEqual([]);
	expect((await testCredential(insecure)).status).toBe('OK');
	expect(await outcomeOf(searchList(insecure, 'searchUsers'))).toBe('OK');
	expect(await node(insecure, {})).toBe('OK');
});

it('the node asks for JSON', async () => {
	await node(credentialFor(`https://127.0.0.1:${service.port}`, { allowUnauthorizedCerts: true }), {});
	expect(service.handed[0]).toMatch(/ Accept application\/json /i);
});
