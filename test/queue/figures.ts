/**
 * What the tests of queue mode measure: memory of a process, how fast rows were written, and how fast the same rows are
 * written by one plain statement.
 */
import { readFileSync } from 'node:fs';
import type { IDataObject } from 'n8n-workflow';
import type { Queue } from './nightly';
import type { Tables } from './table';

/** The most that a process has held in memory so far, in MB, as Linux counts it. */
export const peakMb = (pid: number | undefined) =>
	Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

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
