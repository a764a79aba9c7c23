/**
 * Test event: the newest event, for *Fetch Test Event*. Saves nothing.
 */
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { connect, type Get } from '../http/client';
import { RequestQueue } from '../http/requestQueue';
import { SHORT_RETRY } from '../http/retry';
import { Problem } from '../shared/problem';
import { detectChanges, SeenReadings, toItem, type ChangedRow } from './detectChanges';
import { reachesThreshold, readSettings, type Settings } from './settings';

const DAY_MS = 86_400_000;

/** The user of n8n waits: users whose answers take longer are left out. */
export const TEST_EVENT_MS = 6_000;
const TIMEOUT_MS = 3_000;

/** @throws Problem where there is no event */
export async function testEvent(context: IPollFunctions): Promise<IDataObject> {
	const settings = readSettings(context, true);
	const { event, lookback, target, maxUsers, thresholds } = settings;
	const deadline = performance.now() + TEST_EVENT_MS;
	const get = await connect(context, {
		...SHORT_RETRY,
		retryForMs: TEST_EVENT_MS / 4,
		timeoutMs: TIMEOUT_MS,
		continues: true,
		queue: new RequestQueue(target, deadline),
	});
	for (const lookbackMs of [lookback, event.test.days * DAY_MS]) {
		const newest = await newestWithin(lookbackMs, settings, get, deadline);
		if (newest) return newest;
		if (performance.now() > deadline) break;
	}
	const ways = `Choose other 'Users' or another 'Provider',${thresholds.length > 0 ? ' lower a minimum in the options,' : ''}`;
	throw new Problem(
		`There is no ${event.noun} to show`,
		performance.now() > deadline
			? 'The service answers slowly, so some users could not be read in time. Try again, or publish the workflow: it reads all users'
			: maxUsers
				? `Only the first ${maxUsers} users were read. You can publish the workflow: it reads all users`
				: `The last ${event.test.days} days were read. ${ways} or publish the workflow and wait for the next one`,
	);
}

/** @param deadline by `performance.now()` */
async function newestWithin(lookbackMs: number, settings: Settings, get: Get, deadline: number) {
	const { event, target, maxUsers, thresholds } = settings;
	const start = lookbackMs === Infinity ? 0 : Date.now() - lookbackMs;
	let newest: ChangedRow | undefined;
	let problem: Problem | undefined;
	const isTimeUp = () => performance.now() > deadline;
	for await (const result of event.read(get, target, {
		windowStartOf: () => start,
		slice: { limit: maxUsers },
		isTimeUp,
	})) {
		problem ??= result.problem;
		for (const row of detectChanges(event, result.rows, new SeenReadings({}), { start }).changes) {
			if (reachesThreshold(thresholds, row.row) && (!newest || (row.time ?? 0) > (newest.time ?? 0))) newest = row;
		}
	}
	if (!newest && problem) throw problem;
	if (!newest) return undefined;
	const item = toItem(event, newest);
	await target.selection.addClientUserIds?.(get, [item], isTimeUp);
	return item;
}
