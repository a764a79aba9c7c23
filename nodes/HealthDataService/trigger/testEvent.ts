/** Test event for *Fetch Test Event*: the newest event. A poll from long ago that saves nothing. */
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { Problem, sentences } from '../shared/problem';
import { Clock } from './clock';
import { PollReader } from './reader';
import { Local } from './scheduler';
import { readSettings, TEST_USERS, type Settings } from './settings';
import { DAY_MS, startState } from './state';

/** How far back readings are looked for. */
const TEST_DAYS = 90;
/** The user of n8n waits: users with slower answers are left out. */
const TEST_EVENT_MS = 9_000;

/** @throws Problem where there is no event */
export async function testEvent(context: IPollFunctions): Promise<IDataObject> {
	const settings = readSettings(context, true);
	const clock = new Clock();
	const local = new Local();
	const schedule = { local, isStart: true, budgetMs: TEST_EVENT_MS };
	// Users are listed however long ago the service has created them.
	const since = settings.event.metric
		? clock.now - TEST_DAYS * DAY_MS
		: -Infinity;
	const state = startState('', '', since, 0);
	const poll = { context, schedule, settings, clock };
	const read = await new PollReader(poll, state).read();
	const newest = read.items.at(-1);
	if (newest) return newest;
	const [trouble] = [...read.troubles.values()].filter(Boolean);
	throw (
		read.wrongField ??
		trouble?.problem ??
		read.throttle ??
		nothingFound(settings)
	);
}

function nothingFound({ event: { noun }, limits }: Settings) {
	const hasLimits = Object.keys(limits).length > 0;
	return new Problem(
		`The test found no ${noun}${hasLimits ? " that reaches 'Limits'" : ''}`,
		sentences(
			`The test reads the first ${TEST_USERS} users, for a few seconds, and their last ${TEST_DAYS} days`,
			"Check limits and other options, such as a low 'Requests per Second', or choose other limits for the test",
			`The published workflow reads all users, and starts with the next ${noun}`,
		),
	);
}
