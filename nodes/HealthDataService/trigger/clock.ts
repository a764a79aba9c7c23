/** Clock of a poll: the service's `Date` header (RFC 9110, 6.6.1), and n8n's without it. All times in ms since 1970. */

/** How far clocks are off: they are set wrong by time zones and dates, which makes a day. */
export const CLOCK_ERROR_MS = 86_400_000;

/** Clocks of devices, and the `Date` header, are this far off at most where they are right. */
const DEVICE_ERROR_MS = 60_000;

/** A `Date` before the package's first year is that of a device without a clock. */
const FIRST_DATE = Date.UTC(2026, 0, 1);

export class Clock {
	/** The service's time at the start of the poll. */
	private date?: number;

	/** @param now n8n's time at the start of the poll @param started the same, by `performance.now()` */
	constructor(
		readonly now = Date.now(),
		readonly started = performance.now(),
	) {}

	/** Notes the `Date` of an answer. The latest counts: a cache repeats older ones. */
	readonly onAnswer = (headers: { date?: unknown }) => {
		const sinceStart = performance.now() - this.started;
		const atStart = Date.parse(String(headers.date)) - sinceStart;
		if (atStart >= FIRST_DATE)
			this.date = Math.max(this.date ?? atStart, atStart);
	};

	/** The time at the start of the poll: the service's, else n8n's. */
	get time() {
		return this.date ?? this.now;
	}

	/** The earliest time that it may have been at the start of the poll. */
	get earliest() {
		return Math.min(this.now, this.time);
	}

	/** The latest time that it may have been at the start of the poll. */
	get latest() {
		return Math.max(this.now, this.time);
	}

	/** The latest time that it may be now, with a minute for the clocks of devices. */
	get latestNow() {
		const errorMs = this.date === undefined ? CLOCK_ERROR_MS : DEVICE_ERROR_MS;
		return this.latest + performance.now() - this.started + errorMs;
	}
}
