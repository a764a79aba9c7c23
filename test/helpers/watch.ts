/** Set-up of the trigger: a service with its history, and n8n on either of its schedulers, at a clock that stands still or goes on. */
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

/** A service with its history, and the triggers that read it. To be called once per describe. */
function serviceOf(scheduler: Scheduler) {
	const history = new History();
	const used = useSandbox(() => ({ world: history }));
	/** Of waiting, deadlines and pauses. */
	const time = useVirtualTime(NOON);
	beforeEach(() => {
		history.entries = [];
		history.team.users = [];
	});
	return {
		history,
		used,
		time,

		/** A trigger like no other. */
		trigger: (parameters: INodeParameters = allUsers, options: HostOptions = {}) =>
			new PollingHost(used.credential, parameters, { scheduler, nodeId: `node ${++nodes}`, ...options }),

		/** Requests for readings, by user ID. */
		readingRequests: () => used.sandbox.requests.flatMap((url) => /timeseries\/([^/]+)\//.exec(url)?.slice(1) ?? []),
	};
}

/** A trigger and two users, where n8n's clock and the service's stand still unless a test moves them. To be called once per describe. */
export function watch(scheduler: Scheduler = 'memory') {
	const service = serviceOf(scheduler);
	const { history, used } = service;
	const world = {
		...service,
		/** n8n's clock, and the service's unless its own was set. */
		clock: NOON,
		anna: undefined as unknown as User,
		ben: undefined as unknown as User,

		/** A reading that is measured, and reaches the service, so many minutes from now. */
		reading: (minutes: number, systolic = 120, provider = 'omron', type = 'cuff'): Reading =>
			bloodPressure(iso(world.clock + minutes * MINUTE).replace('.000', ''), systolic, 80, provider, type),

		pass(ms: number) {
			world.clock += ms;
		},
	};

	beforeEach(() => {
		world.clock = NOON;
		jest.spyOn(Date, 'now').mockImplementation(() => world.clock);
		used.sandbox.switches.now = () => world.clock;
		world.anna = history.addUser('anna');
		world.ben = history.addUser('ben');
	});
	return world;
}

/** Poll times one after the other, while n8n's clock and the service's advance with virtual time. To be called once per describe. */
export function timeline(scheduler: Scheduler) {
	const service = serviceOf(scheduler);
	const { history, used, time } = service;
	const patience = { baseDelayMs: 500, maxDelayMs: 30_000 };
	const { baseDelayMs, maxDelayMs } = RETRY_LIMITS;
	const line = {
		...service,
		rows: [] as IDataObject[],
		errors: [] as string[],

		users: (count: number) => Array.from({ length: count }, (_, i) => history.addUser(`user ${i}`)),

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

		async polls(n8n: PollingHost, count: number, everyMs = MINUTE) {
			const before = line.rows.length;
			for (let poll = 0; poll < count; poll++) {
				const begun = time.elapsed;
				await n8n.tick().then(
					(rows = []) => line.rows.push(...rows),
					(error: Error) => line.errors.push(error.message),
				);
				await time.pass(Math.max(1, everyMs - (time.elapsed - begun)));
			}
			return line.rows.slice(before);
		},
	};
	beforeEach(() => {
		Object.assign(RETRY_LIMITS, patience);
		time.error = 0;
		line.rows.length = 0;
		line.errors.length = 0;
	});
	afterAll(() => Object.assign(RETRY_LIMITS, { baseDelayMs, maxDelayMs }));
	return line;
}

/** What the trigger remembers in n8n's database. */
export function savedState({ options, saved, row }: PollingHost): TriggerState {
	const stored = JSON.parse(options.scheduler === 'durable' ? row! : saved) as Record<string, never>;
	return options.scheduler === 'durable'
		? stored.state
		: ((stored[`node:${options.nodeName ?? 'Node'}`] as IDataObject).state as never);
}

/** What the trigger remembers now: in memory, n8n may not have saved it. */
export function stateNow(n8n: PollingHost): TriggerState {
	const { saved } = n8n;
	n8n['active']?.save();
	const state = savedState(n8n);
	n8n.saved = saved;
	return state;
}

/** How many users could not be read. */
export const failedUsers = ({ cursors }: TriggerState) =>
	cursors.reduce((sum, { ended, users }) => sum + (ended === 'failed' ? users.length / 12 : 0), 0);

/** Whether all users have been read since the pass began. */
export const isPassComplete = ({ pass, poll }: TriggerState) => pass > poll;

export const valuesOf = (rows: IDataObject[] | undefined) => rows?.map(({ systolic }) => systolic);
