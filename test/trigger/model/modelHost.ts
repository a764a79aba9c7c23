/** Host of the trigger in a history: n8n's processes, and the polls with the service's record of each. */
import type { IDataObject, IHttpRequestOptions, INodeParameters, WorkflowActivateMode } from 'n8n-workflow';
import { PollingHost } from '../../helpers/pollingHost';
import { patientProcess, processes } from './processes';
import { PollRecord } from './faults';
import type { ModelService } from './service';
import type { VirtualTime } from '../../helpers/virtualTime';

type Helpers = { httpRequestWithAuthentication: unknown };
type Used = { credentialsDecrypted: { data: { apiKey: string } } };

export interface Ended {
	record: PollRecord;
	rows?: IDataObject[];
	error?: Error;
}

export interface HostedOptions {
	scheduler: 'memory' | 'durable';
	workflowId: string;
	budgetMs?: number;
	/** Whether requests are retried as often as in n8n. */
	isPatient?: boolean;
}

const DEAD = Object.assign(new PollRecord(), { isDead: true });

/** No poll may take longer, whatever the service does. */
const LONGEST_MS = { memory: 300_000, durable: 36_000, start: 60_000 };

export class ModelHost {
	readonly host: PollingHost;
	record = new PollRecord();
	isAlive = false;
	/** Warnings and errors in n8n's log. */
	readonly logged: string[] = [];
	private process = 0;
	private life = 0;

	constructor(
		private readonly time: VirtualTime,
		private readonly service: ModelService,
		parameters: INodeParameters,
		options: HostedOptions,
		key: string,
	) {
		this.host = new PollingHost({ baseUrl: 'https://service.example', apiKey: key }, parameters, {
			...options,
			nodeId: 'node-1',
			nodeName: 'Node',
			createType: () => (options.isPatient ? patientProcess : processes[this.process])(),
			onContext: (context) => {
				const { record, life } = this;
				// In memory, one context is for all polls until the next start.
				const recordNow = () => (this.isDurable ? record : life === this.life ? this.record : DEAD);
				const request = async (_type: string, request: IHttpRequestOptions, used: Used) =>
					await service.request(recordNow(), used.credentialsDecrypted.data.apiKey, request);
				const log = (line: string) => void this.logged.push(line);
				const quiet = () => undefined;
				Object.defineProperty(context, 'logger', { value: { warn: log, error: log, info: quiet, debug: quiet } });
				(context.helpers as unknown as Helpers).httpRequestWithAuthentication = request;
			},
		});
	}

	/** Failed executions that were reported, and warnings of the log. */
	get failures() {
		return this.host.reported.length + this.logged.length;
	}

	get isDurable() {
		return this.host.options.scheduler === 'durable';
	}

	/** SIGKILL: the next start is another process. */
	kill() {
		this.stop();
		this.process = (this.process + 1) % processes.length;
	}

	/** A deactivation: the process continues. */
	stop() {
		this.record.isDead = true;
		this.life++;
		this.host.kill();
		this.isAlive = false;
	}

	async start(mode: WorkflowActivateMode): Promise<Ended> {
		const ended = await this.end(this.begin(mode), this.startBudgetMs);
		this.isAlive = !ended.error;
		return ended;
	}

	async tick(): Promise<Ended> {
		const before = this.logged.length;
		const ended = await this.end(this.begin(), this.budgetMs);
		// In memory, an error of all users that was thrown within the hour is a line of the log.
		const line = this.logged.slice(before).find((one) => one.endsWith('The next poll tries again.'));
		return line === undefined ? ended : { record: ended.record, error: new Error(line) };
	}

	get startBudgetMs() {
		return Math.min(LONGEST_MS.start, this.host.options.budgetMs ?? Infinity);
	}

	get budgetMs() {
		const { budgetMs, scheduler } = this.host.options;
		return budgetMs ?? LONGEST_MS[scheduler!];
	}

	/** A poll that is not waited for. */
	begin(mode?: WorkflowActivateMode): Promise<IDataObject[] | undefined> {
		this.record = new PollRecord();
		const work = mode ? this.host.start(mode) : this.host.tick();
		work.catch(() => undefined);
		return work;
	}

	/** A service that refuses all users gets single requests; those already in the queue are still sent. */
	private tolerated = () => 1000 + (this.service.fault?.kind === '503' ? 32 * this.service.latencyMs : 0);

	private async end(work: Promise<IDataObject[] | undefined>, limitMs: number): Promise<Ended> {
		const { record } = this;
		try {
			return { record, rows: await this.time.until(work, limitMs + this.tolerated()) };
		} catch (error) {
			return { record, error: onlyOfNodes(error) };
		}
	}
}

/** Whatever else is thrown is a fault of ours. */
function onlyOfNodes<E extends Error>(error: E): E {
	if (error.name === 'NodeApiError' || error.name === 'NodeOperationError') return error;
	throw error;
}

/** How a poll ended that has. */
export async function endOf(
	work: Promise<IDataObject[] | undefined>,
): Promise<{ rows?: IDataObject[]; error?: Error }> {
	try {
		return { rows: await work };
	} catch (error) {
		return { error };
	}
}
