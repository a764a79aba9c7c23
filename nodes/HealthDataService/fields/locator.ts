/**
 * The value of a resource locator, which is how the editor stores a choice from a list.
 */
import type { IExecuteSingleFunctions, INodeParameterResourceLocator, IPollFunctions } from 'n8n-workflow';
import { isTool } from './oncePerRun';

/** Where fields are read: for an input item, or for a poll. */
export type FieldContext = IExecuteSingleFunctions | IPollFunctions;

export interface Located {
	mode?: string;
	value: unknown;
	/** The row of the list that was picked, as it was then. */
	cachedResultName?: unknown;
}

/** `{{ $json.some_field }}` and nothing else. */
const FIELD_OF_ITEM = /^=\{\{\s*\$json\.([A-Za-z_]\w*)\s*\}\}$/;

/**
 * A locator, or the plain value that an expression or an agent put in its place. Its usual expression, a field of the
 * item, is looked up rather than evaluated: with a thousand items that saves a sixth of the time. (A tool's item is the
 * agent's, which only n8n can look up.)
 */
export function readLocator(context: FieldContext, name: string): Located {
	const stored = context.getNode().parameters[name];
	if (isItem(context) && isLocator(stored) && !isTool(context)) {
		const [, field] = FIELD_OF_ITEM.exec(String(stored.value)) ?? [];
		if (field) return { mode: stored.mode, value: context.getInputData().json[field] };
	}
	const given = context.getNodeParameter(name, '');
	return isLocator(given) ? given : { value: given };
}

const isItem = (context: FieldContext): context is IExecuteSingleFunctions => 'getInputData' in context;

const isLocator = (given: unknown): given is INodeParameterResourceLocator =>
	typeof given === 'object' && given !== null && 'value' in given;
