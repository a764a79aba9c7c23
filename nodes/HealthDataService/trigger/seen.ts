/**
 * Change detection: which readings of a user are new or updated, by the hashes of those seen before. Duplicates are dropped.
 * Knows neither n8n nor the service.
 */
import { hash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import {
	identify,
	USER_LENGTH,
	type IdentifiedRow,
	type Identity,
} from '../service/readings/identity';
import { HOUR_MS, partsOf, SEEN_LENGTH } from './state';

/** Which rows of one user count. All times in ms; readings before `start` are ignored. */
export interface TimeWindow {
	start: number;
	/** Readings dated after it are not the newest one: the device's clock is ahead. */
	end: number;
	/** Set until a first successful read: readings measured up to then are old. */
	watchingSince?: number;
	/** Set at the first read since watching began: readings without a time, and those dated after it, are old too. */
	readAt?: number;
}

/** Characters of the hashes of a reading's key, and of its key and values. A letter follows. */
const SAVED_KEY_LENGTH = 20;
const VALUES_LENGTH = SEEN_LENGTH - SAVED_KEY_LENGTH - 1;

/** Readings without a time have no hour, and are retained forever. */
const hourOf = ({ time }: IdentifiedRow) =>
	time === undefined ? 'none' : String(Math.floor(time / HOUR_MS));

const savedKey = ({ key }: IdentifiedRow) => key.slice(0, SAVED_KEY_LENGTH);

/** Includes the key: trying all of the few different values would reverse a hash of values alone. */
const hashOfValues = ({ key, values }: IdentifiedRow) =>
	hash('sha256', key + values).slice(0, VALUES_LENGTH);

interface Seen {
	hour: string;
	values: string;
}

/**
 * Hashes of the readings that were emitted, or old at the first read; never readings. 27 characters each: 20 of the reading's key (6
 * of these of the user), 6 of key and values, and a letter. One text per hour, so that whole hours are dropped at once; 100,000
 * readings take 2.7 MB.
 */
export class SeenReadings {
	/** Hash of key → hour, and hash of key and values with its letter. */
	private readonly all = new Map<string, Seen>();
	/** Time of the newest reading between start and end of its window (ms). */
	newest = -Infinity;

	constructor(saved: Record<string, string>) {
		for (const [hour, entries] of Object.entries(saved)) {
			for (const entry of partsOf(entries, SEEN_LENGTH)) {
				const values = entry.slice(SAVED_KEY_LENGTH);
				this.all.set(entry.slice(0, SAVED_KEY_LENGTH), { hour, values });
			}
		}
	}

	/**
	 * Remembers what is old: it was measured before watching began.
	 *
	 * @param rows all of one user from the window's start on; of identical rows one counts
	 * @param isWanted whether a row that has not been emitted is to be
	 * @returns rows to emit, with their `change`, and then to remember
	 */
	changes(
		identity: Identity,
		rows: IDataObject[],
		{ start, end, watchingSince = -Infinity, readAt }: TimeWindow,
		isWanted: (row: IDataObject) => boolean,
	): IdentifiedRow[] {
		const changes: IdentifiedRow[] = [];
		const identified = identify(identity, rows);
		const distinct = new Map(identified.map((row) => [row.key, row]));
		for (const row of distinct.values()) {
			// Without a time, no comparison is true.
			const { time = NaN } = row;
			if (time < start) continue;
			if (time <= end) this.newest = Math.max(this.newest, time);
			const before = this.all.get(savedKey(row))?.values;
			if (before?.startsWith(hashOfValues(row))) continue;
			const isDatedLater = readAt !== undefined && !(time <= readAt);
			if (time <= watchingSince || isDatedLater) this.remember(row, 'o');
			else if (before?.endsWith('e') || isWanted(row.row)) {
				row.row.change = before ? 'updated' : 'created';
				changes.push(row);
			}
		}
		return changes;
	}

	/** @param letter whether it was emitted, or old at the first read */
	remember(row: IdentifiedRow, letter: 'e' | 'o') {
		const values = hashOfValues(row) + letter;
		this.all.set(savedKey(row), { hour: hourOf(row), values });
	}

	/**
	 * Without the hours that end before hashes of the user are needed.
	 *
	 * @param neededFrom when that is (ms), by how the keys of the user begin
	 */
	toSave(neededFrom: (prefix: string) => number): Record<string, string> {
		const saved: Record<string, string> = {};
		for (const [key, { hour, values }] of this.all) {
			// Not a number for those without a time: never over.
			const end = (Number(hour) + 1) * HOUR_MS;
			if (end <= neededFrom(key.slice(0, USER_LENGTH))) continue;
			saved[hour] = (saved[hour] ?? '') + key + values;
		}
		return saved;
	}
}
