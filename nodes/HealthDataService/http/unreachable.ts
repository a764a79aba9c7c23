/**
 * Why there was no answer, in words: only the code of what n8n's request helper threw is used, for the rest of it may
 * hold the key.
 */
import { Problem } from '../shared/problem';
import { isTransientCode } from './transient';

const CHECK = "Check 'Base URL' in the credential";
const LATER = 'Try again later';

/** Certificates that are not trusted, by the beginning of their code. */
const CERTIFICATES: Array<[RegExp, string]> = [
	[/^CERT_HAS_EXPIRED/, 'it has expired'],
	[/^CERT_NOT_YET_VALID/, 'it is not valid yet'],
	[/^CERT_REVOKED/, 'it was revoked'],
	[/^(DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED)/, 'it is signed by nobody but itself'],
	[/^ERR_TLS_CERT_ALTNAME/, 'it is for another name'],
	[/^UNABLE_TO_/, 'nobody knows who signed it'],
	[/^CERT_/, 'it does not fit'],
];

const SENTENCES: Record<string, (host: string) => string> = {
	EAI_AGAIN: (host) => `The name of ${host} could not be looked up. ${LATER}`,
	ECONNABORTED: (host) => `${host} did not answer in time. ${LATER}, or raise 'Timeout' in the request options`,
	ECONNREFUSED: (host) => `Nobody answers at ${host}. ${CHECK}`,
	ECONNRESET: (host) => `${host} closed the connection before its answer was complete. ${LATER}`,
	EHOSTUNREACH: (host) => `There is no way to ${host} from here. ${CHECK}`,
	ENETUNREACH: (host) => `There is no way to ${host} from here. ${CHECK}`,
	ENOTFOUND: (host) => `The name of ${host} is not known. ${CHECK}`,
	EPROTO: (host) => `${host} does not speak the encryption that https:// needs. ${CHECK}`,
	ERR_BAD_RESPONSE: (host) => `The answer of ${host} was cut off. ${LATER}`,
	ERR_SSL_WRONG_VERSION_NUMBER: (host) => `${host} does not speak the encryption that https:// needs. ${CHECK}`,
	ETIMEDOUT: (host) => `${host} did not answer in time. ${LATER}`,
};

/** What n8n's request helper threw, told. A Problem of ours that it only passed on comes out as it is. */
export function explainUnreachable(error: Error, root: string): Problem {
	const cause = (error.cause ?? error) as { code?: unknown; name?: unknown };
	if (cause instanceof Problem) return cause;

	const code = typeof cause.code === 'string' ? cause.code : undefined;
	const isForbidden = /^SsrfBlocked/.test(String(cause.name));
	const isLasting = isForbidden || !isTransientCode(code);
	return new Problem(
		'The service could not be reached',
		isForbidden ? "n8n is set up not to connect to this host. Ask n8n's administrator" : sentence(code, root),
		{ kind: isLasting ? undefined : 'temporarily-unavailable', concernsAll: isLasting },
	);
}

function sentence(code = '', root: string): string {
	const { host } = new URL(root);
	const [, untrusted] = CERTIFICATES.find(([codes]) => codes.test(code)) ?? [];
	if (untrusted) {
		const advice = "Have it mended, or turn on 'Ignore SSL Issues (Insecure)' in the credential";
		return `Nothing was sent to ${host}, because its certificate is not trusted: ${untrusted}. ${advice}`;
	}
	if (Object.hasOwn(SENTENCES, code)) return SENTENCES[code](host);
	const shown = /^[A-Z_]+$/.test(code) ? ` (${code})` : '';
	return `The connection to ${host} ended without an answer${shown}. ${LATER}`;
}
