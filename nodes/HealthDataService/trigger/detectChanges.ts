/**
 * The heart of the trigger: which rows of a user are new. Knows neither n8n nor the service.
 *
 * Each round reads the window that begins `lookback` before the newest reading, and emits what it has not seen there. That
 * finds what arrives late or out of order, and what came while n8n was down, for however long. The window follows the
 * readings rather than the clock, which may be set.
 */
import type { IDataObject } from 'n8n-workflow';
import { identify, toId, type IdentifiedRow, type Identity } from '../service/readingId';
import { withServiceFields } from '../service/readings';
import type { Change, SeenReadings } from './seen';

/** What counts as new, of the rows of one user. All times in ms. */
export interface TimeWindow {
	/** Nothing before it is looked at. */
	from: number;
	/** Set until they were read once: what was measured up to then is old. */
	since?: number;
	/** Set in the poll in which watching begins: all that it finds is old, but what was measured while it ran. */
	until?: number;
}

export interface ChangedRow extends IdentifiedRow {
	change: Change;
}

export interface DetectedChanges {
	/** To be handed on, and then remembered. */
	fresh: ChangedRow[];
	/** To be remembered all the same: they are old, and not to be found new later. */
	old: IdentifiedRow[];
	newest?: number;
}

/** @param rows all of one user from `from` on; of identical rows one counts */
export function detectChanges(
	identity: Identity,
	rows: IDataObject[],
	seen: SeenReadings,
	window: TimeWindow,
): DetectedChanges {
	const fresh: ChangedRow[] = [];
	const old: IdentifiedRow[] = [];
	let newest: number | undefined;

	const distinct = new Map(identify(identity, rows).map((row) => [row.key, row]));
	for (const row of distinct.values()) {
		if (row.time !== undefined && row.time < window.from) continue;
		if (row.time !== undefined) newest = Math.max(newest ?? row.time, row.time);
		const change = seen.changeOf(row);
		if (change && isOld(row.time, window)) old.push(row);
		else if (change) fresh.push({ ...row, change });
	}
	return { fresh, old, newest };
}

const isOld = (time: number | undefined, { since, until }: TimeWindow) =>
	since !== undefined && (time === undefined || time <= since || (until !== undefined && time > until));

/** As it goes out. */
export function toItem(identity: Identity, { key, change, row }: ChangedRow): IDataObject {
	const rest = { ...row };
	delete rest.id;
	return withServiceFields({ id: toId(identity, key), change }, rest);
}
