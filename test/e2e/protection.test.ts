/**
 * The key and the sound items in n8n itself, newest and oldest: one failing expression among many items, and
 * ways to read the key with n8n's own nodes. Each way is tried without the credential too, where it works.
 */
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { N8N_HOME, N8N_HOMES } from '../../dev/host/hostPaths';
import { chain, node } from '../../dev/host/workflow';
import { WITHOUT_EDITOR } from '../../dev/host/n8nEnvironment';
import { textOf } from '../helpers/folder';
import { doorbell, selfSignedService } from '../helpers/listeners';
import { expectedRows, KEY, people, readingsOf, STEADY } from '../helpers/people';
import { bloodPressureOf, byUserId } from '../helpers/requests';
import { oneNode, requestNode, useHost } from './n8n';

const isOldest = N8N_HOME === N8N_HOMES.oldest;

const host = useHost(people(), { env: WITHOUT_EDITOR });
let credential: string;
beforeAll(async () => void (credential = await host.credential(KEY)));
beforeEach(() => void (host.sandbox.requests.length = 0));

describe('100 items, and the expression of one fails', () => {
	const GOOD = '2026-03-02T08:00:00Z';
	const parameters = bloodPressureOf(byUserId(STEADY.user_id), {
		startDate: '={{ $json.t.toDateTime().toISODate() }}',
		endDate: '2026-03-02',
	});

	/** @param bad index of the item that fails */
	async function run(bad: number, onError: string, operation = 'bloodPressure') {
		const [start, ours] = oneNode(credential, { ...parameters, operation }).nodes;
		const input = Array.from({ length: 100 }, (_, index) => ({ json: { t: index === bad ? 'someday' : GOOD } }));
		const workflow = await host.rest.importWorkflow({
			...oneNode(credential, parameters),
			nodes: [start, { ...ours, onError }],
			pinData: { [start.name]: input },
		});
		const { status, error, runData } = await host.rest.runWorkflow(workflow.id);
		const [rows = [], errors = []]: INodeExecutionData[][] = runData.Node?.[0]?.data?.main ?? [];
		return { status, error, rows, errors };
	}
	const goodRows = expectedRows(STEADY, readingsOf(people(), STEADY)).filter(({ timestamp }) =>
		String(timestamp).startsWith('2026-03-02'),
	);
	const noUnhandledRejection = () => expect(textOf(host.logFile)).not.toMatch(/unhandled|uncaught/i);

	it.each([0, 57, 99])('On Error Continue, item %i: the others come', async (bad) => {
		const { status, error, rows } = await run(bad, 'continueRegularOutput');
		noUnhandledRejection();
		if (isOldest) {
			// n8n 2.8.4 throws for the whole node: with Continue, it passes the input items on.
			expect(rows.filter(({ json }) => 'systolic' in json)).toEqual([]);
			return;
		}
		expect([status, error]).toEqual(['success', undefined]);
		const failed = rows.filter(({ json, error: own }) => json.error !== undefined || own !== undefined);
		expect(failed).toHaveLength(1);
		const good = rows.filter((row) => !failed.includes(row));
		expect(good).toHaveLength(99 * goodRows.length);
		expect(new Set(good.map(({ pairedItem }) => (pairedItem as { item: number }).item)).size).toBe(99);
		expect(failed[0].pairedItem).not.toEqual(expect.objectContaining({ item: bad === 0 ? 1 : 0 }));
	});

	it('On Error Stop: one error, nothing is sent', async () => {
		// Its requests differ from those that n8n 2.8.4 still sends for the tests before.
		const { status, error } = await run(57, 'stopWorkflow', 'mindfulnessMinutes');
		noUnhandledRejection();
		expect(status).toBe('error');
		expect(error?.message).toBeTruthy();
		expect(host.sandbox.requests.filter((url) => url.includes('mindfulness'))).toEqual([]);
	});
});

