/** One trigger of a history with its trace and its oracle, which is a new one whenever something else is watched. */
import type { INodeParameters, WorkflowActivateMode, IDataObject } from 'n8n-workflow';
import { fail, type Row, type Scope } from './judged';
import { endOf, ModelHost, type Ended, type HostedOptions } from './modelHost';
import { broken } from './odd';
import type { ModelService } from './service';
import type { Limits } from './values';
import type { VirtualTime } from '../../helpers/virtualTime';
import { Watching } from './watching';
import type { ModelWorld, Person } from './world';
import type { PollRecord } from './faults';

/** What is around n8n. */
export interface Around {
	time: VirtualTime;
	world: ModelWorld;
	service: ModelService;
}

interface WatchOptions {
	key: string;
	lookback: number;
	limits?: Limits;
	/** Whether it watches for new users. */
	isOfUsers?: boolean;
	log: (line: string) => void;
	/** Called with each poll before it is judged. */
	onPoll?: (ended: Ended & { begun: number }) => void;
}

/** The part of its budget after which a poll may leave rows that it has requested to the next. */
const IN_TIME = 0.6;

const STARTS_OVER = 'The saved state of the trigger cannot be used';

/** Most rows that one poll emits; the others come with the next. */
const MOST_ROWS = 10_000;

/** Once a poll was skipped, no row is as old as this any more: it was not saved. */
const SETTLED_MS = 60_000;

export class Watched {
	readonly host: ModelHost;
	emitted = 0;
	/** Durable: the transaction of the next delivery fails. */
	losesDelivery = false;
	private readonly watching: Watching;
	/** The rows from before the last two polls. */
	private oldRows: Array<string | undefined> = [];
	/** Since the last poll that was given the last row. */
	private wasSkipped = false;
	private lastAt = 0;
	/** Whether the saved state was broken, and how many reports of that there were before. */
	private isBroken = false;
	private overs = 0;
	/** Reports and lines of the log of earlier polls. */
	private failures = 0;

	constructor(
		private readonly around: Around,
		parameters: INodeParameters,
		scope: Scope,
		options: HostedOptions,
		private readonly more: WatchOptions,
	) {
		this.watching = new Watching(around, scope, more.lookback, more.limits ?? {}, more.isOfUsers);
		this.host = new ModelHost(around.time, around.service, parameters, options, more.key);
	}

	setLookback(parameters: INodeParameters, lookback: number) {
		this.host.host.parameters = parameters;
		this.watching.changeLookback(lookback);
	}

	setLimits(parameters: INodeParameters, limits: Limits) {
		this.host.host.parameters = parameters;
		this.watching.changeLimits(limits);
	}

	/** Other fields: watching begins anew. */
	change(parameters: INodeParameters, scope: Scope) {
		this.host.host.parameters = parameters;
		this.watching.change(scope);
	}

	/** The node is replaced by a copy of it, which has another id. */
	paste(nodeName: string) {
		const { host } = this.host;
		host.options.nodeId += '+';
		host.options.nodeName = nodeName;
		host.row = undefined;
		this.watching.forget();
	}

	/** While n8n is down, a part of the saved state is replaced. */
	breakState(part: number, by: number) {
		const { host } = this.host;
		const saved = host.row ?? host.saved;
		const changed = broken(saved, part, by);
		if (host.row === undefined) host.saved = changed;
		else host.row = changed;
		this.isBroken = changed !== saved;
		this.overs = this.startOvers;
		if (this.isBroken) this.watching.forget();
		this.more.log(`  broken: ${changed.slice(0, 600)}`);
	}

	mustHaveStartedOver() {
		if (this.startOvers - this.overs !== Number(this.isBroken)) fail('a broken state, and not one report');
	}

	private get startOvers() {
		return this.host.host.reported.filter(({ message }) => message.includes(STARTS_OVER)).length;
	}

	/** Resolve gave another user for this one, maybe for so long that watching begins anew. */
	noteWrong(person: Person, isLong: boolean) {
		this.watching.oracle?.noteWrong(person, isLong);
	}

	stop(isKill: boolean) {
		this.host.host.staleRow = undefined;
		if (isKill) this.host.kill();
		else this.host.stop();
		this.oldRows = [];
		this.watching.oracle?.forget();
	}

	/** In the process that made it: n8n reads the row well before it calls the poll. */
	giveOldRow() {
		this.host.host.staleRow = this.oldRows[0];
		if (this.oldRows.length > 0) this.watching.oracle?.goBack();
	}

	async start(mode: WorkflowActivateMode) {
		await this.poll(async () => await this.host.start(mode), true);
	}

	async tick() {
		if (this.host.isAlive) await this.poll(async () => await this.host.tick(), false);
	}

