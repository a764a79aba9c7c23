/** Service clock: n8n's clock, checked against the service's `Date` header (RFC 9110, 6.6.1). All times in ms since 1970. */

/** How far clocks are off: they are set wrong by time zones and dates, which makes a day. */
export const CLOCK_ERROR_MS = 86_400_000;

/** Clocks of devices, and the `Date` header, are this far off at most where they are right. */
const DEVICE_ERROR_MS = 60_000;

/** The first year of this package: an earlier `Date` is of a device without a clock. */
const FIRST_DATE = Date.UTC(2026, 0, 1);

/** @param now at the start of the poll @param started the same, by `performance.now()` */
export function serviceClock(now: number, started: number) {
	let date: number | undefined;
	const earliest = () => Math.min(now, date ?? now);
	return {
		/** Notes the `Date` of an answer. The latest counts: a cache repeats older ones. */
		onAnswer(headers: { date?: unknown }) {
			const atStart = Date.parse(String(headers.date)) - (performance.now() - started);
			if (atStart >= FIRST_DATE) date = Math.max(date ?? atStart, atStart);
		},
		/** The earliest time that it may have been at the start of the poll: what a window passes over is lost. */
		earliest,
		/** A time that a clock ahead may have noted. */
		corrected: (time: number) => Math.min(time, earliest() + DEVICE_ERROR_MS),
		/** The latest time that it may be now, with a minute for the clocks of devices. */
		latest(): number {
			if (date === undefined) return Date.now() + CLOCK_ERROR_MS;
			return Math.max(Date.now(), date + performance.now() - started) + DEVICE_ERROR_MS;
		},
	};
}

export type ServiceClock = ReturnType<typeof serviceClock>;
