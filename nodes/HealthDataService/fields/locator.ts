/** Resource locator: reads the value that the editor stores for a choice from a list. */
import type {
	IExecuteSingleFunctions,
	INodeParameterResourceLocator,
} from 'n8n-workflow';
import type { FieldContext } from './field';

/** Whether an AI agent calls the node: one run for each call, all within the agent's execution. */
export const isTool = (context: IExecuteSingleFunctions) =>
	context.getNode().type.endsWith('Tool');

export interface Located {
	mode?: string;
	value: unknown;
	/** The label of the picked row, as saved with the workflow. */
	cachedResultName?: unknown;
	/**
	 * Whether the service gave this value, in its own spelling: it was picked from the list, not typed and not from an expression. A
	 * text that was typed before the mode was changed back to the list has no label.
	 */
	isPicked?: boolean;
}

const FIELD_OF_ITEM = /^=\{\{\s*\$json\.([A-Za-z_]\w*)\s*\}\}$/;

/**
 * A locator, or the plain value that an expression or an agent put in its place. The most common expression, a field of the
 * item, is looked up without n8n's evaluator: with 1,000 items this saves a sixth of the time. A tool's item belongs to the
 * agent, so only n8n can look its fields up.
 */
export function readLocator(context: FieldContext, name: string): Located {
	const stored = context.getNode().parameters[name];
	if (isItem(context) && isLocator(stored) && !isTool(context)) {
		const [, field] = FIELD_OF_ITEM.exec(String(stored.value)) ?? [];
		if (field) return { mode: stored.mode, value: context.getInputData().json[field] };
	}
	const given = context.getNodeParameter(name, '');
	if (!isLocator(given)) return { value: given };
	const saved: Partial<INodeParameterResourceLocator> = isLocator(stored) ? stored : {};
	const { cachedResultName: label, mode, value } = saved;
	return {
		...given,
		// As saved: in `given` an expression in the label is evaluated.
		cachedResultName: label,
		isPicked: label !== undefined && mode === 'list' && value === given.value,
	};
}

const isItem = (context: FieldContext): context is IExecuteSingleFunctions =>
	'getInputData' in context;

const isLocator = (given: unknown): given is INodeParameterResourceLocator =>
	typeof given === 'object' && given !== null && 'value' in given;
