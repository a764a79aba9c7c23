/**
 * What the fields of the trigger ask for, checked before anything is sent.
 */
import type { IPollFunctions } from 'n8n-workflow';
import { text, wholeNumber } from '../fields/limit';
import { nobody, noSuchUser, oneOwner, teamOwners } from '../service/usersToRead';
import { asLocator } from '../fields/oncePerRun';
import { Problem } from '../shared/problem';
import { events, readingEvents, type Scope, type TriggerEvent } from './events';

const HOUR = 3_600_000;

/** Wearables sync late: most after hours, some after a weekend. */
export const DEFAULT_LOOKBACK_HOURS = 48;

export interface Settings {
	event: TriggerEvent;
	scope: Scope;
	/** In ms. */
	lookback: number;
	/** Names what is watched: the same text as long as the same readings are new. */
	of: string;
}

/**
 * @param isTest a test event is looked for among the first users only
 * @throws Problem for a field that cannot be used
 */
export function readSettings(context: IPollFunctions, isTest = false): Settings {
	const event = events.find(({ value }) => value === context.getNodeParameter('event'));
	if (!event) throw new Problem("'Trigger On' is not one of its options", 'Pick an option of the list');
	const lookback = wholeNumber(context.getNodeParameter('options.lookback', DEFAULT_LOOKBACK_HOURS), 'Lookback Hours', 1) * HOUR;
	const mostUsers = isTest ? event.test.users : undefined;
	const team = { owners: teamOwners({ most: mostUsers }), onMissing: nobody, provider: '', mostUsers };
	if (!readingEvents.includes(event)) return { event, scope: team, lookback, of: event.value };

	const provider = text(asLocator(context.getNodeParameter('provider', '')).value).trim();
	if (context.getNodeParameter('userScope', 'one') !== 'one') {
		return { event, scope: { ...team, provider }, lookback, of: JSON.stringify([event.value, 'all', provider]) };
	}
	const user = asLocator(context.getNodeParameter('user', ''));
	return {
		event,
		scope: { owners: oneOwner(user), onMissing: noSuchUser, provider },
		lookback,
		of: JSON.stringify([event.value, user.mode === 'clientUserId' ? 'clientUserId' : 'userId', user.value, provider]),
	};
}
