/** Fields of the trigger, in the order of the screen (n8n puts "Poll Times" first), their values, and the thresholds among them. */
import { hash } from 'node:crypto';
import type { IDataObject, INodeProperties, IPollFunctions } from 'n8n-workflow';
import {
	onlyConnectedField,
	optionsField,
	readOnlyConnected,
	readOption,
	readRequestLimits,
	readSourceTypes,
	requestLimitFields,
	sourceTypesField,
} from '../fields/options';
import { providerField, readProvider } from '../fields/provider';
import { readUser, readUserIds, readUsersBy, readUserScope, userFields } from '../fields/users';
import { CLOCK_ERROR_MS } from '../http/serviceClock';
import { metrics, type ThresholdOption } from '../service/readings/metrics';
import { listedUsers, oneUser, wholeTeam } from '../service/users/selection';
import { someNumber, toChoice, toNumber, wholeNumber } from '../shared/values';
import type { ChangedRow } from './seen';
import { events, readingEvents, type TriggerEvent, type WatchTarget } from './events';
import { HOUR_MS, type SavedThresholds, type Threshold } from './state';

/** Wearables sync late: most after hours, some after a weekend. */
const DEFAULT_LOOKBACK_HOURS = 48;
const MAX_LOOKBACK_HOURS = 720;
/** Users of a list whose readings are looked through for a test event. */
export const TEST_USERS = 50;
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

/** One option for each threshold of a metric, shown for its event. */
const thresholdFields: INodeProperties[] = metrics.flatMap((metric) =>
	metric.thresholds.map(
		({ at, option, name, default: threshold }): INodeProperties => ({
			displayName: name,
			name: option,
			type: 'number',
			typeOptions: { minValue: 0 },
			default: threshold,
			description: `Start the workflow only for a ${metric.noun} ${at === 'least' ? 'at or above' : 'at or below'} this value${
				metric.thresholds.length > 1 ? ', or one that reaches another threshold that is given' : ''
			}. The others count as seen.`,
			displayOptions: { show: { '/event': [metric.value] } },
		}),
	),
);

const options = [
	...requestLimitFields,
	lookbackField,
	...thresholdFields,
	onlyConnectedField({ show: { '/event': show.event, '/userScope': ['all'] } }),
	{ ...sourceTypesField, displayOptions: { show: { '/event': show.event } } },
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
	...userFields(show),
	providerField(show),
	optionsField(undefined, options),
];

export interface Settings {
	event: TriggerEvent;
	target: WatchTarget;
	/** In ms. */
	lookback: number;
	/** Identifies what is watched: another text starts over. Without IDs in clear, since it is saved. */
	watched: string;
	/** Rows that reach none of them are not emitted. */
	thresholds: Threshold[];
}

/** @param isTest whether the readings of the first users only are read @throws Problem for an invalid field */
export function readSettings(context: IPollFunctions, isTest = false): Settings {
	const event = toChoice(context.getNodeParameter('event'), 'Trigger On', events);
	const lookback = readLookback(context);
	const maxUsers = isTest ? TEST_USERS : undefined;
	const common = { event, lookback, thresholds: readThresholds(context, event.thresholds) };
	const limits = readRequestLimits(context);
	if (!readingEvents.includes(event)) {
		const target = { ...limits, selection: wholeTeam(), provider: '' };
		return { ...common, target, watched: event.value };
	}
	const provider = readProvider(context);
	const { selection, watched: users } = readSelection(context, provider, maxUsers);
	const sourceTypes = readSourceTypes(context);
	const watched = JSON.stringify([event.value, ...users, provider]) + sourceTypes.join(', ');
	return {
		...common,
		watched,
		target: { ...limits, provider, sourceTypes, selection },
	};
}

/** `watched` leaves out the entries of a list: a change of them affects no other user (cursors.ts). */
function readSelection(context: IPollFunctions, provider: string, maxUsers?: number) {
	const scope = readUserScope(context);
	if (scope === 'all') {
		const connectedTo = readOnlyConnected(context) && provider !== '' ? provider : undefined;
		const watched = ['all', ...(connectedTo ? ['connected'] : [])];
		return { watched, selection: wholeTeam({ limit: maxUsers }, connectedTo) };
	}
	if (scope === 'one') {
		const user = readUser(context);
		return {
			watched: [
				user.by,
				hash('sha256', user.by === 'userId' ? user.id.toLowerCase() : user.id).slice(0, 20),
			],
			selection: oneUser(user),
		};
	}
	const by = readUsersBy(context);
	const entries = readUserIds(context, by);
	return { watched: ['listed', by], selection: listedUsers(by, entries.slice(0, maxUsers)) };
}

/** In ms. */
const readLookback = (context: IPollFunctions): number =>
	readOption(context, 'lookback', DEFAULT_LOOKBACK_HOURS, (value) =>
		wholeNumber(value, 'Lookback Hours', 1, MAX_LOOKBACK_HOURS),
	) * HOUR_MS;

/** Thresholds of the options that were added. */
export const readThresholds = (
	context: IPollFunctions,
	options: readonly ThresholdOption[],
): Threshold[] =>
	options.flatMap(({ column, at, option, name }) => {
		const limit = readOption<number | undefined>(context, option, undefined, (value) =>
			someNumber(value, name, 0),
		);
		return limit === undefined ? [] : [{ column, [at]: limit }];
	});

/** Whether a row reaches any of the thresholds, or there are none. Null reaches none. */
export const reachesThreshold = (thresholds: Threshold[], row: IDataObject): boolean =>
	thresholds.length === 0 ||
	thresholds.some(({ column, least = Infinity, most = -Infinity }) => {
		const value = toNumber(row[column]) ?? NaN;
		return value >= least || value <= most;
	});

/**
 * Whether a change is emitted. A reading measured before a change of the thresholds must reach those of before too, and so must one
 * dated ahead by more than clocks usually are.
 */
export function isWanted(
	{ row, time = -Infinity }: Pick<ChangedRow, 'row' | 'time'>,
	minimums: SavedThresholds[],
): boolean {
	const isAfter = (change: number) => time > change && time <= Date.now() + CLOCK_ERROR_MS;
	return minimums.every(
		({ until, thresholds }) =>
			(until !== undefined && isAfter(until)) || reachesThreshold(thresholds, row),
	);
}
