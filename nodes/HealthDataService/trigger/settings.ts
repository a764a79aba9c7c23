/** Fields of the trigger, in the order of the screen (n8n puts "Poll Times" first), their values, and the thresholds among them. */
import { hash } from 'node:crypto';
import type {
	IDataObject,
	INodeProperties,
	IPollFunctions,
} from 'n8n-workflow';
import {
	optionsField,
	readField,
	readOption,
	shownIf,
	toValueOf,
} from '../fields/field';
import {
	limitsField,
	onlyConnectedField,
	providerField,
	readLimits,
	readOnlyConnected,
	readProvider,
	readRequestLimits,
	readSourceTypes,
	requestLimitFields,
	sourceTypesField,
} from '../fields/options';
import {
	readUser,
	readUserIds,
	readUserScope,
	userFields,
} from '../fields/users';
import { measuredValues, reachedBy } from '../service/readings/measured';
import { metrics, type LimitGroup } from '../service/readings/metrics';
import type { ListSlice } from '../service/users/list';
import { listedUsers, oneUser, wholeTeam } from '../service/users/selection';
import { lowerUserId } from '../service/users/users';
import { toChoice, wholeNumber } from '../shared/values';
import { events, readingEvents, type WatchTarget } from './events';
import { HOUR_MS } from './state';

/** Wearables sync late: most after hours, some after a weekend. */
const DEFAULT_LOOKBACK_HOURS = 48;
/** Of one poll: n8n and every node after the trigger keep them in memory. */
const MAX_ROWS = 10_000;
/** Users of a list whose readings are looked through for a test event. */
export const TEST_USERS = 50;
const show = { event: readingEvents.map(({ value }) => value) };

const lookbackField: INodeProperties = {
	displayName: 'Lookback Hours',
	name: 'lookback',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 720 },
	default: DEFAULT_LOOKBACK_HOURS,
	description:
		'How late a reading may reach the service and still be noticed. Wearables often sync hours after the measurement.',
};

/** Those of one reading. */
const LIMIT_GROUPS: readonly LimitGroup[] = ['high', 'low'];

const limitFields = metrics.flatMap((metric) =>
	shownIf({ event: [metric.value] }, [
		limitsField(
			metric,
			LIMIT_GROUPS,
			`Only a ${metric.noun} that reaches one of these starts the workflow. Without limits, each does.`,
		),
	]),
);

type TriggerOutput = 'readings' | 'message' | 'users';

const outputField: INodeProperties = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	default: 'readings',
	description: 'The form in which the readings leave this trigger',
	options: [
		{
			name: 'One Item per Reading',
			value: 'readings',
			description: 'Each new or corrected reading',
		},
		{
			name: 'One Item per User',
			value: 'users',
			description: 'Each user with new or corrected readings, to route alerts',
		},
		{
			name: 'One Message per Poll',
			value: 'message',
			description: 'A text for people, with a line for each user',
		},
	],
};

const options = [
	...requestLimitFields,
	lookbackField,
	...shownIf({ '/event': show.event }, [
		...shownIf({ '/userScope': ['all'] }, [onlyConnectedField]),
		sourceTypesField,
	]),
];

export const triggerFields: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		default: 'bloodPressure',
		options: events.map(({ name, value }) => ({ name, value })),
	},
	...shownIf(show, [...userFields, providerField, outputField]),
	...limitFields,
	optionsField(options),
];

export type Settings = ReturnType<typeof readSettings>;

/**
 * Fields that the screen hides, as those of readings for *New User*, have their default.
 *
 * @param isTest whether the first users only are read @throws Problem for an invalid field
 */
export function readSettings(context: IPollFunctions, isTest = false) {
	const event = toChoice(
		context.getNodeParameter('event'),
		'Trigger On',
		events,
	);
	const { metric } = event;
	const limits = metric ? readLimits(context, metric, LIMIT_GROUPS) : {};
	const hours = readOption(
		context,
		lookbackField,
		DEFAULT_LOOKBACK_HOURS,
		wholeNumber,
	);
	const output = readField(
		context,
		outputField,
		toValueOf<TriggerOutput>(outputField),
	);
	const requests = readRequestLimits(context);
	const provider = readProvider(context);
	const sourceTypes = readSourceTypes(context);
	const { selection, users } = readSelection(context, provider, {
		// At a slow rate, a page is requested when it is needed.
		isLazy: requests.requestsPerSecond !== undefined,
		maxUsers: isTest ? TEST_USERS : undefined,
	});
	const target: WatchTarget = { ...requests, provider, sourceTypes, selection };
	/** Identifies what is watched: another text starts over. Without IDs in clear, since it is saved. */
	const watched = JSON.stringify([event.value, users, provider, sourceTypes]);
	/** Of `local_time`. */
	const zone = context.getTimezone();
	/** Whether a row that has not been emitted is to be: it reaches a limit, or none is given. */
	const isWanted = (row: IDataObject) =>
		!metric ||
		Object.keys(limits).length === 0 ||
		reachedBy(metric, limits, [measuredValues(metric, row)]).size > 0;
	return {
		event,
		target,
		lookback: hours * HOUR_MS,
		// The newest of all is the test event.
		maxRows: isTest ? Infinity : MAX_ROWS,
		watched,
		limits,
		output,
		zone,
		isTest,
		isWanted,
	};
}

/** `users` leaves out the entries of a list: a change of them affects no other user (cursors.ts). */
function readSelection(
	context: IPollFunctions,
	provider: string,
	slice: ListSlice,
) {
	const scope = readUserScope(context);
	if (scope === 'all') {
		const connectedTo = readOnlyConnected(context) ? provider : '';
		const users = connectedTo ? ['all', 'connected'] : ['all'];
		return { users, selection: wholeTeam({ ...slice, connectedTo }) };
	}
	if (scope === 'one') {
		const user = readUser(context);
		const id = hash('sha256', lowerUserId(user.id)).slice(0, 20);
		return { users: [user.by, id], selection: oneUser(user) };
	}
	const { by, entries } = readUserIds(context);
	// At a slow rate, the list could take all requests of a poll.
	const { isLazy } = slice;
	const selection = listedUsers(by, entries.slice(0, slice.maxUsers), {
		isLazy,
	});
	return { users: ['listed', by], selection };
}
