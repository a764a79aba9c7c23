/**
 * The fields of the trigger, in the order of the screen. n8n puts "Poll Times" before them.
 */
import type { INodeProperties } from 'n8n-workflow';
import { providerField, userFields } from '../fields/userScope';
import { events, readingEvents } from './events';
import { DEFAULT_LOOKBACK_HOURS } from './settings';

const show = { event: readingEvents.map(({ value }) => value) };

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
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Lookback Hours',
				name: 'lookback',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 720 },
				default: DEFAULT_LOOKBACK_HOURS,
				description:
					'How late a reading may reach the service and still be noticed. Wearables often sync hours after the measurement.',
			},
		],
	},
];
