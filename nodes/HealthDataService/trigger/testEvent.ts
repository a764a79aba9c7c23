/**
 * Test event: the newest event, for *Fetch Test Event*. Saves nothing.
 */
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { connect, type Get } from '../http/client';
import { RequestQueue } from '../http/requestQueue';
import { SHORT_RETRY } from '../http/retry';
import { SLUG_ADVICE } from '../service/users';
import { isObject } from '../shared/json';
import { countOfUsers, Problem, sentences } from '../shared/problem';
import { detectChanges, SeenReadings, toItem, type ChangedRow } from './detectChanges';
import { reachesThreshold, readSettings, type Settings } from './settings';

const DAY_MS = 86_400_000;

/** The user of n8n waits: users with slower answers are left out. */
export const TEST_EVENT_MS = 6_000;
const TIMEOUT_MS = 3_000;

/** @throws Problem where there is no event */
export async function testEvent(context: IPollFunctions): Promise<IDataObject> {
	const settings = readSettings(context, true);
	const { event, lookback, target } = settings;
	const deadline = performance.now() + TEST_EVENT_MS;
	const connected = await connect(context, {
		...SHORT_RETRY,
		retryForMs: TEST_EVENT_MS / 4,
		timeoutMs: TIMEOUT_MS,
		continues: true,
		queue: new RequestQueue(target, deadline),
	});
	const get = target.provider.learning(connected);
	const looked: Looked = { users: 0, rows: 0 };
	for (const lookbackMs of [lookback, event.test.days * DAY_MS]) {
		const newest = await newestWithin(lookbackMs, settings, counted(get, settings, looked), deadline, looked);
		if (newest) return newest;
		if (performance.now() > deadline) break;
	}
	throw new Problem(
		`There is no ${event.noun} to show`,
		performance.now() > deadline
			? 'The service answers slowly, so some users could not be read in time. Try again, or publish the workflow: it reads all users'
			: whyNone(settings, looked),
	);
}

/** What was read for the test event. */
interface Looked {
	users: number;
	/** As the list of users says. */
	total?: number;
	/** Readings that may have missed a minimum. */
	rows: number;
}

/** `get`, which counts the users of the team's list. */
function counted(get: Get, { chosen, maxUsers = Infinity }: Settings, looked: Looked): Get {
	if (chosen !== undefined) return get;
	return async (path, query, ...more) => {
		const answer = await get(path, query, ...more);
		const { users, total } = isObject(answer) ? answer : {};
		if (path === '/v2/user' && Array.isArray(users)) {
			looked.users = Math.min(maxUsers, Math.max(looked.users, Number(query?.offset ?? 0) + users.length));
			if (typeof total === 'number') looked.total = total;
		}
		return answer;
	};
}

/** How many users were read, what none of them has, and what to do. */
function whyNone({ event, target, chosen, thresholds }: Settings, looked: Looked): string {
	const total = chosen ?? looked.total ?? 0;
	const isPart = total > looked.users;
	const read = isPart
		? `The first ${looked.users.toLocaleString('en')} of ${usersRead(total)}`
		: usersRead(looked.users);
	const say = (reason: string, advice: string) =>
		sentences(`${read}: ${reason}`, isPart ? 'Published, the workflow reads all users' : undefined, advice);

	const { typed, isMissing } = target.provider;
	if (isMissing) return say(`no user has the provider ${typed} connected`, SLUG_ADVICE);
	const wait = 'publish the workflow and wait for the next one';
	if (!Number.isFinite(event.test.days)) return say(`there is no ${event.noun}`, `You can ${wait}`);
	const sought = `no ${event.noun} of the last ${event.test.days} days`;
	if (looked.rows > 0 && thresholds.length > 0) {
		const nameOf = (column: string) => event.thresholds.find((one) => one.column === column)!.name;
		const minimums = thresholds.map(({ column, least }) => `'${nameOf(column)}' ${least}`);
		return say(`${sought} reaches ${minimums.join(' or ')}`, `Lower a minimum in the options, or ${wait}`);
	}
	const from = typed && ` from the provider ${typed}`;
	return say(`there is ${sought}${from}`, `Choose other 'Users' or another 'Provider', or ${wait}`);
}

const usersRead = (users: number) => `${countOfUsers(users)} ${users === 1 ? 'was' : 'were'} read`;

/** @param deadline by `performance.now()` */
async function newestWithin(lookbackMs: number, settings: Settings, get: Get, deadline: number, looked: Looked) {
	const { event, target, maxUsers, chosen, thresholds } = settings;
	const start = lookbackMs === Infinity ? 0 : Date.now() - lookbackMs;
	let newest: ChangedRow | undefined;
	let problem: Problem | undefined;
	let users = 0;
	const isTimeUp = () => performance.now() > deadline;
	for await (const result of event.read(get, target, {
		windowStartOf: () => start,
		slice: { limit: maxUsers },
		isTimeUp,
		// A hanging user is not asked again.
		mayRetry: (tookMs) => tookMs < TIMEOUT_MS / 2,
	})) {
		problem ??= result.problem;
		if (chosen !== undefined) users++;
		looked.rows += result.rows.length;
		for (const row of detectChanges(event, result.rows, new SeenReadings({}), { start }).changes) {
			if (reachesThreshold(thresholds, row.row) && (!newest || (row.time ?? 0) > (newest.time ?? 0))) newest = row;
		}
	}
	looked.users = Math.max(looked.users, users);
	if (!newest && problem) throw problem;
	if (!newest) return undefined;
	const item = toItem(event, newest);
	await target.selection.addClientUserIds?.(get, [item], isTimeUp);
	return item;
}
