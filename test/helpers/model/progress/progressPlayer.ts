/**
 * Plays a history of progress: one trigger that watches a team while users and service are in trouble, each poll judged by what it
 * could have done.
 */
import { HOUR } from '../steps';
import type { Ended } from '../modelHost';
import { ModelService } from '../service';
import { VirtualTime } from '../../virtualTime';
import { Watched } from '../watched';
import { ModelWorld, type Person } from '../world';
import { answerMs, soundMs, usersOfPoll } from './facts';
import { RateLimit } from './rateLimit';
import { ReadsBound } from './readsBound';
import { ReportsBound } from './reportsBound';
import { faultsAt, isDuring, isMixed, looksOverloaded, type ProgressHistory } from './troubles';
import { fail } from '../fail';

const NOON = Date.UTC(2026, 5, 1, 12);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** The longest Retry-After. */
const LONGEST_PAUSE_MS = HOUR + MINUTE;
/** Enough for two rounds when all is well. */
const LAST_POLLS = 3;

/** Of a poll's budget, for the users who failed in the poll before: a third, and what the steps of the timers add. */
const MOST_FOR_FAILED = 0.4;
/** The same for a poll after one that had no time for them: as long as one slow answer takes, before the third. */
const MOST_FOR_OVERDUE = 0.7;
/** Of a poll's budget: one that takes longer may cut off users. */
const CUTS_OFF = 0.5;

let histories = 0;

export class ProgressPlayer {
	readonly time = new VirtualTime(NOON);
	readonly world = new ModelWorld(this.time);
	readonly service = new ModelService(this.world, this.time);
	readonly reads: ReadsBound;
	readonly reports: ReportsBound;
	private readonly team: Person[];
	private readonly watched: Watched;
	/** Users whom this round has read: the next one begins when it has read all. */
	private readonly ofRound = new Set<number>();
	private poll = 0;
	/** End of the longest Retry-After so far. */
	private pausedUntil = -Infinity;
	/** After a refusal that does not say when: a client may wait as long as a window of the limit. */
	private mayWaitUntil = -Infinity;
	/** Users in trouble who have been asked, until they are read again. */
	private readonly met = new Set<number>();
	/** Users who failed in the last polls: how many have read them, or two where the end of the poll cut off no user. */
	private readonly failing = new Map<number, number>();
	/** Whether the last poll may have had no time for failed users. */
	private hadNoTime = false;
	private counted = { reported: 0, logged: 0 };

	constructor(
		private readonly history: ProgressHistory,
		private readonly log: (line: string) => void = () => undefined,
	) {
		this.service.pageSize = 100;
		this.service.keys.set('ours', 'our team');
		this.team = Array.from({ length: history.people }, () => this.world.join('our team'));
		this.reads = new ReadsBound(history.people, isMixed(history), looksOverloaded(history));
		this.reports = new ReportsBound(isMixed(history));
		const { scheduler } = history;
		this.watched = new Watched(
			this,
			{ event: 'bloodPressure', userScope: 'all', options: {} },
			{ provider: '' },
			{ scheduler, workflowId: `progress ${++histories}`, isPatient: true },
			{ key: 'ours', lookback: 48 * HOUR, log, onPoll: (ended) => this.judge(ended) },
		);
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
		const every = this.history.everyMinutes * MINUTE;
		await this.time.pass(every - (this.time.elapsed % every));
	}

