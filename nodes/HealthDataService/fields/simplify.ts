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
import type { Metric } from '../service/readings/metrics';
import { isBlank, toSwitch } from '../shared/values';
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

/** Columns that a model has no use for, beside the times of a reading. */
const LONG = 'user_id row_id connected from to subject html'.split(' ');

/** One identifier of the user, and of the columns those with a value; means as one text, and no minima and maxima. */
export function shortRows(
	{ times, hasMeanText }: Metric,
	columns: readonly string[],
	rows: readonly IDataObject[],
): IDataObject[] {
	const isLong = hasMeanText ? /_(mean|mean_before|min|max)$/ : /_(min|max)$/;
	const short = columns.filter(
		(column) => ![...LONG, ...times].includes(column) && !isLong.test(column),
	);
	return rows.map((row) => {
		const owner = row.client_user_id === null ? 'user_id' : 'client_user_id';
		// No field of a reading has the name `error`.
		const failure = row.error === undefined ? [] : ['error', 'details'];
		const kept = [owner, ...short, ...failure].filter(
			(column) =>
				!isBlank(row[column]) && !(column === 'left_out' && row[column] === 0),
		);
		return Object.fromEntries(kept.map((column) => [column, row[column]]));
	});
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
