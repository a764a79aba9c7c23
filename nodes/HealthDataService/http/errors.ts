/**
 * Errors: words for a status, an answer that is not the data, a network error, and a request that is not sent. classify.ts decides
 * which statuses are retried.
 */
import { Problem, problemOfAll, type Kind } from '../shared/problem';
import { classifyStatus, isRedirect, isRetryable } from './classify';

/** Display names of the fields behind query and path parameters. Most choices of *Date Range* show neither date. */
const PARAMETER_LABELS: Record<string, string> = {
	client_user_id: 'Client User ID',
	end_date: 'Date Range',
	limit: 'Limit',
	offset: 'Skip First Users',
	provider: 'Provider',
	start_date: 'Date Range',
	user_id: 'User',
};

const CHECK = "Check 'Base URL' in the credential";
const LATER = 'Try again later';
const LATER_OR_ASK = `${LATER}. If it stays, ask the people who run the service`;

type Words = [what: string, advice: string, kind?: Kind];

/** By status. 300 is for every redirect. */
const WORDS: Record<number, Words | undefined> = {
	206: ['The service sent a part of its answer only', LATER_OR_ASK],
	300: [
		'The service redirects instead of answering',
		"The API key is only sent below the 'Base URL'. If the service has moved, enter its new address in the credential. If this concerns some users only, ask the people who run the service",
	],
	401: [
		'The service did not accept the API key',
		"Check 'API Key' and 'Base URL' in the credential together: a key only works in the environment it was made for. A proxy that does not allow this host answers 403, too",
		'credential-invalid',
	],
	403: [
		"The service refuses this user's data",
		"The key itself is accepted. Ask the people who run the service whether your team may read this user's data",
	],
	404: ['The service has nothing at this address', CHECK],
	407: [
		'A proxy between n8n and the service asks for a password',
		"Ask n8n's administrator: the proxy's name and password belong into HTTP_PROXY and HTTPS_PROXY, or into 'Proxy' in the request options. n8n cannot log in with NTLM or Kerberos: such a proxy must let n8n pass without",
	],
	429: [
		'The service is receiving too many requests',
		"Wait a minute. If it stays, set 'Requests per Second' in the options, read fewer users at a time, or run the workflow less often",
		'rate-limited',
	],
};

const OTHER_WORDS: Words = ['The service could not answer', LATER_OR_ASK];

/** Statuses that all other requests would get. */
const OF_ALL = [401, 404, 407];

/**
 * The error of a status outside 200-299. The contract does not define the bodies, so any shape is accepted (quirks 16-20). No word
 * of a body is repeated: it may hold a key, an identifier or a reading.
 */
export function statusError(status: number, body?: unknown): Problem {
	if (status !== 400 && status !== 422)
		return worded(status, isRedirect(status) ? 300 : status);
	const field = rejectedField(body);
	return new Problem(
		`The service did not accept ${field ?? 'the request'}`,
		`Check ${field ?? 'the values of the fields in this node. If they are right, try again'}`,
		{ httpCode: String(status) },
	);
}

function worded(status: number, like: number) {
	const [what, advice, kind = otherKind(status)] = WORDS[like] ?? OTHER_WORDS;
	return new Problem(`${what} (status ${status})`, advice, {
		kind,
		httpCode: String(status),
		concernsAll: OF_ALL.includes(like),
	});
}

const otherKind = (status: number) =>
	isRetryable(classifyStatus(status)) ? 'temporarily-unavailable' : undefined;

/** The error of all requests: the key is refused. */
export const keyError = (status: number) => worded(status, 401);

/** The field that FastAPI's `detail` names: a list of `{type, loc, msg, input}`, or such an object (quirk 17). */
function rejectedField(body: unknown) {
	const { detail } = Object(body) as { detail?: unknown };
	const [first] = [detail].flat();
	const { loc } = Object(first) as { loc?: unknown };
	const parameter: unknown = [loc].flat().at(-1);
	return typeof parameter === 'string' &&
		Object.hasOwn(PARAMETER_LABELS, parameter)
		? `'${PARAMETER_LABELS[parameter]}'`
		: undefined;
}

/** The error of a status 200 with a body that is not the contract's (quirk 21). */
export function unexpectedBodyError(body: unknown): Problem {
	const isPage = typeof body === 'string' && /^\s*</.test(body);
	return wrongBody(
		isPage
			? 'A web page came back instead of data'
			: "The service's answer is not the data that was asked for",
	);
}

