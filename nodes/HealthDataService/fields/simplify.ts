/**
 * "Simplify", only for the node as a tool of an AI agent: a model pays for every character, and knows nothing but what it
 * is sent. The node in a workflow has no such field, and its output is not touched.
 */
import type { IDataObject, IDisplayOptions, IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { connectedSources } from '../service/users';
import { toSwitch } from '../shared/values';
import { isTool } from './oncePerRun';

export const simplifyField = (show: IDisplayOptions['show']): INodeProperties => ({
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
	displayOptions: { show: { ...show, '@tool': [true] } },
});

/** Never in a workflow, whatever is saved there: n8n shows the field after all where another one holds an expression. */
export const isSimplified = (context: IExecuteSingleFunctions) =>
	isTool(context) && toSwitch(context.getNodeParameter('simplify', true), 'Simplify');

/** A row with one identifier of its user and the columns of its metric, without the empty ones. */
export function simpleReading(row: IDataObject, columns: readonly string[]): IDataObject {
	const owner = row.client_user_id === null ? 'user_id' : 'client_user_id';
	const kept = [owner, ...columns, 'provider', 'source_type'].filter((column) => row[column] !== null);
	return Object.fromEntries(kept.map((column) => [column, row[column]]));
}

/** Both identifiers, and the slugs that the field "Provider" takes. */
export const simpleUser = (user: IDataObject): IDataObject => ({
	user_id: user.user_id,
	client_user_id: user.client_user_id,
	created_on: user.created_on,
	connected_providers: connectedSources(user).map(({ slug }) => slug),
});

/** What a model would otherwise take for the whole truth. People read it beside the field. */
export function limitNotes(rows: number, limit: number, provider = ''): IDataObject[] {
	if (rows >= limit) return [{ note: `There may be more: 'Limit' is ${limit}. Raise it, or ask for less at a time` }];
	if (rows === 0 && provider)
		return [{ note: `Nothing with the 'Provider' ${provider}, which must be a slug such as apple_health_kit` }];
	return [];
}
