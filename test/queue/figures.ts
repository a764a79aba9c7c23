/**
 * What the tests of queue mode measure: how fast rows were written, and how fast the same rows are written by one plain
 * statement.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Queue } from './nightly';
import type { Tables } from './table';

/** Milliseconds that nodes took in an execution that has been saved. */
export async function nodeTimes({ rest }: Queue, id: string): Promise<Record<string, number>> {
	const { data } = await rest.execution(id);
	const nodes = Object.entries(data.resultData.runData as Record<string, Array<{ executionTime: number }>>);
	return Object.fromEntries(
		nodes.map(([name, runs]) => [name, runs.reduce((sum, { executionTime }) => sum + executionTime, 0)]),
	);
}

/** Milliseconds for rows in one statement without n8n, into an empty table like the example's. */
export async function plainStatementMs({ query }: Tables, rows: IDataObject[]): Promise<number> {
	const text = `'${JSON.stringify(rows).replaceAll("'", "''")}'`;
	const answer = await query(`
		CREATE TABLE plain (LIKE health_readings INCLUDING ALL);
		\\timing on
		INSERT INTO plain SELECT * FROM json_populate_recordset(NULL::plain, ${text}) ON CONFLICT DO NOTHING;
		\\timing off
		DROP TABLE plain;`);
	return Number(/Time: ([\d.]+) ms/.exec(answer)![1]);
}
