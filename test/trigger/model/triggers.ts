/** Triggers of a history in n8n: one, or two when its workflow is copied. */
import type { INodeParameters, WorkflowActivateMode } from 'n8n-workflow';
import { fail } from './judged';
import type { Fault } from './faults';
import type { Events } from './events';
import { HOUR, LOOKBACK_HOURS, type Setting, type Step } from './steps';
import type { Limits } from './values';
import { Watched, type Around } from './watched';
import type { Person } from './world';

/** So many users are on a list at first. */
const LISTED = 2;
/** Of the lookback: an entry that names another user for longer may begin anew. */
const SURE = 0.3;

let histories = 0;

export class Triggers {
	lookback = LOOKBACK_HOURS * HOUR;
	private limits: Limits = {};
	private readonly watched: Watched[] = [];
	private what = 'all';
	/** Entries for which Resolve gives another user, and since when. */
	private readonly wrongSince = new Map<Person, number>();
	private readonly workflow = `workflow ${++histories}`;

	constructor(
		private readonly around: Around & { events: Events },
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
		this.around.service.isListEmpty = false;
		for (const entry of this.wrongSince.keys()) this.correct(entry);
		for (const one of this.watched) one.losesDelivery = false;
		if (this.key === 'wrong') this.setKey('ours');
	}

	/** @throws Broken where the last poll, in which nothing was wrong, has not read all */
	mustBeAtWork() {
		const team = this.around.service.keys.get(this.key);
		const { event } = this.setting;
		const all = this.around.world.people.filter((one) => one.team === team && one.isListed && !one.isUnwatched);
		// Another team has none of the entries.
		const watched = this.what === 'one' || this.isOfList ? all.filter((one) => this.isOfOurs(one)) : all;
		for (const { host } of this.watched) {
			if (host.record.requests === 0) fail('polls have ended');
			const read = event === 'user' ? host.record.listed : host.record.served;
			const unread = watched.filter((one) => !read.has(one)).map(({ nr }) => nr);
			if (unread.length > 0) fail('in the end, not all are read', { unread });
		}
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
			case 'breakState':
				this.stopAll(true);
				for (const one of this.watched) one.breakState(step.part, step.by);
				await this.startAll('init');
				for (const one of this.watched) one.mustHaveStartedOver();
				break;
			case 'emptyList':
				this.around.service.isListEmpty = step.isEmpty;
				break;
			case 'resolve':
				this.resolve(step.entry, step.other ?? step.entry);
				break;
			case 'lookback':
				this.lookback = step.hours * HOUR;
				for (const one of this.watched) one.setLookback(this.parameters(), this.lookback);
				await this.restart('activate');
				break;
			case 'minimum':
				this.limits = { least: step.least, most: step.most };
				for (const one of this.watched) one.setLimits(this.parameters(), this.limits);
				await this.restart('activate');
				break;
			case 'watch':
				await this.change(step.what, step.fault);
				break;
			case 'list':
				await this.toggle(step.user);
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

	private resolve(entryAt: number, otherAt: number) {
		const { ours } = this;
		const [entry, other] = [entryAt, otherAt].map((at) => ours[at % ours.length]);
		this.correct(entry);
		if (!this.isOfList || entry === other || entry.isUnwatched) return;
		this.around.service.resolvesTo.set(entry, other);
		this.wrongSince.set(entry, this.around.time.now);
	}

	/** Resolve gives the right ID again. */
	private correct(entry: Person) {
		const since = this.wrongSince.get(entry);
		if (since === undefined) return;
		this.wrongSince.delete(entry);
		this.around.service.resolvesTo.delete(entry);
		const isLong = this.around.time.now - since > this.lookback * SURE;
		for (const one of this.watched) one.noteWrong(entry, isLong);
	}

	private isOfOurs = (one: Person) => (this.what === 'one' ? one === this.ours[0] : one.team === 'our team');

	private get ours() {
		return this.around.world.people.filter(({ team }) => team === 'our team');
	}

	private async change(what: string, fault?: Fault) {
		if (what === this.what || this.setting.event === 'user') return;
		this.what = what;
		for (const [place, one] of this.ours.entries())
			this.around.world.set(one, { isUnwatched: this.isOfList && place >= LISTED });
		this.around.events.joinsUnwatched = this.isOfList;
		for (const one of this.watched) one.change(this.parameters(), this.scope());
		await this.restart('activate', fault);
	}

	/** A list names somebody. */
	private async toggle(user: number) {
		const { ours } = this;
		const one = ours[user % ours.length];
		if (!this.isOfList || ours.every((other) => other === one || other.isUnwatched)) return;
		this.around.world.set(one, { isUnwatched: !one.isUnwatched, addedAt: this.around.time.now });
		for (const { host } of this.watched) host.host.parameters = this.parameters();
		await this.restart('activate');
	}

	private get isOfList() {
		return this.what === 'listed' || this.what === 'clients';
	}

	private users(): INodeParameters {
		const [first] = this.ours;
		if (this.what === 'one') return { userScope: 'one', user: { __rl: true, mode: 'userId', value: first.userId } };
		if (!this.isOfList) return { userScope: 'all' };
		const usersBy = this.what === 'listed' ? 'userId' : 'clientUserId';
		const entries = this.ours.filter(({ isUnwatched }) => !isUnwatched);
		return { userScope: 'listed', usersBy, userIds: entries.map((one) => one[usersBy]).join('\n') };
	}

	private parameters(): INodeParameters {
		const provider = { __rl: true, mode: 'slug', value: this.what === 'omron' ? 'omron' : '' };
		const { least, most } = this.limits;
		const pair = (systolic?: number) => systolic && { systolic, diastolic: null };
		const limits = { ...(least && { high: pair(least) }), ...(most && { low: pair(most) }) };
		const options = { lookback: this.lookback / HOUR };
		return { event: this.setting.event, ...this.users(), provider, limits, options };
	}

	private scope() {
		const person = this.what === 'one' ? this.ours[0] : undefined;
		return { person, list: this.isOfList ? this.what : undefined, provider: this.what === 'omron' ? 'omron' : '' };
	}

	private watch(workflowId: string) {
		const { scheduler, budgetMs } = this.setting;
		const key = this.watched.length > 0 ? this.key : 'ours';
		const options = { scheduler, workflowId, budgetMs };
		this.watched.push(
			new Watched(this.around, this.parameters(), this.scope(), options, {
				key,
				lookback: this.lookback,
				limits: this.limits,
				isOfUsers: this.setting.event === 'user',
				log: this.log,
			}),
		);
	}

	private async restart(how: string, fault?: Fault) {
		this.around.service.fault = fault;
		this.stopAll(how !== 'activate');
		await this.startAll(how === 'activate' ? 'activate' : how === 'leader' ? 'leadershipChange' : 'init');
		this.around.service.fault = undefined;
	}

	private stopAll(isKill: boolean) {
		for (const one of this.watched) one.stop(isKill);
	}

	private async startAll(mode: WorkflowActivateMode) {
		await this.all(async (one) => await one.start(mode));
	}

	private async all(work: (one: Watched) => Promise<unknown>) {
		for (const one of this.watched) await work(one);
	}
}
