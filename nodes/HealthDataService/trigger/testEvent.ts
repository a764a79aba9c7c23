/** Test event: the newest event, for *Fetch Test Event*. Saves nothing. */
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { connect } from '../http/client';
import { RequestQueue } from '../http/requestQueue';
import { SHORT_RETRY } from '../http/retry';
import { providerProblem } from '../service/users/provider';
import { ignoreProblem, Problem } from '../shared/problem';
import { itemsOf, type FoundRow } from './results';
import { detectChanges, SeenReadings } from './seen';
import { readSettings, TEST_USERS, type Settings } from './settings';

const DAY_MS = 86_400_000;
/** The user of n8n waits: users with slower answers are left out. */
const TEST_EVENT_MS = 6_000;

/** @throws Problem where there is no event */
export async function testEvent(context: IPollFunctions): Promise<IDataObject> {
	const settings = readSettings(context, true);
	const { event, target, isWanted } = settings;
	const { selection, provider } = target;
	const timeoutMs = TEST_EVENT_MS / 2;
	const deadline = performance.now() + TEST_EVENT_MS;
	const isTimeUp = () => performance.now() > deadline;
	const get = await connect(context, {
		...SHORT_RETRY,
		timeoutMs,
		queueOf: () => new RequestQueue(target, deadline + timeoutMs),
	});

	const start = Date.now() - event.testDays * DAY_MS;
	const windowStartOf = () => start;
	const found: FoundRow[] = [];
	let problem: Problem | undefined;
	const users = selection.users(get);
	for await (const result of event.read(get, users, {
		target,
		windowStartOf,
		isTimeUp,
	})) {
		problem ??= result.problem;
		const seen = new SeenReadings({});
		const { changes } = detectChanges(event, result.rows, seen, { start }, isWanted);
		for (const row of changes) found.push({ row, result });
	}
	const timeOf = ({ row }: FoundRow) => row.time ?? 0;
	const newest = found.sort((a, b) => timeOf(b) - timeOf(a)).slice(0, 1);
	const items = itemsOf(settings, newest, context.getTimezone());
	if (items.length > 0) return items[0];

	if (provider && !problem && !selection.isOne && !selection.entries)
		problem = await providerProblem(get, provider).catch(ignoreProblem);
	throw problem ?? nothingToShow(settings, isTimeUp());
}

const SLOW =
	"The service answers slowly, or 'Requests per Second' lets the test send few requests";

function nothingToShow({ event, target, limits }: Settings, isTimeUp: boolean) {
	const { noun, testDays } = event;
	const seconds = TEST_EVENT_MS / 1000;
	const scope = `The test reads the first ${TEST_USERS} users for up to ${seconds} seconds. The published workflow reads all of them, and starts with the next ${noun}`;
	if (isTimeUp) {
		return new Problem(`The test found no ${noun} in time`, `${SLOW}. ${scope}`);
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
