/**
 * Change detection: which readings of a user are new or updated, by the hashes of those seen before. Duplicates are dropped.
 * Knows neither n8n nor the service.
 */
import { hash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import {
	identify,
	toRowId,
	USER_LENGTH,
	type IdentifiedRow,
	type Identity,
} from '../service/readings/identity';
import { withServiceFields } from '../service/readings/rows';
import type { LocalTimeOf } from '../shared/dateTime';
import { HOUR_MS } from './state';

/** Which rows of one user count. All times in ms; readings before `start` are ignored. */
export interface TimeWindow {
	start: number;
	/** Readings dated after it are not the newest one: the device's clock is ahead. */
	end?: number;
	/** Set until a first successful read: readings measured up to then are old. */
	watchingSince?: number;
	/** Set at the first read since watching began: readings without a time, and those dated after it, are old too. */
	readAt?: number;
}

export interface ChangedRow extends IdentifiedRow {
	change: 'created' | 'updated';
}

/**
 * @param rows all of one user from the window's start on; of identical rows one counts
 * @param isWanted whether a row that has not been emitted is to be
 * @returns `changes` to emit, then to remember; `old` ones, measured before watching began, to remember only; time of the `newest`
 * reading between start and end of the window (ms)
 */
export function detectChanges(
	identity: Identity,
	rows: IDataObject[],
	seen: SeenReadings,
	window: TimeWindow,
	isWanted: (row: IDataObject) => boolean = () => true,
) {
	const changes: ChangedRow[] = [];
	const old: IdentifiedRow[] = [];
	let newest: number | undefined;
	const identified = identify(identity, rows);
	const distinct = new Map(identified.map((row) => [row.key, row]));
	for (const row of distinct.values()) {
		const { time } = row;
		if (time !== undefined && time < window.start) continue;
		if (time !== undefined && time <= (window.end ?? Infinity))
			newest = Math.max(newest ?? time, time);
		const before = seen.lookUp(row);
		if (before === 'same') continue;
		if (isOld(time, window)) old.push(row);
		else if (before === 'emitted' || isWanted(row.row))
			changes.push({ ...row, change: before ? 'updated' : 'created' });
	}
	return { changes, old, newest };
}

function isOld(
	time: number | undefined,
	{ watchingSince = -Infinity, readAt }: TimeWindow,
): boolean {
	if (time === undefined) return readAt !== undefined;
	return time <= watchingSince || time > (readAt ?? Infinity);
}

/** The row as it is emitted: with its `local_time` and `row_id`, and `change` after it. */
export function toItem(
	identity: Identity,
	{ key, change, row, instant }: ChangedRow,
	localTimeOf: LocalTimeOf,
): IDataObject {
	const fields = Object.entries(row);
	const at = fields.findIndex(([name]) => name === 'row_id');
	const ours = Object.fromEntries(fields.slice(0, at));
	if ('local_time' in ours) ours.local_time = localTimeOf(instant);
	ours.row_id = toRowId(identity, key);
	ours.change = change;
	return withServiceFields(ours, Object.fromEntries(fields.slice(at + 1)));
}

/** Characters of the hashes of a reading's key, and of its key and values. A letter follows. */
const SAVED_KEY_LENGTH = 20;
const VALUES_LENGTH = 6;
const ENTRY_LENGTH = SAVED_KEY_LENGTH + VALUES_LENGTH + 1;

/** Whether the reading was emitted, or was old at the first read. */
type Letter = 'e' | 'o';

/** In place of an hour for readings without a time: they are retained forever. */
const NO_HOUR = 'none';
const hourOf = ({ time }: IdentifiedRow) =>
	time === undefined ? NO_HOUR : String(Math.floor(time / HOUR_MS));

const savedKey = ({ key }: IdentifiedRow) => key.slice(0, SAVED_KEY_LENGTH);

/** Includes the key: trying all of the few different values would reverse a hash of values alone. */
const hashOfValues = ({ key, values }: IdentifiedRow) =>
	hash('sha256', key + values).slice(0, VALUES_LENGTH);

/**
 * Hashes of the readings that were emitted, or old at the first read; never readings. 27 characters each: 20 of the reading's key (6
 * of these of the user), 6 of key and values, and a letter. One text per hour, so that whole hours are dropped at once; 100,000
 * readings take 2.7 MB.
 */
export class SeenReadings {
	/** Hour → hash of key → hash of key and values, and letter. */
	private readonly hours = new Map<string, Map<string, string>>();

	constructor(saved: Record<string, string>) {
		for (const [hour, entries] of Object.entries(saved)) {
			const known = new Map<string, string>();
			for (let at = 0; at < entries.length; at += ENTRY_LENGTH) {
				const valuesAt = at + SAVED_KEY_LENGTH;
				known.set(
					entries.slice(at, valuesAt),
					entries.slice(valuesAt, at + ENTRY_LENGTH),
				);
			}
			this.hours.set(hour, known);
		}
	}

	/** What is known of a reading: with the `same` values, with others that were `emitted` or `old`, or nothing. */
	lookUp(row: IdentifiedRow): 'same' | 'emitted' | 'old' | undefined {
		const known = this.hours.get(hourOf(row));
		const before = known?.get(savedKey(row));
		if (before === undefined) return undefined;
		if (before.startsWith(hashOfValues(row))) return 'same';
		return before.endsWith('e') ? 'emitted' : 'old';
	}

	remember(row: IdentifiedRow, letter: Letter) {
		const hour = hourOf(row);
		const known = this.hours.get(hour) ?? new Map<string, string>();
		this.hours.set(hour, known);
		known.set(savedKey(row), hashOfValues(row) + letter);
	}

	/**
	 * Without the hours that end before the window of the user.
	 *
	 * @param windows how the keys of a user begin → start of the window (ms)
	 */
	toSave(windows: ReadonlyMap<string, number>): Record<string, string> {
		const saved: Record<string, string> = {};
		for (const [hour, known] of this.hours) {
			const end = hour === NO_HOUR ? Infinity : (Number(hour) + 1) * HOUR_MS;
			let entries = '';
			for (const [key, values] of known) {
				const start = windows.get(key.slice(0, USER_LENGTH)) ?? Infinity;
				if (end > start) entries += key + values;
			}
			if (entries) saved[hour] = entries;
		}
		return saved;
	}
}
