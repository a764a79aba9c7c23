/**
 * What was seen, by the hour: hashes, never readings.
 *
 * A reading takes 26 characters: 20 of the hash of its key, of which 6 are the user's, and 6 of a hash of its key and values.
 * They stand one after the other, in a text for each hour, so that whole hours can be forgotten: 100,000 readings make 2.6 MB.
 */
import { hash } from 'node:crypto';
import type { IdentifiedRow } from '../service/readingId';

export type Change = 'created' | 'updated';

const KEY_LENGTH = 20;
const VALUES_LENGTH = 6;
const ENTRY_LENGTH = KEY_LENGTH + VALUES_LENGTH;
const HOUR_MS = 3_600_000;

/** For what came without a time: it is never forgotten. */
const NO_HOUR = 'none';

const hourOf = ({ time }: IdentifiedRow) => (time === undefined ? NO_HOUR : String(Math.floor(time / HOUR_MS)));

/** With the key in it: of values alone there are so few that their hash could be turned back by trying them all. */
const hashOfValues = ({ key, values }: IdentifiedRow) => hash('sha256', key + values).slice(0, VALUES_LENGTH);

export class SeenReadings {
	/** Hour → hash of key → hash of key and values. */
	private readonly hours = new Map<string, Map<string, string>>();

	constructor(seen: Record<string, string>) {
		for (const [hour, entries] of Object.entries(seen)) {
			const known = new Map<string, string>();
			for (let at = 0; at < entries.length; at += ENTRY_LENGTH) {
				known.set(entries.slice(at, at + KEY_LENGTH), entries.slice(at + KEY_LENGTH, at + ENTRY_LENGTH));
			}
			this.hours.set(hour, known);
		}
	}

	/** What is new about a reading. */
	changeOf(row: IdentifiedRow): Change | undefined {
		const before = this.hours.get(hourOf(row))?.get(row.key.slice(0, KEY_LENGTH));
		if (before === undefined) return 'created';
		return before === hashOfValues(row) ? undefined : 'updated';
	}

	remember(row: IdentifiedRow) {
		const hour = hourOf(row);
		const known = this.hours.get(hour) ?? new Map<string, string>();
		this.hours.set(hour, known);
		known.set(row.key.slice(0, KEY_LENGTH), hashOfValues(row));
	}

	/** As it is saved: without the hours that ended before `from` (ms), but for those of `users`, known by how their keys begin, each from a time of their own. */
	toSave(from: number, users: Array<{ prefix: string; from: number }>): Record<string, string> {
		const kept = new Map(users.map(({ prefix, from: own }) => [prefix, own]));
		const seen: Record<string, string> = {};
		for (const [hour, known] of this.hours) {
			const end = hour === NO_HOUR ? Infinity : (Number(hour) + 1) * HOUR_MS;
			let entries = '';
			for (const [key, values] of known) {
				if (end > from || end > (kept.get(key.slice(0, 6)) ?? Infinity)) entries += key + values;
			}
			if (entries) seen[hour] = entries;
		}
		return seen;
	}
}
