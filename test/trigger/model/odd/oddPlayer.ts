/** Plays a history of odd answers: one trigger, polls at its times, each judged by the truth. */
import type { INodeParameters } from 'n8n-workflow';
import { fail } from '../judged';
import { ModelHost, type Ended } from '../modelHost';
import { ModelService } from '../service';
import { HOUR } from '../steps';
import type { Limits } from '../values';
import { VirtualTime } from '../../../helpers/virtualTime';
import { ModelWorld, type Person } from '../world';
import { broken, BYSTANDERS, type OddHistory } from './oddHistory';
import { Reports, Truth } from './truth';

const NOON = Date.UTC(2026, 5, 1, 12);
const SECOND = 1000;
const MINUTE = 60_000;
const DAY = 24 * HOUR;
const LAST_POLLS = 3;
/** Of the lookback: what is late, missing or corrected for longer is not promised. */
const SURE = 0.3;
const STARTS_OVER = 'The saved state of the trigger cannot be used';

let histories = 0;

const isDuring = (poll: number, { from, until }: { from: number; until: number }) => poll >= from && poll < until;

export class OddPlayer {
	readonly time = new VirtualTime(NOON);
	emitted = 0;
	private readonly world = new ModelWorld(this.time);
	private readonly service = new ModelService(this.world, this.time);
	private readonly host: ModelHost;
	private readonly truth: Truth;
	private readonly reports: Reports;
	private readonly team: Person[];
	private poll = 0;
	private limits: INodeParameters = {};
	/** Begin of each poll. */
	private readonly begun: number[] = [];
	/** Users who are missing, or whose entry names another, and the poll since when. */
	private readonly oddSince = new Map<Person, number>();
	/** When Resolve first gave the ID of a user who is not watched. */
	private readonly namedAt = new Map<Person, number>();
	private stranded = new Set<Person>();

	constructor(
		private readonly history: OddHistory,
		private readonly log: (line: string) => void = () => undefined,
	) {
		const { people, scheduler, lookbackHours, sendsDate } = history;
		this.service.keys.set('ours', 'our team');
		this.service.sendsDate = sendsDate;
		this.team = Array.from({ length: people + BYSTANDERS }, () => this.world.join('our team'));
		if (this.isOfList) for (const one of this.team.slice(people)) this.world.set(one, { isUnwatched: true });
		this.truth = new Truth(this.world, this.time, lookbackHours * HOUR);
		const options = { scheduler, workflowId: `odd ${++histories}` };
		this.host = new ModelHost(this.time, this.service, this.parameters(), options, 'ours');
		this.reports = new Reports(this.host.host);
		for (const person of this.team) for (const ago of [HOUR, this.lookbackMs - HOUR]) this.measure(person, 104, ago);
	}

	private get isOfList() {
		return this.history.kind === 'wrong resolve';
	}

	private get lookbackMs() {
		return this.history.lookbackHours * HOUR;
	}

	private parameters(): INodeParameters {
		const { event, people, lookbackHours } = this.history;
		const entries = this.team.slice(0, people).map(({ clientUserId }) => clientUserId);
		const listed = { userScope: 'listed', usersBy: 'clientUserId', userIds: entries.join('\n') };
		const users = this.isOfList ? listed : { userScope: 'all' };
		return { event, ...users, limits: this.limits, options: { lookback: lookbackHours } };
	}

	/** @throws Broken */
	async play() {
		const { polls, kills, breaks } = this.history;
		this.time.install();
		try {
			this.happen(false);
			this.truth.begin();
			await this.time.pass(1);
			await this.judged(() => this.host.start('activate'));
			for (this.poll = 1; this.poll <= polls; this.poll++) {
				await this.pass(this.history.everyMinutes * MINUTE);
				const brokenPart = breaks.find(({ poll }) => poll === this.poll);
				this.happen(false);
				await this.time.pass(1);
				if (brokenPart) await this.startOver(brokenPart);
				else if (kills.includes(this.poll) || this.limitsAt?.isKill) await this.restart();
				else if (this.limitsAt) await this.judged(() => this.host.start('activate'));
				else await this.judged(() => this.host.tick());
			}
			await this.finish();
		} finally {
			this.time.uninstall();
		}
	}

