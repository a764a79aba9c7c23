/**
 * Errors: words for a status, an answer that is not the data, a network error, and a request that is not sent. classify.ts decides
 * which of these errors are retried.
 */
import { Problem, type Kind } from '../shared/problem';
import {
	classifyStatus,
	isRedirect,
	isRetryable,
	isTransientCode,
	looksLikeJson,
} from './classify';

/** Display names of the fields behind query and path parameters. */
const PARAMETER_LABELS: Record<string, string> = {
	client_user_id: 'Client User ID',
	end_date: 'End Date',
	limit: 'Limit',
	offset: 'Skip First Users',
	provider: 'Provider',
	start_date: 'Start Date',
	user_id: 'User',
};

const CHECK = "Check 'Base URL' in the credential";
const LATER = 'Try again later';
const LATER_OR_ASK = `${LATER}. If it stays, ask the people who run the service`;

/**
 * The error of a status outside 200-299. The contract does not define the bodies, so any shape is accepted (quirks 16-20). No word
 * of a body is repeated: it may hold a key, an identifier or a reading.
 */
export function statusError(status: number, body: unknown): Problem {
	const outcome = classifyStatus(status);
	const problem = (message: string, advice: string, kind?: Kind, concernsAll?: boolean) =>
		new Problem(message, advice, { kind, httpCode: String(status), concernsAll });

	if (outcome === 'unauthorized') return keyError(status);
	if (outcome === 'forbidden') {
		return problem(
			`The service refuses this user's data (status ${status})`,
			"The key itself is accepted. Ask the people who run the service whether your team may read this user's data",
		);
	}
	if (isRedirect(status)) {
		return problem(
			`The service redirects instead of answering (status ${status})`,
			"The API key is only sent below the 'Base URL'. If the service has moved, enter its new address in the credential. If this concerns some users only, ask the people who run the service",
		);
	}
	if (status === 407) {
		return problem(
			'A proxy between n8n and the service asks for a password (status 407)',
			"Ask n8n's administrator: the proxy's name and password belong into HTTP_PROXY and HTTPS_PROXY, or into 'Proxy' in the request options",
			undefined,
			true,
		);
	}
	if (status === 206)
		return problem(
			'The service sent a part of its answer only (status 206)',
			LATER_OR_ASK,
		);
	if (status === 404)
		return problem(
			'The service has nothing at this address (status 404)',
			CHECK,
			undefined,
			true,
		);
	if (status === 400 || status === 422) {
		const field = rejectedField(body);
		return problem(
			field
				? `The service did not accept '${field}'`
				: 'The service did not accept the request',
			field
				? `Check the value of '${field}'`
				: 'Check the values of the fields in this node',
		);
	}
	if (status === 429) {
		return problem(
			'The service is receiving too many requests (status 429)',
			"Wait a minute. If it stays, lower 'Concurrent Requests' in the options, read fewer users at a time, or run the workflow less often",
			'rate-limited',
		);
	}
	return problem(
		`The service could not answer (status ${status})`,
		LATER_OR_ASK,
		isRetryable(outcome) ? 'temporarily-unavailable' : undefined,
	);
}

/** The body is not used: some services repeat the key in it. */
export const keyError = (status: number) =>
	new Problem(
		`The service did not accept the API key (status ${status})`,
		"Check 'API Key' and 'Base URL' in the credential together: a key only works in the environment it was made for",
		{ kind: 'credential-invalid', httpCode: String(status) },
	);

/** The field that FastAPI's `detail` names: a list of `{type, loc, msg, input}`, or such an object (quirk 17). */
function rejectedField(body: unknown): string | undefined {
	const detail = (body as { detail?: unknown } | null)?.detail;
	const { loc } = ((Array.isArray(detail) ? detail[0] : detail) ?? {}) as {
		loc?: unknown;
	};
	const parameter = Array.isArray(loc) ? String(loc.at(-1)) : '';
	return Object.hasOwn(PARAMETER_LABELS, parameter)
		? PARAMETER_LABELS[parameter]
		: undefined;
}

/** The error of a status 200 with a body that is not the contract's (quirk 21). */
export function unexpectedBodyError(body: unknown): Problem {
	if (typeof body === 'string' && looksLikeJson(body)) {
		const advice = `It may have NaN or Infinity in place of a number. ${LATER_OR_ASK}`;
		return new Problem("The service's answer is not valid JSON", advice, {
			httpCode: '200',
		});
	}
	const isPage = typeof body === 'string' && /^\s*</.test(body);
	return wrongBody(
		isPage
			? 'A web page came back instead of data'
			: "The service's answer is not the data that was asked for",
	);
}

