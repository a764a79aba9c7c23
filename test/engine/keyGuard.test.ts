/**
 * Protection of the API key from people who may edit a workflow: listening proxies, unchecked certificates and domains that are
 * not allowed, in the node, the pickers, the credential test and n8n's HTTP Request node.
 */
import { NodeConnectionTypes, type IExecuteFunctions, type INodeType } from 'n8n-workflow';
import { WorkflowExecute } from 'n8n-core';
import {
	build,
	CREDENTIAL,
	runNode,
	searchList,
	startNodeType,
	testCredential,
	type Credential,
} from '../helpers/engine';
import { everythingIn, requestAsHttpRequestNode } from '../helpers/machine';
import { SELF_SIGNED, listeningProxy, selfSignedService, type Listener } from '../helpers/listeners';
import { PollingHost } from '../helpers/pollingHost';
import { listUsers } from '../helpers/requests';

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
		['http://health.test', { allowHttp: true }, { proxy: true }, PROXY],
	])('%s, credential %p, node %p: refused before anything is sent', async (baseUrl, credential, options, message) => {
		expect(await send(credentialFor(baseUrl, credential), options)).toMatch(message);
		expect([...proxy.handed, ...service.handed]).toEqual([]);
	});

	it('sends a proxy nothing but the name of the service when the certificate is checked', async () => {
		expect(await send(credentialFor(ELSEWHERE), { proxy: true })).not.toBe('OK');
		expect(new Set(proxy.handed)).toEqual(new Set(['CONNECT health.test:443']));
	});

	it('sends a local proxy nothing for a local service: it could be a webhook of n8n', async () => {
		expect(await send(credentialFor('http://127.0.0.1:9'), { proxy: true })).toMatch(PROXY);
		expect(proxy.handed).toEqual([]);
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