	private async finish() {
		this.log('and in the end');
		await this.time.pass(LONGEST_PAUSE_MS);
		for (let last = 0; last < LAST_POLLS; last++, this.poll++) {
			await this.nextPollTime();
			this.happen();
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
		if (reading) this.reads.expect(reading.nr, user, this.poll);
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
		// How fast requests may be sent is learnt anew.
		this.isLimitOver = !throttle && service.limit !== undefined;
		if (!throttle) service.limit = undefined;
		else if (!service.limit) {
			const { requests, minutes, isAnnounced, isSliding } = throttle;
			service.limit = new RateLimit(requests, minutes * MINUTE, isAnnounced, isSliding);
		}
		this.log(
			`poll ${poll}: ${[...faults].map(([user, fault]) => `${user} ${fault}`).join(', ') || 'all sound'}` +
				`${service.limit ? `, ${service.limit.free(this.time.now)} requests free` : ''}`,
		);
		this.possible = this.possibleRounds();
	}

	/** Rounds that the next poll could make, if all were sound. */
	private possible = 0;

	/** Whether a limit ended before this poll. */
	private isLimitOver = false;

	private get budgetMs() {
		const { host } = this.watched;
		return this.poll === 0 ? host.startBudgetMs : host.budgetMs;
	}

	private possibleRounds() {
		const { time, service, history, budgetMs } = this;
		if (time.now < this.pausedUntil + SECOND || this.isLimitOver) return 0;
		const users = usersOfPoll(service, time, history.people, budgetMs, this.known());
		return users === 0 ? 0 : 1 / Math.ceil(history.people / users);
	}

	private judge({ begun, record, rows = [], error }: Ended & { begun: number }) {
		const { service, history, team, poll, reads, met, watched } = this;
		const { host, logged } = watched.host;
		const faulty = new Set([...service.faults.keys()].map(({ nr }) => nr));
		const removed = [...service.faults].flatMap(([{ nr }, fault]) => (fault === 'removed' ? [nr] : []));
		const failing = new Set([...faulty].filter((nr) => !removed.includes(nr)));
		const served = new Set([...record.served.keys()].map(({ nr }) => nr));
		// A Retry-After that users met who come after all others may be theirs alone.
		const isPaused = begun < this.pausedUntil && record.requests === 0;
		for (const { nr } of record.broken.keys()) met.add(nr);
		for (const nr of met) if (!faulty.has(nr) && served.has(nr)) met.delete(nr);
		for (const nr of served) this.ofRound.add(nr);
		const isRoundRead = team.every(({ nr }) => faulty.has(nr) || this.ofRound.has(nr));
		if (isRoundRead) this.ofRound.clear();
		const isCutShort = record.throttled > 0 && !isRoundRead;
		const reported = host.reported.slice(this.counted.reported);
		const lines = logged.slice(this.counted.logged);
		this.counted = { reported: host.reported.length, logged: logged.length };
		this.log(`  read: ${[...served].join(' ')}`);
		for (const { message } of reported) this.log(`  reported: ${message}`);
		for (const line of lines) this.log(`  logged: ${line}`);
		this.reports.judge({
			poll,
			begun,
			ended: this.time.now,
			isTroubled: [...met].some((nr) => failing.has(nr)) || isCutShort || isPaused,
			isLimited: record.throttled > 0,
			mayFail: (record.throttled > 0 || (team.length === 1 && faulty.size === 1)) && served.size === 0,
			// While answers are slow or limited, a poll may be too short for the requests that confirm that a user was removed.
			unreadable: met.size + (answerMs(service) > history.latencyMs || record.throttled > 0 ? removed.length : 0),
			isOnlyLimit: this.history.stretches.length === 0 && this.history.slownesses.length === 0,
			reported: reported.map(({ message }) => message),
			error: error?.message,
			logged: lines,
		});
		const rowsOf = rows.map(({ nr }) => Number(nr));
		const isWaiting = record.requests === 0 && begun < this.mayWaitUntil;
		reads.judge(poll, isWaiting ? 0 : this.possible, rowsOf, served, faulty);
		if (service.limit?.isAnnounced) this.pausedUntil = Math.max(this.pausedUntil, record.retryAt);
		else if (service.limit && record.throttled > 0) this.mayWaitUntil = this.time.now + service.limit.windowMs;
		this.judgeTime(poll, this.time.now - begun, failing);
		this.noteFailing(this.time.now - begun, failing);
		this.hadNoTime = record.throttled > 0 || answerMs(service) > history.latencyMs;
	}

	/** Users whose trouble earlier polls have found. The first may have cut off their reads. */
	private known() {
		return new Set([...this.failing].flatMap(([nr, polls]) => (polls > 1 ? [nr] : [])));
	}

	private noteFailing(tookMs: number, faulty: Set<number>) {
		const { met, failing } = this;
		for (const nr of failing.keys()) if (!faulty.has(nr)) failing.delete(nr);
		const polls = tookMs > this.budgetMs * CUTS_OFF ? 1 : 2;
		for (const nr of faulty) if (met.has(nr)) failing.set(nr, (failing.get(nr) ?? 0) + polls);
	}

	/** Failed users of earlier polls cost a third of the budget at most, unless the trouble of one changes its kind. */
	private judgeTime(poll: number, tookMs: number, faulty: Set<number>) {
		const { service, history } = this;
		if (isMixed(history)) return;
		const known = this.known();
		const isKnown = [...faulty].every((nr) => known.has(nr));
		if (!isKnown || faulty.size === 0 || history.throttles.length > 0 || answerMs(service) > history.latencyMs) return;
		const most = this.hadNoTime ? MOST_FOR_OVERDUE : MOST_FOR_FAILED;
		const mostMs = this.budgetMs * most + soundMs(service, history.people);
		if (tookMs > mostMs)
			fail('users known to fail cost a poll more than a third of its budget', { poll, tookMs, mostMs });
	}
}
