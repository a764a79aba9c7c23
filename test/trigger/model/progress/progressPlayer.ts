/**
 * Plays a history of progress: one trigger that watches a team while users and service are in trouble, each poll judged by what it
 * could have done.
 */
import type { INodeParameters } from 'n8n-workflow';
import { HOUR } from '../steps';
import type { Ended } from '../modelHost';
import { ModelService } from '../service';
import { VirtualTime } from '../../../helpers/virtualTime';
import { Watched } from '../watched';
import { ModelWorld, type Person } from '../world';
import { answerMs, soundMs, usersOfPoll, ReadsBound, ReportsBound } from './bounds';
import { RateLimit } from '../faults';
import { faultsAt, isDuring, isLimited, isMixed, isPrompt, type ProgressHistory } from './troubles';
import { fail } from '../judged';

const NOON = Date.UTC(2026, 5, 1, 12);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** The longest Retry-After. */
const LONGEST_PAUSE_MS = HOUR + MINUTE;
/** In the team of some listed users. */
const BYSTANDERS = 600;
/** When all is well. */
const LAST_ROUNDS = 3;
/** Of a round, if a poll can do nothing. */
const LEAST = 0.05;
/** Of a poll's budget, for users known to fail: less than a third, or the timeout of one answer, and the steps of the timers. */
const MOST_FOR_FAILED = 0.7;
/** Of a poll's budget: one that takes longer may cut off users. */
const CUTS_OFF = 0.5;
/** n8n's own where it has none, on both schedulers. */
const LONG_MS = 300_000;

/** A fault that is a limit of one user. */
const LIMITED = /^429| for /;

let histories = 0;

export class ProgressPlayer {
	readonly time = new VirtualTime(NOON);
	readonly world = new ModelWorld(this.time);
	readonly service = new ModelService(this.world, this.time);
	readonly reads: ReadsBound;
	readonly reports: ReportsBound;
	private readonly team: Person[];
	private readonly watched: Watched;
	private poll = 0;
	/** End of the longest Retry-After so far. */
	private pausedUntil = -Infinity;
	/** After a refusal that does not say when: a client may wait as long as a window of the limit. */
	private mayWaitUntil = -Infinity;
	/** Users in trouble who have been asked, until they are read again. */
	private readonly met = new Set<number>();
	/** Users who failed in the last polls: how many have read them, or two where the end of the poll cut off no user. */
	private readonly failing = new Map<number, number>();
	private hasThrottled = false;
	private counted = { reported: 0, logged: 0 };

	constructor(
		private readonly history: ProgressHistory,
		private readonly log: (line: string) => void = () => undefined,
	) {
		this.service.pageSize = 100;
		this.service.isListQuick = history.isListQuick;
		this.service.keys.set('ours', 'our team');
		this.team = Array.from({ length: history.people }, () => this.world.join('our team'));
		// Looked up one by one, where the list is long.
		if (history.scope === 'clients') for (let i = 0; i < BYSTANDERS; i++) this.world.join('our team');
		this.reads = new ReadsBound(history);
		this.reports = new ReportsBound(history.everyMinutes * MINUTE, (user) => this.nameOf(user));
		const { scheduler, isLong, scope } = history;
		const budgetMs = isLong ? LONG_MS : undefined;
		this.watched = new Watched(
			this,
			this.parameters(),
			{
				provider: '',
				person: scope === 'one' ? this.team[0] : undefined,
				list: scope,
			},
			{ scheduler, budgetMs, workflowId: `progress ${++histories}`, isPatient: true },
			{ key: 'ours', lookback: 48 * HOUR, log, onPoll: (ended) => this.judge(ended) },
		);
	}

	private parameters(): INodeParameters {
		const { scope, concurrency, rate } = this.history;
		const options = { concurrency, ...(rate && { requestsPerSecond: rate }) };
		const common = { event: 'bloodPressure', userScope: scope, options };
		if (scope === 'all') return common;
		if (scope === 'one') return { ...common, user: { __rl: true, mode: 'userId', value: this.team[0].userId } };
		const usersBy = scope === 'clients' ? 'clientUserId' : 'userId';
		return { ...common, userScope: 'listed', usersBy, userIds: this.team.map((one) => one[usersBy]).join('\n') };
	}

	/** An entry that was never resolved has no user ID: its place tells it. */
	private nameOf(user: number): RegExp {
		const { userId } = this.team[user];
		if (this.history.scope === 'one') return /./;
		return this.history.scope === 'clients' ? new RegExp(`${userId}|\\b${user + 1}\\b`) : new RegExp(userId);
	}