	private async pass(ms: number) {
		const { now } = this.time;
		const next = (Math.floor((now - NOON) / ms) + 1) * ms + NOON;
		await this.time.pass(next - now);
	}

	private async restart() {
		this.host.kill();
		// The poll after trouble may be repeated.
		this.soundPolls = 0;
		if (this.history.scheduler === 'memory') this.reports.forget();
		await this.judged(() => this.host.start('init'));
	}

	private async startOver({ part, by }: { part: number; by: number }) {
		const { host } = this.host;
		this.host.kill();
		this.reports.forget();
		const saved = host.row ?? host.saved;
		const changed = broken(saved, part, by);
		if (host.row === undefined) host.saved = changed;
		else host.row = changed;
		const before = this.saidOver;
		if (changed !== saved) this.truth.begin();
		this.log(`  broken: ${changed.slice(0, 600)}`);
		await this.judged(() => this.host.start('init'));
		if (this.saidOver - before !== Number(changed !== saved)) fail('a broken state, and not one report', { changed });
	}

	private get saidOver() {
		return this.host.host.reported.filter(({ message }) => message.includes(STARTS_OVER)).length;
	}

	private async finish() {
		this.log('and in the end');
		for (let i = 0; i < LAST_POLLS; i++, this.poll++) {
			await this.pass(MINUTE);
			this.happen(true);
			await this.time.pass(1);
			await this.judged(() => this.host.tick());
		}
		if (this.history.event === 'user') this.truth.mustHaveUsers();
		else this.truth.mustBeComplete();
	}

	private measure(person: Person, value: number, ago: number) {
		const { now } = this.time;
		const { length } = this.world.readings;
		const time = Math.floor((now - ago) / 1000) * 1000;
		const source = { provider: 'omron', type: 'cuff', micro: String(length % 1000).padStart(3, '0') };
		this.world.measure({ person, time, arrives: now, value, ...source });
	}

	private happen(isOver: boolean) {
		const { history, poll, service, team, world } = this;
		const { now } = this.time;
		this.begun[poll] = now + 1;
		if (!isOver && poll > 0) {
			for (const one of history.measured) {
				const late = Math.min(one.late * HOUR, SURE * this.lookbackMs);
				// What was measured before a start over is old.
				const ago = history.kind === 'broken state' ? 0 : Math.min(late, now - NOON - MINUTE);
				if (one.poll === poll) this.measure(team[one.user % team.length], one.code, Math.max(0, ago));
			}
			for (const { poll: at, which, code } of history.corrected) {
				const one = world.readings[which % world.readings.length];
				if (at !== poll || now - one.time! > SURE * this.lookbackMs || one.value === code) continue;
				this.truth.noteCorrection(one);
				world.correct(one, code);
			}
			const joining = history.joins.filter((at) => at === poll);
			this.team.push(...joining.map(() => world.join('our team', now)));
		}
		service.faults.clear();
		this.showLists(isOver);
		this.resolve(isOver);
		const flap = history.flaps.find((one) => one.poll === poll);
		if (flap && !isOver) for (const user of flap.users) service.faults.set(team[user % team.length], flap.status);
		if (this.limitsAt && !isOver) this.setLimits(this.limitsAt);
	}

	private get limitsAt() {
		return this.history.limits.find(({ poll }) => poll === this.poll);
	}

	private setLimits({ least, most }: Limits) {
		const pair = (systolic?: number) => systolic && { systolic, diastolic: null };
		this.limits = { ...(least && { high: pair(least) }), ...(most && { low: pair(most) }) };
		this.host.host.parameters = this.parameters();
		this.truth.changeLimits({ least, most });
	}

	private isListEmpty = false;

	private showLists(isOver: boolean) {
		const odd = this.history.lists.find((one) => !isOver && isDuring(this.poll, one));
		this.isListEmpty = Boolean(odd?.isEmpty);
		const isShown = ({ nr }: Person) => !odd || (!odd.isEmpty && nr % 2 === odd.rest);
		this.service.shows = (listed) => listed.filter(isShown);
		// A list without users tells nothing: who was missing before it still is.
		if (this.history.lists.length > 0 && !this.isListEmpty)
			for (const one of this.team) this.noteOdd(one, !isShown(one));
		if (this.isListEmpty && this.poll === 0) this.stranded = new Set(this.team);
		if (this.poll > 0 && !this.hasRead && !this.isListEmpty) this.meetTeam();
	}

