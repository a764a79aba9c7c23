/**
 * Seam between history and trigger in examples/backfill-and-follow.json: one table of both, without gaps. Runs the example's own
 * fields and statements, with late and corrected readings.
 */
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { type Entry, bloodPressure } from '../helpers/people';
import { readExample } from '../e2e/examples/files';
import { runNode } from '../helpers/engine';
import { HOUR, iso, MINUTE, NOON, watch } from '../helpers/watch';

const { nodes } = readExample('backfill-and-follow.json') as { nodes: INode[] };
const fieldsOf = (name: string) => nodes.find((node) => node.name === name)!.parameters as INodeParameters;
const statementOf = (name: string) => fieldsOf(name).query as string;
const FILL_IN = statementOf('Add What Is Missing');
const FOLLOW = statementOf('Write by ID');

/** A table by `row_id`, which does with a row that it has what the statement says. */
class Table {
	readonly rows = new Map<unknown, IDataObject>();

	write(statement: string, rows: IDataObject[] = []) {
		const [, what] = /ON CONFLICT \(row_id\) DO (NOTHING|UPDATE)/.exec(statement)!;
		for (const row of rows) if (what === 'UPDATE' || !this.rows.has(row.row_id)) this.rows.set(row.row_id, row);
	}

	values = () =>
		[...this.rows.values()].map((row) => [row.user_id, row.timestamp, row.systolic].map(String).join(' ')).sort();
}

/** Before publishing · before the history is read · while it is · before it is written · before the last poll. */
const PHASES = [0, 1, 2, 3, 4];
const LATER = PHASES.flatMap((first) =>
	subsets(PHASES.slice(first + 1)).map((corrected) => ({ arrives: first, corrected })),
);

function subsets<T>(things: T[]): T[][] {
	const [first, ...rest] = things;
	return things.length === 0 ? [[]] : subsets(rest).flatMap((some) => [some, [first, ...some]]);
}

const w = watch('memory');
const history = async () => {
	const { rows, error } = await runNode({ credential: w.used.credential, parameters: fieldsOf('History') });
	expect(error).toBeUndefined();
	return rows;
};
const trigger = (options = {}) => w.trigger(fieldsOf('New Blood Pressure Reading'), options);
const inService = () =>
	w.history.entries
		.map(({ user, reading: { point } }) => {
			const { timestamp, systolic } = point as { timestamp: string; systolic: number };
			return `${user.user_id} ${timestamp} ${systolic}`;
		})
		.sort();

/** Readings that come in each phase, and are corrected in every choice of later ones; some late, some at once. */
function play() {
	const kinds = ['late', 'at once', 'late'].flatMap((when) => LATER.map((kind) => ({ ...kind, when })));
	const known = new Map<number, Entry>();
	const put = (index: number, time: number, systolic: number) => {
		const user = [w.anna, w.ben][index % 2];
		known.set(index, w.history.add(user, bloodPressure(iso(time).replace('.000', ''), systolic, 80)));
	};
	return (phase: number) => {
		kinds.forEach(({ arrives, corrected, when }, index) => {
			const since = when === 'late' ? NOON - 40 * HOUR : w.clock - MINUTE;
			if (arrives === phase) put(index, since + index * 100, 100);
			if (!corrected.includes(phase)) return;
			const { reading } = known.get(index)!;
			w.history.remove(known.get(index)!);
			put(index, reading.time, 100 + phase);
		});
		w.pass(10 * MINUTE);
	};
}

/** All of it, in the order that the example's notes give; or with another statement for the history. */
async function seam(fillIn = FILL_IN) {
	const table = new Table();
	const happens = play();
	w.history.add(w.anna, bloodPressure('2026-01-02T00:00:00Z', 90, 60));
	w.history.add(w.ben, bloodPressure('2026-03-01T00:00:00Z', 91, 60));
	happens(0);
	const n8n = trigger();
	table.write(FOLLOW, await n8n.start());
	happens(1);
	let isReading = false;
	w.used.sandbox.switches.fault = (_, url) => {
		if (!isReading && url.includes(`timeseries/${w.ben.user_id}`)) happens(2);
		isReading ||= url.includes(w.ben.user_id);
		return undefined;
	};
	const past = await history();
	expect(isReading).toBe(true);
	table.write(FOLLOW, await n8n.tick());
	happens(3);
	table.write(fillIn, past);
	table.write(FOLLOW, await n8n.tick());
	happens(4);
	table.write(FOLLOW, await n8n.tick());
	return { table, n8n };
}

it('nothing is missing, nothing is twice, and corrected values win', async () => {
	const { table, n8n } = await seam();
	expect(inService().length).toBeGreaterThan(90);
	expect(table.values()).toEqual(inService());

	table.write(FILL_IN, await history());
	table.write(FOLLOW, await n8n.tick());
	expect(table.values()).toEqual(inService());
});

it('the later history read finds late readings from before the trigger has seen all users', async () => {
	w.used.sandbox.switches.fault = (_, url) =>
		url.includes(w.ben.user_id) && url.includes('timeseries') ? { status: 500 } : undefined;
	const n8n = trigger();
	await n8n.start();
	w.history.add(w.ben, bloodPressure(iso(NOON - 3 * HOUR), 120, 80));
	w.used.sandbox.switches.fault = () => undefined;
	w.pass(10 * MINUTE);
	const table = new Table();
	table.write(FOLLOW, await n8n.tick());
	expect(table.values()).toEqual([]);
	table.write(FILL_IN, await history());
	expect(table.values()).toEqual(inService());
});
