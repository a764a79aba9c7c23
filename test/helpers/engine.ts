/**
 * Runner for our node in n8n's real engine (n8n-core's WorkflowExecute, RoutingNode and contexts) over real HTTP.
 * Only what the n8n server alone owns is replaced: where credentials are stored, and the register of node types.
 */
import {
	DirectoryLoader,
	ExecutionLifecycleHooks,
	LoadOptionsContext,
	RoutingNode,
	WorkflowExecute,
	type ExecuteContext,
} from 'n8n-core';
import {
	NodeConnectionTypes,
	NodeHelpers,
	Workflow,
	type ICredentialDataDecryptedObject,
	type ICredentialsHelper,
	type IDataObject,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
	type INodeListSearchResult,
	type INodeParameters,
	type INodeType,
	type INodeTypes,
	type IRun,
	type WorkflowExecuteMode,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { HealthDataServiceApi } from '../../credentials/HealthDataServiceApi.credentials';
import { HealthDataService } from '../../nodes/HealthDataService/HealthDataService.node.ts';
import type { ServiceCredential } from '../../nodes/HealthDataService/http/authenticate';
import { chain, CREDENTIAL_TYPE, node as storedNode, NODE_TYPE } from '../../dev/host/workflow';
import { useSandbox } from './requests';
import { n8nLogger } from './machine';

export const CREDENTIAL = CREDENTIAL_TYPE;

export type Credential = ServiceCredential;

/** By the index of the item, as where the credential has an expression. */
export type CredentialOfItem = Credential | ((item: number) => Credential);

export interface RunOptions {
	credential: CredentialOfItem;
	parameters: INodeParameters;
	/** JSON of the items that come in; one empty item unless given. */
	input?: IDataObject[];
	onError?: INode['onError'];
	/** More settings of the node: *Retry On Fail*, *Execute Once*. */
	settings?: Pick<INode, 'retryOnFail' | 'maxTries' | 'waitBetweenTries' | 'executeOnce'>;
	timezone?: string;
	/** `manual`, the default, in the editor; another one unattended. */
	mode?: WorkflowExecuteMode;
	/** What the workflow remembers. */
	staticData?: IDataObject;
	/** Cancels the execution, as the editor's Stop does, when this comes true. */
	cancelWhen?: Promise<unknown>;
}

export interface RunResult {
	/** Rows of the first output. */
	rows: IDataObject[];
	items: INodeExecutionData[];
	/** Items of the error output (On Error: continueErrorOutput). */
	errorItems: INodeExecutionData[];
	/** What the editor shows when the node stops. */
	error?: { message: string; description?: string | null; httpCode?: string | null; context?: IDataObject };
	run: IRun;
}

/** A workflow of a node that emits `input` and ours, run to its end. */
export async function runNode(options: RunOptions): Promise<RunResult> {
	const { workflow, additionalData } = build(new HealthDataService(), options);
	const run = await runWorkflow({ workflow, additionalData }, options);

	const outputs = run.data.resultData.runData.Node?.[0]?.data?.main ?? [];
	const items = outputs[0] ?? [];
	return {
		rows: items.map(({ json }) => json),
		items,
		errorItems: outputs[1] ?? [],
		error: run.data.resultData.error as RunResult['error'],
		run,
	};
}

/** Runs a workflow from its start to its end. */
export async function runWorkflow(
	{ workflow, additionalData }: { workflow: Workflow; additionalData: IWorkflowExecuteAdditionalData },
	{ mode = 'manual', cancelWhen }: Pick<RunOptions, 'mode' | 'cancelWhen'> = {},
): Promise<IRun> {
	const startNode = workflow.getNode('Start')!;
	return await workflow.expression.withIsolate(async () => {
		const execution = new WorkflowExecute(additionalData, mode).run({ workflow, startNode });
		void cancelWhen?.then(() => execution.cancel());
		return await execution;
	});
}

/** The sandbox of a test file, and `run`: our node on it. */
export function useRunner(...given: Parameters<typeof useSandbox>) {
	const used = useSandbox(...given);
	const run = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) =>
		await runNode({ credential: used.credential, parameters, ...more });
	return Object.assign(used, { run });
}

/** The search of a picker while a user types. */
export async function searchList(
	credential: Credential,
	method: 'searchUsers' | 'searchProviders',
	filter?: string,
): Promise<INodeListSearchResult> {
	const node = new HealthDataService();
	const { workflow, additionalData, tested } = build(node, { credential, parameters: {} });
	const context = new LoadOptionsContext(workflow, tested, additionalData, '');
	return await workflow.expression.withIsolate(async () => await node.methods.listSearch[method].call(context, filter));
}

/**
 * What the credential dialog's test does: n8n puts the test's request into a declarative node and looks at the body.
 * Gives what the dialog shows.
 */
