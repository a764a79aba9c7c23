/**
 * The frame of an Options collection: what few need.
 */
import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

export const optionsField = (show: IDisplayOptions['show'], options: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	...(show && { displayOptions: { show } }),
	options,
});
