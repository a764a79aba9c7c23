/** Triggers of a history in n8n: one, or two when its workflow is copied. */
import type { INodeParameters } from 'n8n-workflow';
import { fail } from './fail';
import type { Fault } from './faults';
import { HOUR, LOOKBACK_HOURS, type Setting, type Step } from './steps';
import { Watched, type Around } from './watched';

let histories = 0;

export class Triggers {
	lookback = LOOKBACK_HOURS * HOUR;
	/** Minimum Systolic; 0 for none. */
	private minimum = 0;
	private readonly watched: Watched[] = [];
	private what = 'all';
	private readonly workflow = `workflow ${++histories}`;

	constructor(
		private readonly around: Around,
		private readonly setting: Setting,
		private readonly log: (line: string) => void,
	) {}

	async begin() {
		this.watch(this.workflow);
		await this.restart('activate', this.setting.firstFault);
	}

	get emitted() {
		return this.watched.reduce((sum, { emitted }) => sum + emitted, 0);
	}

	private get key() {
		return this.watched[0].host.host.credential.apiKey;
	}

	setKey(key: string) {
		// n8n reads it anew for each poll.
		for (const { host } of this.watched) host.host.credential.apiKey = key;
	}

	async poll(fault?: Fault) {
		this.around.service.fault = fault;
		// n8n does not restart a dead one; a user does.
		await this.all(async (one) => one.host.isAlive || (await one.start('activate')));
		await this.all(async (one) => await one.tick());
		this.around.service.fault = undefined;
	}

	/** Nothing goes wrong any more. */
	mend() {
		for (const one of this.watched) one.losesDelivery = false;
		if (this.key === 'wrong') this.setKey('ours');
	}

	/** @throws Broken where the last poll did not even ask */
	mustBeAtWork() {
		if (this.watched.some(({ host }) => host.record.requests === 0)) fail('polls have ended');
	}

	async take(step: Step) {
		switch (step.do) {
			case 'poll':
				await this.poll(step.fault);
				break;
			case 'restart':
				await this.restart(step.how, step.fault);
				break;
			case 'killDuring':
				await this.all(async (one) => await one.cut('kill', step.after));
				await this.restart('kill');
				break;
			case 'abandon':
				await this.all(async (one) => await one.cut('abandon', step.after));
				break;
			case 'stale':
				for (const one of this.watched) one.giveOldRow();
				break;
			case 'deliveryFails':
				for (const one of this.watched) one.losesDelivery = true;
				break;
			case 'lookback':
				this.lookback = step.hours * HOUR;
				for (const one of this.watched) one.setLookback(this.parameters(), this.lookback);
				await this.restart('activate');
				break;
			case 'minimum':
				this.minimum = step.least;
				for (const one of this.watched) one.setMinimum(this.parameters(), this.minimum);
				await this.restart('activate');
				break;
			case 'watch':
				if (step.what === this.what) break;
				this.what = step.what;
				for (const one of this.watched) one.change(this.parameters(), this.scope());
				await this.restart('activate');
				break;
			case 'rename':
				for (const one of this.watched) one.host.host.options.nodeName = step.name;
				await this.restart('activate');
				break;
			case 'paste':
				for (const one of this.watched) one.paste(step.name);
				await this.restart('activate');
				break;
			case 'copy':
				if (this.watched.length > 1) break;
				this.watch(`${this.workflow} copied`);
				await this.restart('activate');
		}
	}

	private parameters(): INodeParameters {
		const [{ userId }] = this.around.world.people;
		const one = { userScope: 'one', user: { __rl: true, mode: 'userId', value: userId } };
		const provider = { __rl: true, mode: 'slug', value: this.what === 'omron' ? 'omron' : '' };
		const minimum = this.minimum > 0 && { minSystolic: this.minimum };
		const options = { lookback: this.lookback / HOUR, ...minimum };
		return { event: 'bloodPressure', userScope: 'all', ...(this.what === 'one' && one), provider, options };
	}

	private scope() {
		const person = this.what === 'one' ? this.around.world.people[0] : undefined;
		return { person, provider: this.what === 'omron' ? 'omron' : '' };
	}

	private watch(workflowId: string) {
		const { scheduler, budgetMs } = this.setting;
		const key = this.watched.length > 0 ? this.key : 'ours';
		const options = { scheduler, workflowId, budgetMs };
		this.watched.push(
			new Watched(this.around, this.parameters(), this.scope(), options, {
				key,
				lookback: this.lookback,
				minimum: this.minimum,
				log: this.log,
			}),
		);
	}

	private async restart(how: string, fault?: Fault) {
		this.around.service.fault = fault;
		for (const one of this.watched) one.stop(how !== 'activate');
		const mode = how === 'activate' ? 'activate' : how === 'leader' ? 'leadershipChange' : 'init';
		await this.all(async (one) => await one.start(mode));
		this.around.service.fault = undefined;
	}

	private async all(work: (one: Watched) => Promise<unknown>) {
		for (const one of this.watched) await work(one);
	}
}
