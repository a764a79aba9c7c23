/**
 * Only Connected Users: whether to ask only for those who have the chosen provider connected now.
 */
import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import { toSwitch } from '../shared/values';
import type { FieldContext } from './locator';
import { readOption } from './optionsField';

/** An option of an Options collection. */
export const onlyConnectedField = (displayOptions: IDisplayOptions): INodeProperties => ({
	displayName: 'Only Connected Users',
	name: 'onlyConnected',
	type: 'boolean',
	default: false,
	description:
		'Whether to ask only for users who have the chosen provider connected now. Faster, but leaves out readings of sources that were disconnected since.',
	displayOptions,
});

export const readOnlyConnected = (context: FieldContext) =>
	readOption(context, 'onlyConnected', false, (value) => toSwitch(value, 'Only Connected Users'));
