/** Test setup of the trigger: a service with its history and clock, and n8n on either of its schedulers. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { User } from '../../dev/sandbox/schemas';
import type { Reading } from '../../dev/sandbox/world';
import type { TriggerState } from '../../nodes/HealthDataService/trigger/state';
import { History } from './history';
import { bloodPressure } from './people';
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

/** To be called once per describe: it registers what must happen before and after each test. */
export function watch(scheduler: Scheduler = 'memory') {
	const history = new History();
	const used = useSandbox(() => ({ world: history }));
	const time = useVirtualTime(NOON);
	const world = {
		history,
		used,
		/** Of waiting, deadlines and pauses; n8n's clock and the service's stand still in a test unless it moves them. */
		time,
		/** n8n's clock, and the service's unless its own was set. */
		clock: NOON,
		anna: undefined as unknown as User,
		ben: undefined as unknown as User,

		/** A trigger like no other. */
		trigger: (parameters: INodeParameters = allUsers, options: HostOptions = {}) =>
			new PollingHost(used.credential, parameters, { scheduler, nodeId: `node ${++nodes}`, ...options }),

		/** A reading that is measured, and reaches the service, so many minutes from now. */
		reading: (minutes: number, systolic = 120, provider = 'omron', type = 'cuff'): Reading =>
			bloodPressure(iso(world.clock + minutes * MINUTE).replace('.000', ''), systolic, 80, provider, type),

		pass(ms: number) {
			world.clock += ms;
		},

		/** Requests for readings, by user ID. */
		readingRequests: () => used.sandbox.requests.flatMap((url) => /timeseries\/([^/]+)\//.exec(url)?.slice(1) ?? []),
	};

	beforeEach(() => {
		world.clock = NOON;
		jest.spyOn(Date, 'now').mockImplementation(() => world.clock);
		used.sandbox.switches.now = () => world.clock;
		history.entries = [];
		history.team.users = [];
		world.anna = history.addUser('anna');
		world.ben = history.addUser('ben');
	});
	return world;
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
