/** A real n8n with the packed package installed, a sandbox beside it, and a credential for it. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { createWorld, type World } from '../../dev/sandbox/world';
import type { Rest } from '../../dev/host/rest';
import { startN8n } from '../../dev/host/n8n';
import { chain, CREDENTIAL_TYPE, NODE_TYPE, node, START } from '../../dev/host/workflow';
import { people } from '../helpers/people';
import { removeFolder } from '../helpers/folder';
import { folderWithPackage } from '../helpers/folderWithPackage';

/** A team of 1,200 users beside the few with known readings. */
export const LARGE_KEY = 'large-team-of-the-tests';

export function worldOfTests(): World {
	const few = people();
	const many = createWorld([{ key: LARGE_KEY, users: 1200 }]);
	return { teams: [...few.teams, ...many.teams], readings: few.readings };
}

export interface Ran {
	status: string;
	error?: { message: string; description?: string };
	items: INodeExecutionData[];
	rows: IDataObject[];
}

/** A workflow of a manual trigger and our node. */
export const oneNode = (credentialId: string, parameters: INodeParameters, timezone = 'UTC') =>
	chain('Operation', [START, node('Node', NODE_TYPE, 1, parameters, credentialId)], { timezone });

/** A workflow of n8n's HTTP Request node, with or without the credential. */
export const requestNode = (url: string, options: INodeParameters, credentialId?: string) => {
	const ofCredential = { authentication: 'predefinedCredentialType', nodeCredentialType: CREDENTIAL_TYPE };
	const parameters = { url, ...(credentialId && ofCredential), options };
	return chain('HTTP Request', [START, node('Node', 'n8n-nodes-base.httpRequest', 4.2, parameters, credentialId)]);
};

/** n8n refuses to poll more often than once a minute, but takes thirty poll times of once a minute each. */
export const EVERY_TWO_SECONDS = {
	item: Array.from({ length: 30 }, (_, i) => ({ mode: 'custom', cronExpression: `${i * 2} * * * * *` })),
};

/** @param options.port of the sandbox: another one if it is in use @param options.env of n8n */
export async function startHost(
	world: World,
	{ port = 0, env = {} }: { port?: number; env?: Record<string, string> } = {},
) {
	const folder = await folderWithPackage();
	let n8n = await startN8n({ folder, env });
	// After n8n: an open sandbox would keep the tests from ending when n8n does not start.
	// Not asked before: a demo of another test may take the port while n8n starts.
	const sandbox: Sandbox = await startSandbox({ world, port }).catch(async () => await startSandbox({ world }));

	return {
		sandbox,
		rest: n8n.rest,
		/** Where the editor is. */
		url: n8n.baseUrl,
		folder,
		logFile: n8n.logFile,
		...useNode(n8n.rest, sandbox),

		/** As a crash would. */
		kill: async () => await n8n.kill(),
		/** Again, after it was killed. */
		start: async () => void (n8n = await startN8n({ folder, env, port: Number(new URL(n8n.baseUrl).port) })),
		stop: async () => {
			await n8n.stop();
			await sandbox.close();
			removeFolder(folder);
		},
	};
}

export type Host = Awaited<ReturnType<typeof startHost>>;

/** A host for the tests of a file. */
export function useHost(...given: Parameters<typeof startHost>): Host {
	const host = {} as Host;
	beforeAll(async () => void Object.assign(host, await startHost(...given)));
	afterAll(async () => await host.stop?.());
	return host;
}

/** What the tests do with credential and node, in an n8n that has the package. */
export function useNode(rest: Rest, sandbox: Sandbox) {
	return {
		/** Stores a credential and gives its id. */
		credential: async (apiKey: string, baseUrl = sandbox.baseUrl): Promise<string> =>
			await rest.createCredential({ name: `${apiKey} ${baseUrl}`, type: CREDENTIAL_TYPE, data: { baseUrl, apiKey } }),

		/** Runs our node. */
		run: async (credentialId: string, parameters: INodeParameters, timezone?: string): Promise<Ran> => {
			const workflow = await rest.importWorkflow(oneNode(credentialId, parameters, timezone));
			const { status, error, runData } = await rest.runWorkflow(workflow.id);
			const items: INodeExecutionData[] = runData.Node?.[0]?.data?.main?.[0] ?? [];
			return { status, error, items, rows: items.map(({ json }) => json) };
		},
	};
}
