/** Set-up of the trigger: a service with its history, and n8n on either of its schedulers, in virtual time. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { User } from '../../dev/sandbox/schemas';
import type { Fault } from '../../dev/sandbox/switches';
import type { Reading } from '../../dev/sandbox/world';
import { RETRY_LIMITS } from '../../nodes/HealthDataService/http/retry';
import type { TriggerState } from '../../nodes/HealthDataService/trigger/state';
import { History, bloodPressure } from './people';
import { PollingHost, type HostOptions } from './pollingHost';
import { useSandbox } from './requests';
import { useVirtualTime } from './virtualTime';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const NOON = Date.UTC(2026, 5, 1, 12);

export const allUsers: INodeParameters = { event: 'bloodPressure', userScope: 'all' };

export type Scheduler = NonNullable<HostOptions['scheduler']>;

/** The tests that follow, on n8n's scheduler in memory and on the durable one. */
export const onBothSchedulers = (tests: (scheduler: Scheduler) => void) =>
	describe.each<[string, Scheduler]>([
		['in memory', 'memory'],
		['durable', 'durable'],
	])('%s', (_, scheduler) => tests(scheduler));

export const iso = (time: number) => new Date(time).toISOString();

let nodes = 0;

/** As n8n waits, in virtual time; few and short pauses elsewhere. */
const PATIENCE = { baseDelayMs: 500, maxDelayMs: 30_000 };

/**
 * A service with its history, and triggers that read it, in virtual time. n8n's clock is wrong by `time.error`, the service's is right
 * unless a test sets another. To be called once per describe.
 *
 * @param options `names` of the users at the beginning @param options.isPatient whether requests are retried as slowly as in n8n
 */
export function watch(scheduler: Scheduler = 'memory', { names = ['anna', 'ben'], isPatient = false } = {}) {
	const history = new History();
	const used = useSandbox(() => ({ world: history }));
	/** Of waiting, deadlines and pauses. */
	const time = useVirtualTime(NOON);
	const world = {
		history,
		used,
		time,
		anna: undefined as unknown as User,
		ben: undefined as unknown as User,
		/** Of all polls by `polls`. */
		rows: [] as IDataObject[],
		errors: [] as string[],

		/** The right time. */
		get clock() {
			return time.now;
		},

		/** Time passes at once, with nothing going on. */
		pass(ms: number) {
			time.now += ms;
		},

		/** A trigger like no other. */
		trigger: (parameters: INodeParameters = allUsers, options: HostOptions = {}) =>
			new PollingHost(used.credential, parameters, { scheduler, nodeId: `node ${++nodes}`, ...options }),

		/** The same, started. */
		async started(parameters?: INodeParameters, options?: HostOptions) {
			const n8n = world.trigger(parameters, options);
			await n8n.start();
			return n8n;
		},

		/** Systolic values of a poll after so long. */
		async after(n8n: PollingHost, ms = MINUTE) {
			time.now += ms;
			return valuesOf(await n8n.tick()) ?? [];
		},

		get switches() {
			return used.sandbox.switches;
		},

		/** Requests for readings, by user ID. */
		readingRequests: () => used.sandbox.requests.flatMap((url) => /timeseries\/([^/]+)\//.exec(url)?.slice(1) ?? []),

		users: (count: number) => Array.from({ length: count }, (_, i) => history.addUser(`user ${i}`)),

		/** A reading that is measured, and reaches the service, so many minutes from now. */
		reading: (minutes: number, systolic = 120, provider = 'omron', type = 'cuff'): Reading =>
			bloodPressure(iso(time.now + minutes * MINUTE).replace('.000', ''), systolic, 80, provider, type),

		/** A reading that arrives now. */
		measure(user: User, systolic = 120, agoMs = 0) {
			const at = time.now - agoMs;
			return history.add(user, bloodPressure(iso(Math.floor(at / 1000) * 1000), systolic, 80), { late: agoMs });
		},

		/** Answers to the requests of which the address contains a text. */
		answer(faults: Record<string, Fault | ((url: string) => Fault | undefined)>) {
			used.sandbox.switches.fault = (_, url) => {
				const found = Object.entries(faults).find(([part]) => url.includes(part))?.[1];
				return typeof found === 'function' ? found(url) : found;
			};
		},

		/** Poll times one after the other. */
		async polls(n8n: PollingHost, count: number, everyMs = MINUTE) {
			const before = world.rows.length;
			for (let poll = 0; poll < count; poll++) {
				const begun = time.elapsed;
				await n8n.tick().then(
					(rows = []) => world.rows.push(...rows),
					(error: Error) => world.errors.push(error.message),
				);
				await time.pass(Math.max(1, everyMs - (time.elapsed - begun)));
			}
			return world.rows.slice(before);
		},
	};
	const { baseDelayMs, maxDelayMs } = RETRY_LIMITS;
	beforeEach(() => {
		if (isPatient) Object.assign(RETRY_LIMITS, PATIENCE);
		time.error = 0;
		time.now = NOON;
		used.sandbox.switches.now = () => time.now;
		world.rows.length = 0;
		world.errors.length = 0;
		history.entries = [];
		history.team.users = [];
		[world.anna, world.ben] = names.map((name) => history.addUser(name));
	});
	afterAll(() => Object.assign(RETRY_LIMITS, { baseDelayMs, maxDelayMs }));
	return world;
}

/** What the trigger remembers in n8n's database. */
export function savedState({ options, saved, row }: PollingHost): TriggerState {
	const stored = JSON.parse(options.scheduler === 'durable' ? row! : saved) as Record<string, never>;
	return options.scheduler === 'durable'
		? stored.state
		: ((stored[`node:${options.nodeName ?? 'Node'}`] as IDataObject).state as never);
}

/** How many users could not be read. */
export const failedUsers = ({ cursors }: TriggerState) =>
	cursors.reduce((sum, { ended, users }) => sum + (ended === 'failed' ? users.length / 12 : 0), 0);

/** Whether all users have been read since the pass began. */
export const isPassComplete = ({ pass, poll }: TriggerState) => pass > poll;

export const valuesOf = (rows: IDataObject[] | undefined) => rows?.map(({ systolic }) => systolic);