/** n8n's HTTP Request node, with or without the credential. */
async function httpRequest(url: string, options: INodeParameters, credentialId?: string) {
	const workflow = await host.rest.importWorkflow(requestNode(url, options, credentialId));
	const { status, error } = await host.rest.runWorkflow(workflow.id);
	return { status, message: error?.message as string | undefined };
}

it('a certificate that is not trusted is named at once', async () => {
	const service = await selfSignedService();
	const { error } = await host.run(
		await host.credential(KEY, `https://127.0.0.1:${service.port}`),
		bloodPressureOf(byUserId(STEADY.user_id)),
	);
	expect(error?.description).toContain('because its certificate is not trusted');
	expect(service.handed).toEqual([]);
	await service.close();
});

it('agentOptions of a pagination cannot lead the key elsewhere', async () => {
	const elsewhere = await doorbell();
	const options = {
		pagination: {
			pagination: {
				paginationMode: 'updateAParameterInEachRequest',
				parameters: {
					parameters: [
						{ type: 'agentOptions', name: 'host', value: '127.0.0.1' },
						{ type: 'agentOptions', name: 'port', value: String(elsewhere.port) },
					],
				},
				paginationCompleteWhen: 'responseIsEmpty',
				limitPagesFetched: true,
				maxRequests: 1,
			},
		},
		timeout: 5000,
	} as unknown as INodeParameters;
	const secured = await host.credential(KEY, 'https://health.test');
	const guarded = await httpRequest('https://health.test/v2/user', options, secured);
	expect(elsewhere.handed).toEqual([]);
	expect(guarded.status).toBe('error');
	if (isOldest) expect(guarded.message).toContain('only sent with a client certificate of the node');
	// n8n 2.41.1 refuses such parameters itself.
	await httpRequest('https://health.test/v2/user', options);
	expect(elsewhere.handed.length > 0).toBe(isOldest);
	await elsewhere.close();
});

describe("n8n's own webhook", () => {
	let hook: { id: string };
	const executions = async () => await host.rest.executions(hook.id);
	beforeAll(async () => {
		const webhook = node('Webhook', 'n8n-nodes-base.webhook', 2, { path: 'steal', responseMode: 'onReceived' });
		const nodes = [{ ...webhook, webhookId: '6c1e6f0e-5a0c-4a55-8a5e-0d4f6f3c0f11' }];
		const workflow = await host.rest.importWorkflow(chain('Webhook', nodes));
		await host.rest.activate(workflow);
		hook = workflow;
	});

	it('as the proxy of a node does not get the key', async () => {
		const proxy = host.url;
		const url = `${host.sandbox.baseUrl}/webhook/steal`;
		const before = (await executions()).length;
		const guarded = await httpRequest(url, { proxy }, credential);
		expect(guarded.message).toContain('A proxy of a node could read the API key');
		const { error } = await host.run(credential, {
			...bloodPressureOf(byUserId(STEADY.user_id)),
			requestOptions: { proxy },
		});
		expect(error?.message).toContain('A proxy of a node could read the API key');
		expect(await executions()).toHaveLength(before);
		expect((await httpRequest(url, { proxy })).status).toBe('success');
		expect(await executions()).toHaveLength(before + 1);
	});

	it('beside the Base URL does not get the key', async () => {
		const below = await host.credential(KEY, `${host.url}/health`);
		const before = (await executions()).length;
		for (const path of [
			'/webhook/steal',
			'/health/../webhook/steal',
			'/health/%2e%2e/webhook/steal',
			'/health/..%2fwebhook/steal',
			'/health\\..\\webhook\\steal',
			'//webhook/steal',
		]) {
			const guarded = await httpRequest(host.url + path, {}, below);
			expect([path, guarded.status]).toEqual([path, 'error']);
			expect([path, guarded.message]).toEqual([path, expect.stringContaining('Base URL')]);
		}
		expect(await executions()).toHaveLength(before);
		expect((await httpRequest(`${host.url}/health/../webhook/steal`, {})).status).toBe('success');
		expect(await executions()).toHaveLength(before + 1);
	});
});
