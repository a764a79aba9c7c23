/**
 * What the tests of queue mode measure: how fast rows were written, and how fast the same rows are written by one plain
 * statement.
 */
import type { IDataObject } from 'n8n-workflow';
import { executionsOf, type Queue } from './nightly';
import type { Tables } from './table';

/** Milliseconds that the nodes took in the longest of the executions that have been saved since a time. */
export async function nodeTimes(queue: Queue, workflow: string, since: number): Promise<Record<string, number>> {
	const saved = (await executionsOf(queue, workflow)).filter(({ startedAt }) => Date.parse(startedAt) >= since);
	const lasted = ({ startedAt, stoppedAt }: (typeof saved)[number]) => Date.parse(stoppedAt) - Date.parse(startedAt);
	const [{ id }] = saved.sort((a, b) => lasted(b) - lasted(a));
	const { data } = await queue.rest.execution(id);
	const nodes = Object.entries(data.resultData.runData as Record<string, Array<{ executionTime: number }>>);
	return Object.fromEntries(
		nodes.map(([name, runs]) => [name, runs.reduce((sum, { executionTime }) => sum + executionTime, 0)]),
	);
}

/**
 * Milliseconds for rows in one plain statement of psql, into an empty table like the example's.
 *
 * @returns `json`: rows from one JSON text; `values`: a list of values for each row, as drivers write them
 */
export async function plainInsertMs({ query }: Tables, rows: IDataObject[]) {
	const quoted = (value: unknown) => (value === null ? 'NULL' : `'${String(value).replaceAll("'", "''")}'`);
	const columns = Object.keys(rows[0]);
	const values = rows.map((row) => `(${columns.map((column) => quoted(row[column])).join()})`);
	const measured = async (rowsOf: string) => {
		const answer = await query(`
			CREATE TABLE plain (LIKE health_readings INCLUDING ALL);
			\\timing on
			INSERT INTO plain ${rowsOf} ON CONFLICT DO NOTHING;
			\\timing off
			DROP TABLE plain;`);
		return Number(/Time: ([\d.]+) ms/.exec(answer)![1]);
	};
	return {
		json: await measured(`SELECT * FROM json_populate_recordset(NULL::plain, ${quoted(JSON.stringify(rows))})`),
		values: await measured(`(${columns.join()}) VALUES ${values.join()}`),
	};
}
