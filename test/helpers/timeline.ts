/** Timeline of a trigger: poll times one after the other, while n8n's clock and the service's advance with virtual time. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { User } from '../../dev/sandbox/schemas';
import type { Fault } from '../../dev/sandbox/switches';
import { RETRY_LIMITS } from '../../nodes/HealthDataService/http/retry';
import { History } from './history';
import { bloodPressure } from './people';
import { PollingHost, type HostOptions } from './pollingHost';
import { useSandbox } from './requests';
import { useVirtualTime } from './virtualTime';
import { allUsers, iso, MINUTE, NOON, type Scheduler } from './watch';

let nodes = 0;

/** To be called once per describe. */
export function timeline(scheduler: Scheduler) {
	const history = new History();
	const used = useSandbox(() => ({ world: history }));
	const time = useVirtualTime(NOON);
	const patience = { baseDelayMs: 500, maxDelayMs: 30_000 };
	const { baseDelayMs, maxDelayMs } = RETRY_LIMITS;
	beforeEach(() => {
		Object.assign(RETRY_LIMITS, patience);
		time.error = 0;
		history.entries = [];
		history.team.users = [];
	});
	afterAll(() => Object.assign(RETRY_LIMITS, { baseDelayMs, maxDelayMs }));
	const line = {
		history,
		used,
		time,
		rows: [] as IDataObject[],
		errors: [] as string[],

		users: (count: number) => Array.from({ length: count }, (_, i) => history.addUser(`user ${i}`)),

		trigger: (parameters: INodeParameters = allUsers, options: HostOptions = {}) =>
			new PollingHost(used.credential, parameters, { scheduler, nodeId: `timeline ${++nodes}`, ...options }),

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

		/** User IDs of the requests for readings. */
		asked: () => used.sandbox.requests.flatMap((url) => /timeseries\/([^/]+)\//.exec(url)?.slice(1) ?? []),
	};
	beforeEach(() => {
		line.rows.length = 0;
		line.errors.length = 0;
	});
	return line;
}
