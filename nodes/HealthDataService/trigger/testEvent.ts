/** Test event: the newest event, for *Fetch Test Event*. Saves nothing. */
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { connect, type Get } from '../http/client';
import { RequestQueue } from '../http/requestQueue';
import { SHORT_RETRY } from '../http/retry';
import type { UserResult } from '../service/readings/readUsers';
import { providerProblem } from '../service/users/provider';
import { ignoreProblem, Problem } from '../shared/problem';
import { itemsOf, type FoundRow } from './results';
import { detectChanges, SeenReadings } from './seen';
import { readSettings, TEST_USERS, type Settings } from './settings';

const DAY_MS = 86_400_000;
/** The user of n8n waits: users with slower answers are left out. */
const TEST_EVENT_MS = 6_000;
const RETRY_MS = TEST_EVENT_MS / 4;

/** @throws Problem where there is no event */
export async function testEvent(context: IPollFunctions): Promise<IDataObject> {
	const settings = readSettings(context, true);
	const { event, lookback, target } = settings;
	const timeoutMs = TEST_EVENT_MS / 2;
	const deadline = performance.now() + TEST_EVENT_MS;
	const get = await connect(context, {
		...SHORT_RETRY,
		retryForMs: RETRY_MS,
		timeoutMs,
		queueOf: () => new RequestQueue(target, deadline + timeoutMs),
	});
	for (const lookbackMs of [lookback, event.testDays * DAY_MS]) {
		const zone = context.getTimezone();
		const newest = await newestWithin(lookbackMs, settings, get, { deadline, zone });
		if (newest) return newest;
		if (performance.now() > deadline) break;
	}
	const { isOne, entries } = target.selection;
	if (target.provider && !isOne && !entries) {
		const problem = await providerProblem(get, target.provider).catch(ignoreProblem);
		if (problem) throw problem;
	}
	throw nothingToShow(settings, performance.now() > deadline);
}

const SLOW = 'The service answers slowly';

function nothingToShow({ event, target, limits }: Settings, isTimeUp: boolean) {
	const { noun, testDays } = event;
	const seconds = TEST_EVENT_MS / 1000;
	const scope = `The test reads the first ${TEST_USERS} users for up to ${seconds} seconds. The published workflow reads all of them, and starts with the next ${noun}`;
	if (isTimeUp) {
		const isRate = target.requestsPerSecond !== undefined;
		const cause = isRate ? "'Requests per Second' lets it send few requests" : SLOW;
		return new Problem(`The test found no ${noun} in time`, `${cause}. ${scope}`);
	}
	if (limits.length === 0) {
		const message = `There is no ${noun} to show`;
		return new Problem(message, `Check the fields and options. ${scope}`);
	}

	const users = target.selection.isOne ? '' : ` (first ${TEST_USERS} users)`;
	const names = limits.map(({ name }) => `'${name}'`).join(' or ');
	return new Problem(
		`No ${noun} of the last ${testDays} days${users} reaches ${names}`,
		`To see a sample, set limits that more readings reach. ${scope}`,
	);
}

/** @param options.deadline by `performance.now()` @param options.zone of `local_time` */
async function newestWithin(
	lookbackMs: number,
	settings: Settings,
	get: Get,
	{ deadline, zone }: { deadline: number; zone: string },
) {
	const { event, target } = settings;
	const start = Date.now() - lookbackMs;
	const isTimeUp = () => performance.now() > deadline;
	let newest: FoundRow | undefined;
	let problem: Problem | undefined;
	const read = event.read(get, target.selection.users(get), {
		target,
		windowStartOf: () => start,
		isTimeUp,
		// A hanging user is not asked again.
		budget: () => ({ retryMs: RETRY_MS, totalMs: Infinity }),
	});
	for await (const result of read) {
		problem ??= result.problem;
		newest = newerOf(newest, newestOf(result, settings, start));
	}
	if (!newest && problem) throw problem;
	if (!newest) return undefined;
	const [item] = itemsOf(settings, [newest], zone);
	await target.selection.addClientUserIds?.(get, [item], isTimeUp);
	return item;
}

function newestOf(result: UserResult, { event, isWanted }: Settings, start: number) {
	const window = { start };
	const seen = new SeenReadings({});
	const { changes } = detectChanges(event, result.rows, seen, window, isWanted);
	const found = changes.map((row): FoundRow => ({ row, result }));
	return found.reduce<FoundRow | undefined>(newerOf, undefined);
}

function newerOf(one: FoundRow | undefined, other: FoundRow | undefined) {
	if (!one || !other) return one ?? other;
	const time = one.row.time ?? 0;
	const otherTime = other.row.time ?? 0;
	return otherTime > time ? other : one;
}
