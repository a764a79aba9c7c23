/**
 * When Not Found: whether a user that the service does not know is an error or no item.
 */
import type { IDisplayOptions, IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { toChoice } from '../shared/values';
import { readOption } from './optionsField';

export type WhenNotFound = 'error' | 'empty';

const STOP: WhenNotFound = 'error';

const CHOICES = [
	{ name: 'Return No Item', value: 'empty' as const },
	{ name: 'Stop With an Error', value: STOP },
];

/** An option of an Options collection. */
export const whenNotFoundField = (description: string, displayOptions?: IDisplayOptions): INodeProperties => ({
	displayName: 'When Not Found',
	name: 'whenNotFound',
	type: 'options',
	default: STOP,
	description,
	...(displayOptions && { displayOptions }),
	options: CHOICES,
});

export const readWhenNotFound = (context: IExecuteSingleFunctions): WhenNotFound =>
	readOption(context, 'whenNotFound', STOP, (value) =>
		toChoice(
			value,
			'When Not Found',
			CHOICES.map((choice) => choice.value),
		),
	);
