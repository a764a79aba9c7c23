/**
 * Times as the service writes them: with an offset, `Z` or nothing, and up to microseconds (quirk 9).
 */
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.(\d+))?)?)\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** `key` is the same text for the same instant, however it is written; other values as text. `millis`: no zone means UTC. */
export function instantOf(value: unknown): { millis?: number; key: string } {
	if (typeof value !== 'string') return { key: String(value ?? '') };
	const [, day, time, fraction = '', zone = 'Z'] = DATE_TIME.exec(value) ?? [];
	// The engine's own parser: with a hundred thousand readings Luxon would take seconds. It wants minutes in an offset.
	const millis = Date.parse(day ? `${day}T${time}${zone.length === 3 ? `${zone}:00` : zone.toUpperCase()}` : value);
	if (Number.isNaN(millis)) return { key: value };
	return { millis, key: day ? `${millis}.${fraction.slice(3).replace(/0+$/, '')}` : value };
}

/** Milliseconds since 1970. Undefined for what is not a time. */
export const toMillis = (value: unknown) => instantOf(value).millis;

/** The same text for the same instant. */
export const instantKey = (value: unknown) => instantOf(value).key;

/** As the service is asked. */
export const toIso = (millis: number) => new Date(millis).toISOString();
