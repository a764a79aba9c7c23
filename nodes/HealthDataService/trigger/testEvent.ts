/**
 * "Fetch Test Event": the newest one, so that the nodes that follow can be set up. Remembers nothing.
 */
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { connect, type Get } from '../http/connect';
import { SHORT_RETRY } from '../http/retry';
import { Problem } from '../shared/problem';
import { findNew } from './findNew';
import { readSettings, type Settings } from './settings';

const DAY_MS = 86_400_000;

/** @throws Problem when there is none, with what can be done about it */
export async function testEvent(context: IPollFunctions): Promise<IDataObject> {
	const settings = readSettings(context, true);
	const { event, lookback, scope } = settings;
	const get = await connect(context, SHORT_RETRY);
	const newest =
		(await newestWithin(lookback, settings, get)) ?? (await newestWithin(event.test.days * DAY_MS, settings, get));
	if (newest) return newest;

	throw new Problem(
		`There is no ${event.noun} to show`,
		scope.maxUsers
			? `Only the first ${scope.maxUsers} users of the team were looked at. You can publish the workflow all the same: it will see everybody`
			: `The last ${event.test.days} days were looked at. Pick another 'User' or 'Provider', or publish the workflow and wait for the next one`,
	);
}

/** @param reach ms */
async function newestWithin(reach: number, { event, scope }: Settings, get: Get): Promise<IDataObject | undefined> {
	const now = Date.now();
	const nothingSeen = { version: 1, of: '', from: now - reach, seen: {} } as const;
	const batches = event.read(get, scope, nothingSeen.from);
	const { items } = await findNew(event, batches, nothingSeen, { now, lookback: reach, isBaseline: false });
	return items.at(-1);
}
