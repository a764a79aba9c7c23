/** Service clock: n8n's clock, checked against the service's `Date` header (RFC 9110, 6.6.1). All times in ms since 1970. */

/** A clock is off by a day at most: a wrong time zone or date. */
export const CLOCK_ERROR_MS = 86_400_000;

/** A correct clock of a device, or a `Date` header, is off by this much at most. */
const DEVICE_ERROR_MS = 60_000;

/** The first year of this package: an earlier `Date` is of a device without a clock. */
const FIRST_DATE = Date.UTC(2026, 0, 1);

/** @param now start of the poll @param started start of the poll by `performance.now()` */
export function serviceClock(now: number, started: number) {
	let date: number | undefined;
	const earliest = () => Math.min(now, date ?? now);
	return {
		/** Notes the `Date` of an answer. The latest counts: a cache repeats older ones. */
		onAnswer(headers: { date?: unknown }) {
			const atStart = Date.parse(String(headers.date)) - (performance.now() - started);
			if (atStart >= FIRST_DATE) date = Math.max(date ?? atStart, atStart);
		},
		/** The earliest possible start of the poll: readings that a window passes over are lost. */
		earliest,
		/** `time`, which a clock that was ahead may have noted, or the latest correct time. */
		corrected: (time: number) => Math.min(time, earliest() + DEVICE_ERROR_MS),
		/** The latest possible time now, with a minute for the clocks of devices. */
		latest(): number {
			if (date === undefined) return Date.now() + CLOCK_ERROR_MS;
			return Math.max(Date.now(), date + performance.now() - started) + DEVICE_ERROR_MS;
		},
	};
}

export type ServiceClock = ReturnType<typeof serviceClock>;