const OK = { httpCode: '200' };

/** The error of a body without a property that the contract promises (quirk 21). */
export const missingFieldError = (field: string) =>
	wrongBody(`The service's answer has no '${field}'`);

const wrongBody = (message: string) =>
	new Problem(
		message,
		"Check 'Base URL' in the credential: it must be the address of the Health Data Service itself, not of a web site or login page. If it is right, ask the people who run the service",
		OK,
	);

export const truncatedError = () =>
	new Problem('The answer of the service was cut off', LATER_OR_ASK, {
		...OK,
		kind: 'temporarily-unavailable',
	});

/** The answer of a request is not needed, so this is never shown. One object, by which the reader knows it. */
export const CANCELLED_REQUEST = problemOfAll(
	'The request is no longer needed',
	'Nothing was requested',
);

export const cancellationOf = (signal?: AbortSignal) =>
	signal?.aborted
		? problemOfAll('The execution was cancelled', 'Nothing more was requested')
		: undefined;

/** The error of a request that the rate holds back for too long. */
export const outOfTime = () =>
	new Problem(
		'The time was over before all requests were sent',
		"If 'Requests per Second' is set in the options, raise it, or read fewer users",
		{ kind: 'temporarily-unavailable' },
	);

/** The error of a user who has used up the budget. */
export const tooSlow = () =>
	new Problem(
		'Reading one user takes longer than a poll may last',
		'The next polls try again. If it stays, ask the people who run the service',
		{ kind: 'temporarily-unavailable' },
	);

const NO_TLS = `No encrypted connection to HOST could be madeCODE. ${CHECK}: does it need https://?`;

/**
 * By the start of the error's code or name. HOST stands for the host, CODE for the code. A retry would repeat the errors marked as
 * lasting: an unknown host, one that n8n does not allow, no encryption, or a certificate that is not valid.
 */
const NETWORK_REASONS: Array<
	[codes: RegExp, reason: string, isLasting?: boolean]
> = [
	[/^EAI_AGAIN/, `The name of HOST could not be looked up. ${LATER}`],
	[
		/^(ECONNABORTED|ETIMEDOUT)/,
		`HOST did not answer in time. ${LATER}, or raise 'Timeout' if the request options have it`,
	],
	[/^ECONNREFUSED/, `Nothing answers at HOST. ${CHECK}`],
	[/^ENOTFOUND/, `The name of HOST is not known. ${CHECK}`, true],
	[/^EPROTO/, NO_TLS],
	[/^ERR_SSL_/, NO_TLS, true],
	[/^HPE_/, `What answers at HOST is not a web serviceCODE. ${CHECK}`],
	[
		/^SsrfBlocked/,
		"n8n is set up not to connect to this host. Ask n8n's administrator",
		true,
	],
	[
		/^(CERT_|DEPTH_ZERO|SELF_SIGNED|ERR_TLS_CERT|UNABLE_TO_)/,
		"Nothing was sent to HOST, because its certificate is not trustedCODE. Have it replaced, or turn on 'Ignore SSL Issues (Insecure)' in the credential",
		true,
	],
	[/^/, `There was no connection to HOST, or it ended too earlyCODE. ${LATER}`],
];

/**
 * The error of a request without an answer. Only the code or name of `error` is used: the rest may hold the key. A Problem of ours,
 * such as those of `authenticate`, is unwrapped.
 *
 * @param error what n8n's request helper threw
 */
export function networkError(error: Error, root: string): Problem {
	const cause = (error.cause ?? error) as Record<string, unknown>;
	if (cause instanceof Problem) return cause;

	// n8n 2.8.4 drops the cause of its NodeApiError, and keeps the code.
	const code = String(cause.code ?? cause.httpCode ?? cause.name);
	const [, reason, isLasting = false] = NETWORK_REASONS.find(([codes]) =>
		codes.test(code),
	)!;
	const shown = /^[A-Z_][A-Z0-9_]+$/.test(code) ? ` (${code})` : '';
	const advice = reason.replace('CODE', shown);
	return new Problem(
		'The service could not be reached',
		advice.replace('HOST', () => new URL(root).host),
		{
			kind: isLasting ? undefined : 'temporarily-unavailable',
			concernsAll: isLasting,
		},
	);
}
