/**
 * The trigger's fields, in the order of the screen (n8n puts "Poll Times" before them), and what they ask for.
 */
import { hash } from 'node:crypto';
import type { INodeProperties, IPollFunctions } from 'n8n-workflow';
import {
	concurrencyField,
	onlyConnectedField,
	optionsField,
	readConcurrency,
	readOnlyConnected,
	readOption,
	readRequestsPerSecond,
	requestsPerSecondField,
} from '../fields/options';
import { providerField, readProvider } from '../fields/provider';
import { readUser, readUserIds, readUsersBy, readUserScope, userFields } from '../fields/users';
import { listedUsers, oneUser, wholeTeam } from '../service/userSelection';
import { toChoice, wholeNumber } from '../shared/values';
import { events, readingEvents, type Selection, type TriggerEvent } from './events';
import { thresholdFields, readThresholds } from './thresholds';
import type { Threshold } from './state';

const HOUR_MS = 3_600_000;

/** Wearables sync late: most after hours, some after a weekend. */
const DEFAULT_LOOKBACK_HOURS = 48;
const MAX_LOOKBACK_HOURS = 720;

const show = { event: readingEvents.map(({ value }) => value) };

const lookbackField: INodeProperties = {
	displayName: 'Lookback Hours',
	name: 'lookback',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: MAX_LOOKBACK_HOURS },
	default: DEFAULT_LOOKBACK_HOURS,
	description:
		'How late a reading may reach the service and still be noticed. Wearables often sync hours after the measurement.',
};

const options = [
	concurrencyField,
	lookbackField,
	...thresholdFields,
	onlyConnectedField({ show: { '/event': show.event, '/userScope': ['all'] } }),
	requestsPerSecondField,
].sort((a, b) => a.displayName.localeCompare(b.displayName));

export const triggerFields: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		default: 'bloodPressure',
		options: events.map(({ name, value }) => ({ name, value })),
	},
	...userFields(show),
	providerField(show),
	optionsField(undefined, options),
];

export interface Settings {
	event: TriggerEvent;
	scope: Selection;
	/** In ms. */
	lookback: number;
	/** The same text as long as the same readings are new. */
	watched: string;
	/** What is not handed on, though remembered. */
	minimums: Threshold[];
	/** For a test event, how many users of the team are looked at. */
	maxUsers?: number;
}

/**
 * @param isTest a test event is looked for among the first users only
 * @throws Problem for a field that cannot be used
 */
export function readSettings(context: IPollFunctions, isTest = false): Settings {
	const event = readEvent(context);
	const lookback = readLookback(context);
	const maxUsers = isTest ? event.test.users : undefined;
	const common = { event, lookback, minimums: readThresholds(context, event.minimums) };
	const limits = { concurrency: readConcurrency(context), requestsPerSecond: readRequestsPerSecond(context) };
	if (!readingEvents.includes(event)) {
		const scope = { ...limits, selection: wholeTeam({ limit: maxUsers }), provider: '' };
		return { ...common, scope, watched: event.value, maxUsers };
	}
	const provider = readProvider(context);
	const users = readSelection(context, provider, maxUsers);
	const watched = JSON.stringify([event.value, ...users.watched, provider]);
	const scope = { ...limits, provider, selection: users.selection };
	return { ...common, scope, watched, maxUsers: users.maxUsers };
}

/** Who is watched; of a list not who is on it, since that is no matter of the others (members.ts). Never an ID in clear: it is saved. */
function readSelection(context: IPollFunctions, provider: string, maxUsers?: number) {
	const scope = readUserScope(context);
	if (scope === 'all') {
		const connectedTo = readOnlyConnected(context) && provider !== '' ? provider : undefined;
		const watched = ['all', ...(connectedTo ? ['connected'] : [])];
		return { watched, selection: wholeTeam({ limit: maxUsers }, connectedTo), maxUsers };
	}
	if (scope === 'one') {
		const user = readUser(context);
		return { watched: [user.by, hash('sha256', user.id).slice(0, 20)], selection: oneUser(user) };
	}
	const by = readUsersBy(context);
	const entries = readUserIds(context, by);
	const isTooLong = maxUsers !== undefined && entries.length > maxUsers;
	return {
		watched: ['listed', by],
		selection: listedUsers(by, entries.slice(0, maxUsers)),
		maxUsers: isTooLong ? maxUsers : undefined,
	};
}

function readEvent(context: IPollFunctions): TriggerEvent {
	const values = events.map(({ value }) => value);
	const chosen = toChoice(context.getNodeParameter('event'), 'Trigger On', values);
	return events.find(({ value }) => value === chosen)!;
}

/** In ms. */
const readLookback = (context: IPollFunctions): number =>
	readOption(context, 'lookback', DEFAULT_LOOKBACK_HOURS, (value) =>
		wholeNumber(value, 'Lookback Hours', 1, MAX_LOOKBACK_HOURS),
	) * HOUR_MS;