/** The error of a body without a property that the contract promises (quirk 21). */
export const missingFieldError = (field: string) =>
	wrongBody(`The service's answer has no '${field}'`);

const wrongBody = (message: string) =>
	new Problem(
		message,
		"Check 'Base URL' in the credential: it must be the address of the Health Data Service itself, not of a web site or login page",
		{ httpCode: '200' },
	);

export const truncatedError = () =>
	new Problem('The answer of the service was cut off', LATER_OR_ASK, {
		kind: 'temporarily-unavailable',
		httpCode: '200',
	});

/** The answer of a request is not needed, so this is never shown. One object, by which the reader knows it. */
export const CANCELLED_REQUEST = new Problem(
	'The request is no longer needed',
	'Nothing was requested',
	{
		concernsAll: true,
	},
);

export const cancellationOf = (signal?: AbortSignal) =>
	signal?.aborted
		? new Problem('The execution was cancelled', 'Nothing more was requested', {
				concernsAll: true,
			})
		: undefined;

/** The error of a request that the rate holds back for too long. */
export const outOfTime = () =>
	new Problem(
		"The time was over before 'Requests per Second' allowed the next request",
		"Raise 'Requests per Second' in the options, or read fewer users",
		{ kind: 'temporarily-unavailable' },
	);

/** Why a certificate is not trusted, by the start of the error's code. */
const CERTIFICATE_REASONS: Array<[RegExp, string]> = [
	[/^CERT_HAS_EXPIRED/, 'it has expired'],
	[/^CERT_NOT_YET_VALID/, 'it is not valid yet'],
	[/^CERT_REVOKED/, 'it was revoked'],
	[/^(DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED)/, 'it is self-signed'],
	[/^ERR_TLS_CERT_ALTNAME/, 'it is for another name'],
	[/^UNABLE_TO_/, 'its issuer is not known'],
	[/^CERT_/, 'it is not valid'],
];

/** With `HOST` in place of the host. */
const NETWORK_REASONS: Record<string, string> = {
	EAI_AGAIN: `The name of HOST could not be looked up. ${LATER}`,
	ECONNABORTED: `HOST did not answer in time. ${LATER}, or raise 'Timeout' in the request options`,
	ECONNREFUSED: `Nothing answers at HOST. ${CHECK}`,
	ECONNRESET: `HOST closed the connection before its answer was complete. ${LATER}`,
	EHOSTUNREACH: `There is no network route to HOST. ${CHECK}`,
	ENETUNREACH: `There is no network route to HOST. ${CHECK}`,
	ENOTFOUND: `The name of HOST is not known. ${CHECK}`,
	EPROTO: `HOST does not speak the encryption that https:// needs. ${CHECK}`,
	ERR_BAD_RESPONSE: `The answer of HOST was cut off. ${LATER}`,
	ERR_SSL_WRONG_VERSION_NUMBER: `HOST does not speak the encryption that https:// needs. ${CHECK}`,
	ETIMEDOUT: `HOST did not answer in time. ${LATER}`,
};

/**
 * The error of a request without an answer. Only the code of `error` is used: the rest may hold the key. A Problem of ours, such
 * as those of `authenticate`, is unwrapped.
 *
 * @param error what n8n's request helper threw
 */
export function networkError(error: Error, root: string): Problem {
	const cause = (error.cause ?? error) as {
		code?: unknown;
		httpCode?: unknown;
		name?: unknown;
	};
	if (cause instanceof Problem) return cause;

	// n8n 2.8.4 drops the cause of its NodeApiError, and keeps the code.
	const code = [cause.code, cause.httpCode].find((value) => typeof value === 'string');
	const isForbidden = /^SsrfBlocked/.test(String(cause.name));
	const isLasting = isForbidden || !isTransientCode(code);
	return new Problem(
		'The service could not be reached',
		isForbidden
			? "n8n is set up not to connect to this host. Ask n8n's administrator"
			: networkReason(code, root),
		{ kind: isLasting ? undefined : 'temporarily-unavailable', concernsAll: isLasting },
	);
}

function networkReason(code = '', root: string): string {
	const { host } = new URL(root);
	const [, untrusted] = CERTIFICATE_REASONS.find(([codes]) => codes.test(code)) ?? [];
	if (untrusted) {
		const advice =
			"Have it replaced, or turn on 'Ignore SSL Issues (Insecure)' in the credential";
		return `Nothing was sent to ${host}, because its certificate is not trusted: ${untrusted}. ${advice}`;
	}
	if (Object.hasOwn(NETWORK_REASONS, code))
		return NETWORK_REASONS[code].replace('HOST', () => host);
	const shown = /^[A-Z_]+$/.test(code) ? ` (${code})` : '';
	return `The connection to ${host} ended without an answer${shown}. ${LATER}`;
}
