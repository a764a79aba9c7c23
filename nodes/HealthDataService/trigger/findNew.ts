/**
 * The heart of the trigger: what is new, and what to remember of it. Knows neither n8n nor the service.
 *
 * Each poll reads the window that begins `lookback` before the newest reading, and emits what it has not seen there. That
 * finds what arrives late or out of order, and what came while n8n was down, for however long. The window follows the
 * readings rather than the clock, which may be set.
 */
import type { IDataObject } from 'n8n-workflow';
import { addTheirField } from '../service/readings';
import type { TriggerEvent } from './events';
import { instantKey, toMillis } from '../service/instants';
import { hashOfKey, SeenReadings } from './seen';
import type { TriggerState } from './state';

type Identified = Pick<TriggerEvent, 'value' | 'time' | 'key' | 'values'>;

export interface Found {
	/** In the order of time. */
	items: IDataObject[];
	/** To remember once the items are handed on. */
	state: TriggerState;
}

/**
 * @param batches rows from `state.from` on; rows with the same key are in the same batch, and the last of them counts
 * @param now ms, before anything was read: what arrives while reading must not fall out of the window
 * @param lookback ms
 * @param isBaseline whether watching begins with this very poll: everything it finds is old
 */
export async function findNew(
	event: Identified,
	batches: AsyncIterable<IDataObject[]>,
	state: TriggerState,
	{ now, lookback, isBaseline }: { now: number; lookback: number; isBaseline: boolean },
): Promise<Found> {
	const { from, since } = state;
	const seen = new SeenReadings(state.seen);
	const found: Array<{ item: IDataObject; time: number }> = [];
	let newest = -Infinity;

	for await (const rows of batches) {
		for (const [key, row] of latest(event, rows)) {
			const time = toMillis(row[event.time]);
			if (time !== undefined && time < from) continue;
			if (time !== undefined) newest = Math.max(newest, time);

			// With the key in it: of values alone there are so few that their hash could be turned back by trying them all.
			const values = [...event.key, event.time, ...event.values].map((column) => instantKey(row[column]));
			const change = seen.remember(key, values, time);
			if (!change || isOld(time, since, isBaseline)) continue;
			found.push({ item: toItem(event, key, change, row), time: time ?? now });
		}
	}

	// A device whose clock is ahead must not move the window past everybody else's readings.
	const nextFrom = Math.max(from, Math.min(now, newest) - lookback);
	return {
		items: found.sort((a, b) => a.time - b.time).map(({ item }) => item),
		state: { version: 1, of: state.of, from: nextFrom, seen: seen.seenFrom(nextFrom) },
	};
}

/** Hash of the key → row. Where a row comes twice, the last one counts. */
function latest({ time, key }: Identified, rows: IDataObject[]): Map<string, IDataObject> {
	return new Map(rows.map((row) => [hashOfKey([...key.map((column) => row[column]), instantKey(row[time])]), row]));
}

/** Whether it was there when watching began: everything that the very first poll finds, later what was measured before. */
const isOld = (time: number | undefined, since: number | undefined, isBaseline: boolean) =>
	since !== undefined && (isBaseline || time === undefined || time <= since);

/** `id` is the same for a reading and its corrections; a field of theirs that is called like ours becomes `<name>_raw`. */
export function toItem({ value }: Identified, key: string, change: string, row: IDataObject): IDataObject {
	const item = new Map<string, unknown>([
		['id', `${value}-${key}`],
		['change', change],
	]);
	for (const [name, theirs] of Object.entries(row)) addTheirField(item, name, theirs);
	return Object.fromEntries(item) as IDataObject;
}
