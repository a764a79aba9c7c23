/**
 * Which failures can pass by themselves (quirks 19, 20, 25): these are tried again, and no poll of the trigger dies of them.
 */
import type { IN8nHttpFullResponse } from 'n8n-workflow';

/** The service has too much to do: everybody waits. */
const REFUSALS = [429, 503];

/** This request failed, others may not. 520 to 524 are those of a proxy in front of the service. */
const FAILURES = [408, 425, 500, 502, 504, 520, 521, 522, 523, 524];

/** Failures to connect that the next try would only repeat: an unknown host, or a certificate that does not fit. */
const LASTING_CODE = /^(ENOTFOUND|CERT_|ERR_TLS|ERR_SSL_WRONG_VERSION|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

export const isRefusal = (status: number) => REFUSALS.includes(status);

export const isTransientStatus = (status: number) => isRefusal(status) || FAILURES.includes(status);

export const isTransientCode = (code: string | undefined) => !LASTING_CODE.test(code ?? '');

/**
 * Whether JSON was begun and not finished: on a connection without a length nothing else tells that it broke. n8n hands over
 * a text where it could read no JSON. Other statuses speak for themselves, whatever their bodies.
 */
export function isCutOff({ statusCode, headers, body }: IN8nHttpFullResponse): boolean {
	if (typeof body !== 'string' || !(statusCode === 404 || (statusCode >= 200 && statusCode < 300))) return false;
	return /^\s*[{[]/.test(body) || (statusCode !== 404 && /\bjson\b/i.test(String(headers['content-type'])));
}
