/**
 * What was seen, by the hour: hashes, never readings.
 *
 * A reading takes 26 characters: 20 of a hash of its key, 6 of a hash of its key and values. They stand one after the other,
 * in a text for each hour, so that whole hours can be forgotten: 100,000 readings make 2.6 MB.
 */
import { hash } from 'node:crypto';

export type Change = 'created' | 'updated';

const KEY_LENGTH = 20;
const VALUES_LENGTH = 6;
const ENTRY_LENGTH = KEY_LENGTH + VALUES_LENGTH;
const HOUR = 3_600_000;

/** For what came without a time: it is never forgotten. */
const NO_HOUR = 'none';

/** Text that is the same for the same values. */
const hashOf = (values: unknown[], length: number) => hash('sha256', JSON.stringify(values)).slice(0, length);

export const hashOfKey = (key: unknown[]) => hashOf(key, KEY_LENGTH);

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

	/** Remembers a thing by the hash of its key, and tells what is new about it. `time` in ms. */
	remember(key: string, values: unknown[], time: number | undefined): Change | undefined {
		const hour = time === undefined ? NO_HOUR : String(Math.floor(time / HOUR));
		const known = this.hours.get(hour) ?? new Map<string, string>();
		this.hours.set(hour, known);

		const before = known.get(key);
		const now = hashOf(values, VALUES_LENGTH);
		known.set(key, now);
		if (before === undefined) return 'created';
		return before === now ? undefined : 'updated';
	}

	/** As it is saved, without the hours that ended before `from` (ms). */
	seenFrom(from: number): Record<string, string> {
		const seen: Record<string, string> = {};
		for (const [hour, known] of this.hours) {
			if (hour !== NO_HOUR && (Number(hour) + 1) * HOUR <= from) continue;
			let entries = '';
			for (const [key, values] of known) entries += key + values;
			seen[hour] = entries;
		}
		return seen;
	}
}
