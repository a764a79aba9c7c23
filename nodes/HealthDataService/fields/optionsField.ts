/**
 * The frame of an Options collection: what few need, and how one that was not added differs from one that holds nothing.
 */
import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import { isObject } from '../shared/json';
import { Problem } from '../shared/problem';
import type { FieldContext } from './locator';

export const optionsField = (show: IDisplayOptions['show'], options: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	...(show && { displayOptions: { show } }),
	options,
});

/** `read` of an option's value, or its default where it was not added. */
export function readOption<T>(context: FieldContext, name: string, whenAbsent: T, read: (value: unknown) => T): T {
	const options: unknown = context.getNode().parameters.options ?? {};
	// Only JSON written by hand has it.
	if (!isObject(options)) throw new Problem("'Options' is not a set of options", 'Add options from the list');
	return options[name] === undefined ? whenAbsent : read(context.getNodeParameter(`options.${name}`));
}