	/** The list was empty from the publication on. After a kill, n8n may know no later pass. */
	private meetTeam() {
		const { lookbackMs, history, begun, poll, time } = this;
		const passAt = history.kills.length > 0 ? NOON : begun[poll - 1];
		this.truth.meetTeam(passAt - lookbackMs - SECOND, time.now - lookbackMs + SECOND);
	}

	/** Of a user who was out of reach for long, nothing is promised. */
	private noteOdd(person: Person, isOdd: boolean) {
		const from = this.oddSince.get(person);
		if (isOdd) this.oddSince.set(person, from ?? this.poll);
		else this.oddSince.delete(person);
		if (from === undefined && isOdd && this.poll === 0) this.stranded.add(person);
		if (from === undefined) return;
		const since = this.begun[from];
		if (this.stranded.has(person)) return this.truth.freeAll(person);
		if (this.time.now - since <= SURE * this.lookbackMs) return;
		this.truth.free(person, since);
		this.truth.freeUser(person);
	}

	private resolve(isOver: boolean) {
		const { history, service, team } = this;
		service.resolvesTo.clear();
		for (const one of isOver ? [] : history.resolves) {
			const entry = team[one.entry % history.people];
			const other = team[one.other % team.length];
			if (!isDuring(this.poll, one) || other === entry) continue;
			service.resolvesTo.set(entry, other);
			if (one.isFailing) service.faults.set(other, '500');
			if (!this.namedAt.has(other)) this.namedAt.set(other, this.time.now);
		}
		// Only a read that succeeds makes another user the owner.
		for (const entry of history.resolves.length > 0 ? team.slice(0, history.people) : [])
			this.noteOdd(entry, this.isReadAsOther(entry));
	}

	private isReadAsOther(entry: Person) {
		const other = this.service.resolvesTo.get(entry);
		// From the publication on, nothing tells a failing one from the right user.
		return other !== undefined && (this.stranded.has(entry) || !this.service.faults.has(other));
	}

	private async judged(work: () => Promise<Ended>) {
		const begun = this.time.now;
		const { record, rows = [], error } = await work();
		const { history, truth, service } = this;
		this.log(`poll ${this.poll}: ${record.requests} requests, rows ${JSON.stringify(rows)} ${error?.message ?? ''}`);
		for (const { message } of this.host.host.reported.slice(-1)) this.log(`  last report: ${message}`);
		if (error) fail('a poll that fails', { message: error.message });
		if (record.requests === 0) fail('a poll without requests');
		this.emitted += rows.length;
		if (history.event === 'user') truth.judgeUsers(rows);
		else {
			const isNamed = (person: Person) => this.namedAt.get(person) ?? Infinity;
			truth.judge(rows, (one) => one.time! >= isNamed(one.person) - MINUTE, this.earliest());
			const isSound = service.faults.size === 0 && service.resolvesTo.size === 0 && history.lists.length === 0;
			// A pass may end with the poll after trouble.
			this.soundPolls = isSound ? this.soundPolls + 1 : 0;
			if (this.soundPolls > 1) truth.mustBeComplete();
		}
		if (this.isOfList) return;
		const hadUsers = this.begun.length > 1 || history.kind === 'flapping';
		const isEmpty = this.isListEmpty && hadUsers && this.hasRead;
		this.hasRead ||= !this.isListEmpty;
		this.reports.judge(begun, isEmpty || record.broken.size > 0);
	}

	private hasRead = false;
	private soundPolls = 0;

	/** Readings that are older than the lookback of what was there go out no more; in memory, what is saved is a day old at most. */
	private earliest() {
		if (this.history.kind !== 'changed limits') return -Infinity;
		const savedMs = this.history.scheduler === 'memory' ? DAY + this.history.everyMinutes * MINUTE : 0;
		const last = this.begun[this.poll - 1] ?? -Infinity;
		return this.truth.newestAt(last - savedMs) - this.lookbackMs;
	}
}