	get emitted() {
		return this.watched.emitted;
	}

	/** @throws Broken */
	async play() {
		const { polls, readings } = this.history;
		this.time.install();
		try {
			this.happen();
			await this.watched.start('activate');
			for (this.poll = 1; this.poll <= polls; this.poll++) {
				await this.nextPollTime();
				for (const { poll, user } of readings) if (poll === this.poll) this.measure(user);
				this.happen();
				await this.time.pass(1);
				await this.tick();
			}
			await this.finish();
		} finally {
			this.time.uninstall();
		}
	}

	private async tick() {
		if (this.watched.host.isAlive) await this.watched.tick();
		else await this.watched.start('activate');
	}

	/** n8n leaves out poll times while a poll runs. */
	private async nextPollTime() {
		const { everyMinutes, jitterMs } = this.history;
		const every = everyMinutes * MINUTE;
		const { elapsed } = this.time;
		const next = (Math.floor((elapsed + jitterMs) / every) + 1) * every;
		await this.time.pass(next - elapsed - (this.poll % 2) * jitterMs);
	}

	private async finish() {
		this.log('and in the end');
		await this.time.pass(LONGEST_PAUSE_MS);
		for (let rounds = 0; rounds < LAST_ROUNDS; this.poll++) {
			await this.nextPollTime();
			this.happen();
			rounds += Math.min(1, this.possible) || LEAST;
			await this.tick();
		}
		this.reads.judgeEnd();
	}

	private measure(user: number) {
		const { now } = this.time;
		const time = Math.floor(now / 1000) * 1000;
		const source = {
			provider: 'omron',
			type: 'cuff',
			micro: String(this.world.readings.length % 1000).padStart(3, '0'),
		};
		const reading = this.world.measure({ person: this.team[user], time, arrives: now, value: 100, ...source });
		if (reading && this.watched.host.isAlive) this.reads.expect(reading.nr, user, this.poll);
	}

	/** Faults from this poll on; none after the last one. */
	private happen() {
		const { history, poll, service, team } = this;
		const isOver = poll > history.polls;
		const faults = isOver ? new Map() : faultsAt(history, poll);
		service.faults.clear();
		for (const [user, fault] of faults) service.faults.set(team[user], fault);
		const slow = history.slownesses.find((one) => !isOver && isDuring(poll, one));
		service.latencyMs = slow?.latencyMs ?? history.latencyMs;
		service.spreadMs = slow?.spreadMs ?? 0;
		const throttle = history.throttles.find((one) => !isOver && isDuring(poll, one));
		if (!throttle) service.limit = undefined;
		else if (!service.limit) {
			const { requests, minutes, isAnnounced, isSliding, isOfReadings } = throttle;
			service.limit = new RateLimit(requests, minutes * MINUTE, isAnnounced, isSliding, isOfReadings);
		}
		this.log(
			`poll ${poll}: ${[...faults].map(([user, fault]) => `${user} ${fault}`).join(', ') || 'all sound'}` +
				`${service.limit ? `, ${service.limit.free(this.time.now)} requests free` : ''}`,
		);
		this.possible = this.possibleRounds();
	}

	/** Rounds that the next poll could make, if all were sound. */
	private possible = 0;

	private get budgetMs() {
		const { host } = this.watched;
		const { scheduler, isLong } = this.history;
		// The first poll time with the budget of a start looks like one.
		const starts = scheduler === 'durable' && isLong ? 1 : 0;
		return this.poll <= starts ? host.startBudgetMs : host.budgetMs;
	}

	private possibleRounds() {
		const { time, service, history, budgetMs } = this;
		// A pause that ends within the poll is waited out.
		const pauseMs = Math.max(0, this.pausedUntil + SECOND - time.now);
		if (pauseMs > budgetMs * CUTS_OFF) return 0;
		const users = usersOfPoll(history, service, time.now + pauseMs, budgetMs - pauseMs, this.known());
		return users <= 0 ? 0 : 1 / Math.ceil(history.people / users);
	}

