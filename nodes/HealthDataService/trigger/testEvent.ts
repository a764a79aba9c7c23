/** Test event: the newest event, for *Fetch Test Event*. Saves nothing. */
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { connect } from '../http/client';
import { RequestQueue } from '../http/requestQueue';
import { SHORT_RETRY } from '../http/retry';
import { identify } from '../service/readings/identity';
import { providerProblem } from '../service/users/provider';
import { ignoreProblem, Problem } from '../shared/problem';
import { itemsOf, type FoundRow } from './results';
import { readSettings, TEST_USERS, type Settings } from './settings';

const DAY_MS = 86_400_000;
/** How far back readings are looked for. */
const TEST_DAYS = 90;
/** The user of n8n waits: users with slower answers are left out. */
const TEST_EVENT_MS = 6_000;

/** @throws Problem where there is no event */
export async function testEvent(context: IPollFunctions): Promise<IDataObject> {
	const settings = readSettings(context, true);
	const { event, target, isWanted } = settings;
	const timeoutMs = TEST_EVENT_MS / 2;
	const deadline = performance.now() + TEST_EVENT_MS;
	const isTimeUp = () => performance.now() > deadline;
	const get = await connect(context, {
		...SHORT_RETRY,
		timeoutMs,
		queueOf: () => new RequestQueue(target, deadline + timeoutMs),
	});

	const start = Date.now() - TEST_DAYS * DAY_MS;
	const found: FoundRow[] = [];
	let problem: Problem | undefined;
	const options = { target, windowStartOf: () => start, isTimeUp };
	for await (const result of event.read(get, target.selection.users(get), options)) {
		problem ??= result.problem;
		for (const row of identify(event, result.rows)) {
			row.row.change = 'created';
			if (isWanted(row.row)) found.push({ row, result });
		}
	}
	const timeOf = ({ row }: FoundRow) => row.time ?? 0;
	const newest = found.sort((a, b) => timeOf(b) - timeOf(a)).slice(0, 1);
	const [item] = itemsOf(settings, newest, context.getTimezone());
	if (item) return item;

	if (target.provider)
		problem ??= await providerProblem(get, target.provider).catch(ignoreProblem);
	throw problem ?? nothingFound(settings);
}

function nothingFound({ event: { noun }, limits }: Settings) {
	const names = limits.map(({ name }) => `'${name}'`).join(' or ');
	const reaching = names && ` that reaches ${names}`;
	return new Problem(
		`The test found no ${noun}${reaching}`,
		`Check the fields and options: limits, a low 'Requests per Second' or slow answers may be the reason. The test reads the first ${TEST_USERS} users, with the readings of the last ${TEST_DAYS} days, for up to ${TEST_EVENT_MS / 1000} seconds. The published workflow reads all users, and starts with the next ${noun}`,
	);
}
