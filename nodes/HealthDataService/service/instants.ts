/**
 * Times as the service writes them: with an offset, `Z` or nothing, and up to microseconds (quirk 9).
 */
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i;
const BEYOND_MILLISECONDS = /\.\d{3}(\d+)/;

/** Milliseconds since 1970; no zone means UTC. Undefined for what is not a time. */
export function toMillis(value: unknown): number | undefined {
	if (typeof value !== 'string') return undefined;
	const [, day, time, zone = 'Z'] = DATE_TIME.exec(value) ?? [];
	// The engine's own parser: with a hundred thousand readings in a window Luxon would take seconds. It wants minutes in an offset.
	const millis = Date.parse(day ? `${day}T${time}${zone.length === 3 ? `${zone}:00` : zone.toUpperCase()}` : value);
	return Number.isNaN(millis) ? undefined : millis;
}

/** The same text for the same instant, however it is written; other values as text. @param known what `toMillis` gives for it */
export function instantKey(value: unknown, known?: number): string {
	const millis = typeof value === 'string' && DATE_TIME.test(value) ? (known ?? toMillis(value)) : undefined;
	if (millis === undefined) return String(value ?? '');
	const [, beyond = ''] = BEYOND_MILLISECONDS.exec(value as string) ?? [];
	return `${millis}.${beyond.replace(/0+$/, '')}`;
}

/** As the service is asked. */
export const toIso = (millis: number) => new Date(millis).toISOString();
