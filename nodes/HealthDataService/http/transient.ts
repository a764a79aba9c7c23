/**
 * Which failures can pass by themselves (quirks 19, 20): these are tried again, and no poll of the trigger dies of them.
 */

/** The service has too much to do: everybody waits. */
const REFUSALS = [429, 503];

/** This request failed, others may not. */
const FAILURES = [500, 502, 504];

/** Failures to connect that the next try would only repeat: an unknown host, or a certificate that does not fit. */
const LASTING_CODE = /^(ENOTFOUND|CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

export const isRefusal = (status: number) => REFUSALS.includes(status);

export const isTransientStatus = (status: number) => isRefusal(status) || FAILURES.includes(status);

export const isTransientCode = (code: string | undefined) => !LASTING_CODE.test(code ?? '');
