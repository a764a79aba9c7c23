/**
 * Fields: where n8n shows them, and how a value is read.
 * Name, label, default and least number come from the description of the field.
 */
import type {
	IDisplayOptions,
	IExecuteSingleFunctions,
	INodeProperties,
	IPollFunctions,
} from 'n8n-workflow';
import { Problem } from '../shared/problem';
import { isObject, toChoice, toEntries, toText } from '../shared/values';

/** Where fields are read: for an input item, or for a poll. */
export type FieldContext = IExecuteSingleFunctions | IPollFunctions;

/** The fields, shown only where `show` holds too. */
export const shownIf = (show: IDisplayOptions['show'], fields: INodeProperties[]) =>
	fields.map((field): INodeProperties => {
		const all = { ...show, ...field.displayOptions?.show };
		return { ...field, displayOptions: { show: all } };
	});

export const optionsField = (options: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: options.sort((a, b) => a.displayName.localeCompare(b.displayName)),
});

/** Validates a value, as shared/values.ts does: its Problem names the field. */
type Convert<T> = (value: unknown, label: string, min: number) => T;

export const readField = <T>(
	context: FieldContext,
	{ name, default: whenMissing, displayName, typeOptions }: INodeProperties,
	convert: Convert<T>,
): T =>
	convert(
		context.getNodeParameter(name, whenMissing),
		displayName,
		typeOptions?.minValue ?? 0,
	);

/** The value of an option; `whenAbsent` if the option was not added. */
export function readOption<T, A>(
	context: FieldContext,
	field: INodeProperties,
	whenAbsent: A,
	convert: Convert<T>,
): T | A {
	const options: unknown = context.getNode().parameters.options ?? {};
	// Only a workflow edited as JSON can have this.
	if (!isObject(options))
		throw new Problem("'Options' is not a set of options", 'Add options from the list');
	if (options[field.name] === undefined) return whenAbsent;
	return readField(context, { ...field, name: `options.${field.name}` }, convert);
}

/** Converts to the option of an options field. */
export const toChoiceOf =
	<T extends { value: string }>(choices: readonly T[]): Convert<T> =>
	(value, label) =>
		toChoice(value, label, choices);

/** Words in lower case: text with commas, semicolons or lines, or a list. */
export function toWords(value: unknown, field: string, advice: string): string[] {
	const entries = toEntries(value, field, advice, /[,;\r\n]+/);
	const words = entries.map((entry) => toText(entry, field, advice).trim().toLowerCase());
	return words.filter(Boolean);
}