	private judge({ begun, record, rows = [], error }: Ended & { begun: number }) {
		const { service, history, team, poll, reads, met, watched } = this;
		const { host, logged } = watched.host;
		const faulty = new Set([...service.faults.keys()].map(({ nr }) => nr));
		// An answer with something malformed may be read, or not.
		const malformed = new Set([...service.faults].flatMap(([{ nr }, fault]) => (fault === 'malformed' ? [nr] : [])));
		const failing = new Set([...faulty].filter((nr) => !malformed.has(nr)));
		const served = new Set([...record.served.keys()].map(({ nr }) => nr));
		for (const { nr } of [...record.broken, ...record.gone]) met.add(nr);
		this.hasThrottled ||= record.throttled > 0;
		for (const nr of met) if (!faulty.has(nr) && served.has(nr)) met.delete(nr);
		const reported = host.reported.slice(this.counted.reported).map(wholeText);
		const lines = logged.slice(this.counted.logged);
		this.counted = { reported: host.reported.length, logged: logged.length };
		this.log(`  read: ${[...served].join(' ')}`);
		for (const text of reported) this.log(`  reported: ${text}`);
		for (const line of lines) this.log(`  logged: ${line}`);
		const isOfList = history.scope !== 'all';
		const isWaiting = record.requests === 0 && begun < this.mayWaitUntil;
		if (record.requests === 0 && this.possible > 0 && !isWaiting)
			fail('a poll sends nothing, though the limit would let it', { poll });
		if (record.isListFree) reads.most = Infinity;
		const hanging = [...service.faults.values()].filter((fault) => fault === 'hang' || fault === 'endless');
		const turns = Math.ceil(hanging.length / history.concurrency);
		reads.judge(
			poll,
			isWaiting ? 0 : this.possible,
			rows.map(({ nr }) => Number(nr)),
			{ served, faulty, aside: met, turns },
		);
		this.reports.judge({
			poll,
			begun,
			ended: this.time.now,
			failing: new Set([...met].filter((nr) => failing.has(nr))),
			isPrompt: isPrompt(history),
			served,
			mayHaveRead: [...record.broken].some(({ nr }) => malformed.has(nr)),
			mostReads: (since) => reads.mostSince(since),
			watched: team.flatMap(({ nr }) => (malformed.has(nr) ? [] : [nr])),
			unread: team.flatMap(({ nr }) => (served.has(nr) ? [] : [nr])),
			hasListed: isOfList || record.listed.size > 0,
			mayFail: (record.throttled > 0 || team.length === faulty.size) && served.size === 0,
			unreadable: met.size + record.limited.size,
			isCalm: history.kind === 'flapping' && met.size === 0,
			isOnlyLimit: this.hasThrottled && history.stretches.length + history.slownesses.length === 0,
			reported,
			error: error && wholeText(error),
			logged: lines,
		});
		// Where the list is refused as well, a pause that a user was told is everybody's.
		const limited = [...service.faults.values()].filter((fault) => LIMITED.test(fault));
		// So it is where the user to compare with is limited, too.
		const isOfAll = limited.length > 1 || record.throttled > 0;
		if (limited.includes('503 for 3600') && isOfAll) this.pausedUntil = this.time.now + HOUR;
		if (service.limit?.isAnnounced) this.pausedUntil = Math.max(this.pausedUntil, record.retryAt);
		else if (service.limit && record.throttled > 0) this.mayWaitUntil = this.time.now + service.limit.windowMs;
		this.judgeTime(poll, this.time.now - begun, failing);
		// A limit may have ended the poll before the user failed.
		const isCut = record.throttled > 0 || this.time.now - begun > this.budgetMs * CUTS_OFF;
		this.noteFailing(isCut, failing);
	}

	/** Users whose trouble earlier polls have found. The first may have cut off their reads. */
	private known() {
		return new Set([...this.failing].flatMap(([nr, polls]) => (polls > 1 ? [nr] : [])));
	}

	private noteFailing(isCut: boolean, faulty: Set<number>) {
		const { met, failing } = this;
		for (const nr of failing.keys()) if (!faulty.has(nr)) failing.delete(nr);
		const polls = isCut ? 1 : 2;
		for (const nr of faulty) if (met.has(nr)) failing.set(nr, (failing.get(nr) ?? 0) + polls);
	}

	/** Users who failed in earlier polls cost a part of the budget at most. */
	private judgeTime(poll: number, tookMs: number, faulty: Set<number>) {
		const { service, history } = this;
		if (isMixed(history) || isLimited(history)) return;
		const known = this.known();
		const isKnown = [...faulty].every((nr) => known.has(nr));
		if (!isKnown || faulty.size === 0 || answerMs(service) > history.latencyMs) return;
		const mostMs = this.budgetMs * MOST_FOR_FAILED + soundMs(service, history);
		if (tookMs > mostMs) fail('users known to fail cost a poll too much of its budget', { poll, tookMs, mostMs });
	}
}

const wholeText = ({ message, description }: { message: string; description?: string | null }) =>
	`${message} ${description ?? ''}`;
