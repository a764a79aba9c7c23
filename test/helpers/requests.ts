/** Parameters of the node as a workflow stores them, and a sandbox that lives as long as a test file. */
import type { INodeParameters } from 'n8n-workflow';
import { RETRY_LIMITS } from '../../nodes/HealthDataService/http/retry';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../dev/sandbox/server';
import { defaultSwitches, type Fault, type Switches } from '../../dev/sandbox/switches';
import type { Credential } from './engine';
import { KEY, people } from './people';

/** Starts a sandbox before the tests of a file and sets its switches back after each. */
export function useSandbox(options: () => SandboxOptions = () => ({ world: people() })) {
	const used = {} as { sandbox: Sandbox; credential: Credential };
	beforeAll(async () => {
		Object.assign(RETRY_LIMITS, { baseDelayMs: 2, maxDelayMs: 10 });
		used.sandbox = await startSandbox(options());
		used.credential = { baseUrl: used.sandbox.baseUrl, apiKey: KEY };
	});
	afterEach(() => {
		Object.assign(used.sandbox.switches, defaultSwitches(), options().switches);
		used.sandbox.requests.length = 0;
	});
	afterAll(async () => await used.sandbox.close());
	return used;
}

export const byClientId = (value: string) => ({ __rl: true, mode: 'clientUserId', value });
export const byUserId = (value: string) => ({ __rl: true, mode: 'userId', value });

/** All blood pressure readings of March 2026 of one user, unless `more` says otherwise. */
export const bloodPressureOf = (user: INodeParameters[string], more: INodeParameters = {}): INodeParameters => ({
	resource: 'timeseries',
	operation: 'bloodPressure',
	userScope: 'one',
	user,
	dateRange: 'days',
	startDate: '2026-03-01',
	endDate: '2026-03-31',
	returnAll: true,
	...more,
});

export const listUsers = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'user',
	operation: 'list',
	...more,
});

export const resolve = (clientUserId: string, options = {}): INodeParameters => ({
	resource: 'user',
	operation: 'resolve',
	clientUserId,
	options,
});

/** Every nth request fails, but no request twice in a row: on a busy machine all its tries could be nth ones. */
export function everyNth(n: number, fault: Fault): Switches['fault'] {
	const failed = new Set<string>();
	return (number, url) => (number % n === 0 && !failed.delete(url) && failed.add(url) ? fault : undefined);
}

/** Query of a request as the service saw it. */
export const queryOf = (url: string) => Object.fromEntries(new URL(url, 'http://sandbox').searchParams);
