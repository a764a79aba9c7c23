/**
 * Which failures can pass, and how long to wait for that (quirks 19, 20).
 */
import { DateTime } from 'luxon';

/** Bounds of all waiting, in milliseconds. One object, so that tests can be quicker than the night shift. */
export const patience = {
	tries: 7,
	firstWait: 500,
	longestWait: 30_000,
	/** Longest that a service is obeyed when it says how long to wait. */
	longestToldWait: 60_000,
	/** Nothing is tried again when the first try is longer ago than this. */
	inAll: 180_000,
};

/** The service has too much to do: everybody waits. */
const REFUSALS = [429, 503];

/** This request failed, others may not. */
const FAILURES = [500, 502, 504];

/** Failures to connect that the next try would only repeat: an unknown host, or a certificate that does not fit. */
const LASTING_CODE = /^(ENOTFOUND|CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

export const isRefusal = (status: number) => REFUSALS.includes(status);

export const isPassingStatus = (status: number) => isRefusal(status) || FAILURES.includes(status);

export const isPassingCode = (code: string | undefined) => !LASTING_CODE.test(code ?? '');

/** Milliseconds that `Retry-After` asks for, given in seconds or as an HTTP date; undefined without one. Capped. */
export function toldWait(retryAfter: unknown, now = Date.now()): number | undefined {
	const text = String(retryAfter ?? '').trim();
	const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : DateTime.fromHTTP(text).toMillis() - now;
	return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), patience.longestToldWait);
}

/** Milliseconds before try number `next` (from 2): doubling, capped, and spread so that many do not come back at once. */
export function backoff(next: number, random = Math.random()): number {
	const whole = Math.min(patience.longestWait, patience.firstWait * 2 ** (next - 2));
	return whole * (0.5 + random / 2);
}
