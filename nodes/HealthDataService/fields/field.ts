/**
 * Fields: where n8n shows them, and how a value is read.
 * Name, label, default, choices and bounds come from the description of the field.
 */
import type {
	IDisplayOptions,
	IExecuteSingleFunctions,
	INodeParameterResourceLocator,
	INodeProperties,
	INodePropertyOptions,
	IPollFunctions,
} from 'n8n-workflow';
import { Problem } from '../shared/problem';
import { isObject, toChoice, toEntries, toText } from '../shared/values';

/** Where fields are read: for an input item, or for a poll. */
export type FieldContext = IExecuteSingleFunctions | IPollFunctions;

const withRule =
	(rule: 'show' | 'hide') =>
	(more: IDisplayOptions['show'], fields: INodeProperties[]) =>
		fields.map((field): INodeProperties => {
			const { displayOptions } = field;
			const all = { ...more, ...displayOptions?.[rule] };
			return { ...field, displayOptions: { ...displayOptions, [rule]: all } };
		});

/** The fields, shown only where this holds too. */
export const shownIf = withRule('show');

/** The fields, not shown where this holds. */
export const hiddenIf = withRule('hide');

export function optionsField(options: INodeProperties[]): INodeProperties {
	options.sort((a, b) => a.displayName.localeCompare(b.displayName));
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options,
	};
}

/** Validates a value, as shared/values.ts does: its Problem names the field. */
type Convert<T> = (
	value: unknown,
	label: string,
	min: number,
	max?: number,
) => T;

export const readField = <T>(
	context: FieldContext,
	{ name, default: whenMissing, displayName, typeOptions }: INodeProperties,
	convert: Convert<T>,
): T =>
	convert(
		context.getNodeParameter(name, whenMissing),
		displayName,
		typeOptions?.minValue ?? 0,
		typeOptions?.maxValue,
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
		throw new Problem(
			"'Options' is not a set of options",
			'Add options from the list',
		);
	if (options[field.name] === undefined) return whenAbsent;
	return readField(
		context,
		{ ...field, name: `options.${field.name}` },
		convert,
	);
}

/** Converts to the value of one of the field's options. */
export const toValueOf =
	<T extends string>({ options }: INodeProperties): Convert<T> =>
	(value, label) =>
		toChoice(
			value,
			label,
			options as Array<INodePropertyOptions & { value: T }>,
		).value;

/** Converts to the entry of a table of options. */
export const toChoiceOf =
	<T extends { value: string }>(choices: readonly T[]): Convert<T> =>
	(value, label) =>
		toChoice(value, label, choices);

/** Words in lower case: text with commas, semicolons or lines, or a list. */
export function toWords(
	value: unknown,
	field: string,
	advice: string,
): string[] {
	const entries = toEntries(value, field, advice, /[,;\r\n]+/);
	const words = entries.map((entry) =>
		toText(entry, field, advice).trim().toLowerCase(),
	);
	return words.filter(Boolean);
}

/** Whether an AI agent calls the node: one run for each call, all within the agent's execution. */
export const isTool = (context: IExecuteSingleFunctions) =>
	context.getNode().type.endsWith('Tool');

interface Located {
	mode?: string;
	value: unknown;
	/**
	 * The label of the picked row, as saved with the workflow: then the value is spelled as the
	 * service gave it. A value that was typed, or that an expression gave, has no label.
	 */
	label?: string;
}

/** A resource locator, or the plain value that an expression or an agent put in its place. */
export function readLocator(context: FieldContext, name: string): Located {
	const stored = name
		.split('.')
		.reduce<unknown>(
			(outer, key) => (Object(outer) as Record<string, unknown>)[key],
			context.getNode().parameters,
		);
	const saved = isLocator(stored) ? stored : undefined;
	const given = context.getNodeParameter(name, '');
	if (!isLocator(given)) return { value: given };
	const { mode } = given;
	// n8n saves null where an expression was set back to a fixed value.
	const value = saved?.value === null ? '' : given.value;
	const isPicked = mode === 'list' && saved?.value === value;
	// As saved: in `given` an expression in the label is evaluated.
	const label: unknown = isPicked && saved?.cachedResultName;
	return { mode, value, label: typeof label === 'string' ? label : undefined };
}

const isLocator = (given: unknown): given is INodeParameterResourceLocator =>
	typeof given === 'object' && given !== null && 'value' in given;
