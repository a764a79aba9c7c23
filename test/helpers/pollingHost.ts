/**
 * Host of a polling trigger in place of n8n: starts it, polls on schedule, keeps its static data, and can be killed.
 * The engine's own PollContext and Workflow; when static data is saved is n8n's rule, repeated here for both of its schedulers
 * and checked against a real n8n by test/e2e/triggerStory.ts.
 */
import { PollContext } from 'n8n-core';
import type { IDataObject, INodeExecutionData, INodeParameters, INodeType, WorkflowActivateMode } from 'n8n-workflow';
import { HealthDataServiceTrigger } from '../../nodes/HealthDataService/HealthDataServiceTrigger.node.ts';
import { build, type Credential } from './engine';

export interface Failure {
	message: string;
	description?: string | null;
	httpCode?: string | null;
	failure?: { cause: string; retryAfterMs?: number };
}

/** n8n's defaults: in memory there is no limit of its own; durable, a poll at a start has more than one at a poll time. */
const BUDGET_MS = { memory: 300_000, durable: 36_000, durableStart: 300_000 };

export interface HostOptions {
	/** In memory: one context for as long as the trigger is active. Durable: a new one for each poll, the state in a row. */
	scheduler?: 'memory' | 'durable';
	workflowId?: string;
	nodeId?: string;
	nodeName?: string;
	budgetMs?: number;
	/** In place of the trigger as it is loaded here. */
	createType?: () => INodeType;
	/** To put something in place of what a poll is given. */
	onContext?: (context: PollContext) => void;
}

type Polled = { poll: () => Promise<IDataObject[] | undefined>; save: () => void };

export class PollingHost {
	/** Rows of every execution the trigger started. */
	readonly executions: IDataObject[][] = [];
	/** Failed executions that the trigger reported while the poll went on. */
	readonly reported: Failure[] = [];
	/** What n8n's database holds: the workflow's static data, by the node's name. */
	saved = '{}';
	/** What n8n's database holds of the durable scheduler: the node's row, by its id. */
	row?: string;
	/** Durable: for so long, polls get the row from before the last delivery, as when its transaction is not committed. */
	staleRow?: string;
	private active?: Polled;
	/** Counts the ends of polls that still run: nothing that these give is kept. */
	private ends = 0;

	constructor(
		public credential: Credential,
		public parameters: INodeParameters,
		public options: HostOptions = {},
	) {}

	private get isDurable() {
		return this.options.scheduler === 'durable';
	}

	/** Activation, or a start of n8n ("init"): one poll, then the static data is saved. A throw leaves the trigger dead. */
	async start(mode: WorkflowActivateMode = 'activate'): Promise<IDataObject[] | undefined> {
		this.active = undefined;
		const built = this.build(
			'trigger',
			mode,
			this.options.budgetMs ?? BUDGET_MS[this.isDurable ? 'durableStart' : 'memory'],
		);
		const rows = await built.poll();
		built.save();
		this.active = built;
		return rows;
	}

	/** A poll time. Gives the rows that went out, undefined for none. */
	async tick(): Promise<IDataObject[] | undefined> {
		if (!this.active) throw new Error('The trigger is dead');
		if (!this.isDurable) return await this.active.poll();
		return await this.build('trigger', 'update', this.options.budgetMs ?? BUDGET_MS.durable).poll();
	}

	/** SIGKILL, or a deactivation: what was not saved is gone. */
	kill() {
		this.active = undefined;
		this.abandon();
	}

	/** What n8n does to a poll that takes too long (durable): its end comes to nothing. */
	abandon() {
		this.ends++;
	}

	/** "Fetch Test Event" in the editor. */
	async fetchTestEvent(): Promise<IDataObject[] | undefined> {
		return await this.build('manual', 'manual', BUDGET_MS.memory).poll();
	}

	private build(mode: 'trigger' | 'manual', activation: WorkflowActivateMode, budgetMs: number): Polled {
		const { credential, parameters, isDurable } = this;
		const staticData = JSON.parse(this.saved) as IDataObject;
		const { workflow, tested, additionalData } = build(this.options.createType?.() ?? new HealthDataServiceTrigger(), {
			credential,
			parameters,
			timezone: 'UTC',
			staticData,
		});
		const { workflowId, nodeId, nodeName } = this.options;
		if (workflowId) workflow.id = workflowId;
		if (nodeId) tested.id = nodeId;
		if (nodeName) tested.name = nodeName;

		// Durable: a copy of the row (first filled from the static data), written when the poll hands out or ends without a throw.
		let snapshot: IDataObject = {};
		let seed: IDataObject = {};
		let { ends } = this;
		const stage = () => {
			const row = this.staleRow ?? this.row ?? JSON.stringify(workflow.getStaticData('node', tested));
			this.staleRow = undefined;
			snapshot = JSON.parse(row) as IDataObject;
			seed = JSON.parse(row) as IDataObject;
		};
		const commit = () => {
			if (ends !== this.ends || JSON.stringify(snapshot) === JSON.stringify(seed)) return;
			this.row = JSON.stringify(snapshot);
			seed = JSON.parse(this.row) as IDataObject;
		};
		const context = new PollContext(
			workflow,
			tested,
			additionalData,
			mode,
			activation,
			undefined,
			(error) => this.reported.push(error as unknown as Failure),
			isDurable ? async () => commit() : undefined,
			undefined,
			isDurable && mode === 'trigger' ? () => snapshot : undefined,
			() => budgetMs,
		);
		this.options.onContext?.(context);
		const save = () => {
			if (ends !== this.ends) return;
			this.saved = JSON.stringify(workflow.staticData);
		};
		const poll = async () => {
			const node = workflow.nodeTypes.getByNameAndVersion(tested.type);
			({ ends } = this);
			if (isDurable) stage();
			const output = await workflow.expression.withIsolate(
				async (): Promise<INodeExecutionData[][] | null> => await node.poll!.call(context),
			);
			if (ends !== this.ends) return undefined;
			// n8n does not do it by itself for the poll at a start.
			const isPollTime = isDurable && activation === 'update';
			if (output === null && !isPollTime) return undefined;
			if (isDurable && mode === 'trigger') commit();
			if (output === null) return undefined;
			const rows = output[0].map(({ json }) => json);
			if (mode === 'trigger') {
				this.executions.push(rows);
				save();
			}
			return rows;
		};
		return { poll, save };
	}
}
