/** Trace of a poll in a history. */
import type { IDataObject } from 'n8n-workflow';
import type { PollRecord } from './faults';

/** What an answer holds in place of a text may be nested too deep to be shown. */
const shown = (value: unknown) => (typeof value === 'object' ? 'an object' : String(value));

export function traced(
	begun: number,
	isStart: boolean,
	{ requests, served, broken }: PollRecord,
	rows: IDataObject[],
	error?: Error,
): string[] {
	const counts = `${requests} requests, ${served.size} users read, ${broken.size} broken`;
	return [
		`  ${new Date(begun).toISOString()} ${isStart ? 'start' : 'poll'}: ${counts}${error ? `, ${error.message}` : ''}`,
		...rows.map(
			(row) => `    ${row.change} nr ${row.nr} ${shown(row.code)} ${shown(row.timestamp)} ${row.row_id ?? row.user_id}`,
		),
	];
}
