/**
 * Simplify: shorter output for AI agents, because a model pays for each character. Only the node as a tool has this field; the
 * output of the node in a workflow does not change.
 */
import type {
	IDataObject,
	IExecuteSingleFunctions,
	INodeProperties,
} from 'n8n-workflow';
import { connectedSources } from '../service/users/users';
import { toSwitch } from '../shared/values';
import { isTool, readField } from './field';

export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description:
		'Whether to return a simplified version of the response instead of the raw data',
	displayOptions: { show: { '@tool': [true] } },
};

/** False in a workflow: n8n also shows and saves *Simplify* there when another field has an expression. */
export const isSimplified = (context: IExecuteSingleFunctions) =>
	isTool(context) && readField(context, simplifyField, toSwitch);

/** One identifier of the user and the columns; those without a value, and a count of none left out, are left out. */
export function shortRow(
	row: IDataObject,
	columns: readonly string[],
): IDataObject {
	const owner = row.client_user_id === null ? 'user_id' : 'client_user_id';
	const isEmpty = (column: string) =>
		(row[column] ?? null) === null ||
		(column === 'left_out' && row[column] === 0);
	const kept = [owner, ...columns].filter((column) => !isEmpty(column));
	return Object.fromEntries(kept.map((column) => [column, row[column]]));
}

/** Both identifiers, and the slugs for the field "Provider". */
export const simpleUser = (user: IDataObject): IDataObject => ({
	user_id: user.user_id,
	client_user_id: user.client_user_id,
	created_on: user.created_on,
	connected_providers: connectedSources(user).map(({ slug }) => slug),
});

/**
 * A row that tells a model that the output may be cut. People see the same beside the field *Limit*.
 *
 * @param advice what the model itself can ask for
 */
export function limitNote(
	context: IExecuteSingleFunctions,
	rows: number,
	limit: number,
	advice: string,
): IDataObject[] {
	if (!isTool(context) || rows < limit) return [];
	return [
		{
			note: `Cut off after ${limit} rows ('Limit'): there may be more. ${advice}`,
		},
	];
}