	/** A poll that comes to nothing, because the process is killed or n8n waits no longer. */
	async cut(how: 'kill' | 'abandon', after: number) {
		if (!this.host.isAlive || (how === 'abandon' && !this.host.isDurable)) return;
		this.watching.begin();
		this.oldRows = [];
		const { length } = this.host.host.executions;
		const work = this.host.begin();
		let isOver = false;
		void work.catch(() => undefined).finally(() => (isOver = true));
		const begun = this.around.time.now;
		await this.around.time.pass(after);
		// It was quicker.
		if (isOver) return this.judge(begun, { record: this.host.record, ...(await endOf(work)) }, false);
		if (this.host.host.executions.length > length) fail('a poll emitted before its end');
		if (how === 'abandon') this.host.host.abandon();
		else this.stop(true);
	}

	private async poll(run: () => Promise<Ended>, isStart: boolean) {
		const begins = this.watching.begin();
		const begun = this.around.time.now;
		const rowBefore = this.host.host.row;
		if (this.wasSkipped && begun - this.lastAt >= SETTLED_MS) this.host.host.staleRow = undefined;
		const wasLeftOut = this.host.host.staleRow !== undefined && this.host.host.staleRow !== rowBefore;
		const ended = await run();
		// A trigger that could not be switched on has not begun to watch.
		if (ended.error && begins) this.watching.stop();
		if (!ended.error && isStart) this.watching.stay();
		if (ended.rows && this.losesDelivery && this.host.isDurable) {
			this.losesDelivery = false;
			this.host.host.row = rowBefore;
			// The poll was given this row, so n8n cannot give an older one after it.
			this.oldRows = [];
			this.more.log(`  emitted in vain: ${ended.rows.length}`);
			return;
		}
		this.oldRows = [...this.oldRows.slice(-1), rowBefore];
		this.wasSkipped = wasLeftOut && ended.record.requests === 0;
		if (!this.wasSkipped) this.lastAt = this.around.time.now;
		if (!this.wasSkipped) this.judge(begun, ended, isStart);
	}

	private judge(begun: number, { record, rows = [], error }: Partial<Ended> & Pick<Ended, 'record'>, isStart: boolean) {
		const { time } = this.around;
		const { requests, served, broken, gone, isHit, listed } = record;
		this.more.onPoll?.({ begun, record, rows, error });
		for (const line of traced(begun, isStart, record, rows, error)) this.more.log(line);
		const isAnswered = !error && !(isStart && isHit) && requests > 0;
		const isKept = isAnswered && !(served.size === 0 && broken.size > 0);
		// A poll without an error is saved though no user can be read.
		const { failures } = this;
		this.failures = this.host.failures;
		if (isAnswered && this.watching.meet([...listed][0]?.team, begun) && this.failures === failures)
			fail("another team's key, and no report");
		const budget = isStart ? this.host.startBudgetMs : this.host.budgetMs;
		const isFirstRound = this.watching.oracle?.isFirstRound && broken.size === 0 && !isHit;
		if (rows.length > MOST_ROWS) fail(`${rows.length} rows in one poll`);
		this.emitted += rows.length;
		this.watching.oracle?.judge({
			begun,
			ended: time.now,
			rows: rows.map((row) => ({ ...row, id: row.row_id, userId: row.user_id }) as unknown as Row),
			served,
			listed,
			gone,
			// Nothing was answered from which it could know the time.
			isHit: isHit || (served.size === 0 && listed.size === 0),
			isKept,
			isQuick: time.now - begun < budget * IN_TIME && rows.length < MOST_ROWS,
			clockError: time.error,
			dateError: this.around.service.dateError,
		});
		// In memory n8n saves at a start and with what goes out; a first round must see to it that it is saved.
		const isSaved = this.host.isDurable || rows.length > 0 || isStart || isFirstRound;
		if (isKept && isSaved) this.watching.oracle?.save();
	}
}

/** What an answer holds in place of a text may be nested too deep to be shown. */
const shown = (value: unknown) => (typeof value === 'object' ? 'an object' : String(value));

export function traced(
	begun: number,
	isStart: boolean,
	{ requests, served, broken }: PollRecord,
	rows: IDataObject[],
	error?: Error,
): string[] {
	const counts = `${requests} requests, ${served.size} users read, ${broken.size} broken`;
	return [
		`  ${new Date(begun).toISOString()} ${isStart ? 'start' : 'poll'}: ${counts}${error ? `, ${error.message}` : ''}`,
		...rows.map(
			(row) => `    ${row.change} nr ${row.nr} ${shown(row.code)} ${shown(row.timestamp)} ${row.row_id ?? row.user_id}`,
		),
	];
}