export async function testCredential(credential: Credential): Promise<{ status: 'OK' | 'Error'; message: string }> {
	const { request, rules = [] } = new HealthDataServiceApi().test;
	const probe: INodeType = new HealthDataService();
	probe.description = {
		...probe.description,
		requestDefaults: {},
		properties: [{ displayName: 'Temp', name: 'temp', type: 'string', default: '', routing: { request } }],
	};
	const built = build(probe, { credential, parameters: {} });
	const execute = probe.execute!;
	let failure: Error | undefined;
	probe.execute = async function (this: ExecuteContext) {
		return await execute.call(this).catch((error: Error) => {
			failure = error;
			throw error;
		});
	} as INodeType['execute'];
	const run = await runWorkflow(built, { mode: 'internal' });
	const { error, runData } = run.data.resultData;
	if (error) {
		type Cause = { code?: string; response?: { status: number; statusText?: string } };
		const { response, code } = (failure?.cause ?? {}) as Cause;
		const rule = rules.find((one) => one.type === 'responseCode' && one.properties.value === response?.status);
		const message = rule?.properties.message ?? response?.statusText ?? code ?? error.message;
		return { status: 'Error', message };
	}

	const body = runData.Node[0].data!.main[0]![0].json as IDataObject | undefined;
	for (const rule of rules) {
		if (rule.type !== 'responseSuccessBody') continue;
		const { key, value, message } = rule.properties;
		if (body?.[key] === value) return { status: 'Error', message };
	}
	return { status: 'OK', message: 'Connection successful!' };
}

export function build(
	type: INodeType,
	{ credential, parameters, input = [{}], onError, settings, timezone, staticData }: RunOptions,
) {
	const start = startNodeType(input);
	if (!type.poll) makeRunnable(type);
	const byName = (name: string) => (name === 'test.start' ? start : type);
	const nodeTypes: INodeTypes = { getByName: byName, getByNameAndVersion: byName, getKnownTypes: () => ({}) };

	// What the editor does: every default of the chosen operation is filled in.
	const { description } = type;
	const filledIn =
		NodeHelpers.getNodeParameters(description.properties, parameters, true, false, { typeVersion: 1 }, description) ??
		{};
	const tested: INode = { ...storedNode('Node', NODE_TYPE, 1, filledIn, '1'), id: 'node', onError, ...settings };
	const { nodes, connections } = chain('Test', [storedNode('Start', 'test.start', 1, {}), tested]);
	const workflow = new Workflow({
		id: 'workflow',
		name: 'Test',
		nodes,
		connections,
		active: false,
		nodeTypes,
		staticData,
		settings: { executionOrder: 'v1', ...(timezone && { timezone }) },
	});

	return { workflow, additionalData: additionalDataFor(credential, workflow), tested };
}

/** What n8n's loader and server do to a declarative node. */
export function makeRunnable(type: INodeType) {
	// It gets the field "Request Options".
	DirectoryLoader.applyDeclarativeNodeOptionParameters(type);
	// And this `execute`. The engine's own way, for tests, cannot be cancelled.
	type.execute = async function () {
		return (await new RoutingNode(this as ExecuteContext, type).runNode()) ?? [];
	};
}

export function additionalDataFor(
	credential: CredentialOfItem,
	{ id, name, nodes, connectionsBySourceNode }: Workflow,
) {
	const saved = {
		id,
		name,
		active: false,
		nodes: Object.values(nodes),
		connections: connectionsBySourceNode,
	} as unknown as IWorkflowBase;
	return {
		credentialsHelper: storedCredential(credential),
		hooks: new ExecutionLifecycleHooks('manual', 'execution', saved),
		executionId: 'execution',
		webhookWaitingBaseUrl: 'http://localhost/waiting',
		formWaitingBaseUrl: 'http://localhost/form',
		variables: {},
		setExecutionStatus: () => {},
		sendDataToUI: () => {},
	} as unknown as IWorkflowExecuteAdditionalData;
}

export const startNodeType = (input: IDataObject[]): INodeType => ({
	description: {
		displayName: 'Start',
		name: 'start',
		group: ['trigger'],
		version: 1,
		description: '',
		defaults: { name: 'Start' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	},
	execute: async () => [input.map((json) => ({ json }))],
});

/** Stands in for n8n's credential storage; `authenticate` is our credential's own. */
const storedCredential = (credential: CredentialOfItem) => ({
	/** n8n evaluates expressions in a credential with the data of the item. */
	async getDecrypted(...[, , , , , , values]: Parameters<ICredentialsHelper['getDecrypted']>) {
		return { ...(typeof credential === 'function' ? credential(values?.itemIndex ?? 0) : credential) };
	},
	authenticate: async (data: ICredentialDataDecryptedObject, _type: string, request: IHttpRequestOptions) =>
		await new HealthDataServiceApi().authenticate(data, request),
	getCredentialsProperties: () => new HealthDataServiceApi().properties,
	getParentTypes: () => [],
	isCredentialUsableByNode: () => true,
	preAuthentication: async () => undefined,
	runPreAuthentication: async () => undefined,
});

/** Of n8n's isolate, in which expressions are evaluated. */
const OF_ISOLATE = /^\[\w+Bridge\] /;

/** Collects the lines of each test. To be called once per describe. */
export function useLogLines(): string[] {
	const lines: string[] = [];
	beforeEach(() => {
		lines.length = 0;
		for (const level of ['info', 'warn', 'error'] as const)
			jest.spyOn(n8nLogger(), level).mockImplementation((...[line]: [string, ...unknown[]]) => {
				if (!OF_ISOLATE.test(line)) lines.push(line);
			});
	});
	return lines;
}
