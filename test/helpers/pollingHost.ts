/**
 * n8n around a polling trigger: it starts it, calls it at its poll times, keeps its static data, and can be killed.
 * The engine's own PollContext and Workflow; when static data is saved is n8n's rule, repeated here and checked against a
 * real n8n by test/e2e/trigger.test.ts.
 */
import { PollContext } from 'n8n-core';
import type { IDataObject, INodeParameters, WorkflowActivateMode } from 'n8n-workflow';
import { HealthDataServiceTrigger } from '../../nodes/HealthDataService/HealthDataServiceTrigger.node.ts';
import { build, type Credential } from './engine';

export interface Failure {
	message: string;
	description?: string | null;
	httpCode?: string | null;
}

export class PollingHost {
	/** Rows of every execution the trigger started. */
	readonly executions: IDataObject[][] = [];
	/** What n8n's database holds. */
	saved = '{}';
	private active?: { poll: () => Promise<IDataObject[] | undefined>; save: () => void };

	constructor(
		public credential: Credential,
		public parameters: INodeParameters,
	) {}

	/** Activation, or a start of n8n ("init"): one poll, then the static data is saved. A throw leaves the trigger dead. */
	async start(mode: WorkflowActivateMode = 'activate'): Promise<IDataObject[] | undefined> {
		this.active = undefined;
		const built = this.build('trigger', mode);
		const rows = await built.poll();
		built.save();
		this.active = built;
		return rows;
	}

	/** A poll time. Gives the rows that went out, undefined for none; static data is saved only with rows, even if they are zero. */
	async tick(): Promise<IDataObject[] | undefined> {
		if (!this.active) throw new Error('The trigger is dead');
		return await this.active.poll();
	}

	/** SIGKILL, or a deactivation: what was not saved is gone. */
	kill() {
		this.active = undefined;
	}

	/** "Fetch Test Event" in the editor. */
	async fetchTestEvent(): Promise<IDataObject[] | undefined> {
		return await this.build('manual', 'manual').poll();
	}

	private build(mode: 'trigger' | 'manual', activation: WorkflowActivateMode) {
		const { credential, parameters } = this;
		const staticData = JSON.parse(this.saved) as IDataObject;
		const { workflow, tested, additionalData } = build(new HealthDataServiceTrigger(), {
			credential,
			parameters,
			staticData,
		});
		const context = new PollContext(workflow, tested, additionalData, mode, activation);
		const save = () => {
			this.saved = JSON.stringify(workflow.staticData);
		};
		const poll = async () => {
			const node = workflow.nodeTypes.getByNameAndVersion(tested.type);
			const output = await workflow.expression.withIsolate(async () => await node.poll!.call(context));
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
