/**
 * Turns what the service answered, or why it could not be reached, into a Problem.
 */
import { Problem, type Kind } from '../shared/problem';
import { isTransientCode, isTransientStatus } from './transient';

/** Query and path parameters as the fields are called on the screen. */
const PARAMETER_LABELS: Record<string, string> = {
	client_user_id: 'Client User ID',
	end_date: 'End Date',
	limit: 'Limit',
	offset: 'Skip First Users',
	provider: 'Provider',
	start_date: 'Start Date',
	user_id: 'User',
};

const LONGEST_QUOTE = 200;

/** Answers with a status outside 200-299. The contract leaves their bodies open, so any shape is survived (quirks 16-20). */
export function explainStatus(status: number, body: unknown): Problem {
	const { field, said } = readDetail(body);
	const theySay = said ? `The service says: ${said}. ` : '';
	const problem = (message: string, advice: string, kind?: Kind) =>
		new Problem(message, theySay + advice, { kind, httpCode: String(status) });

	if (status === 401 || status === 403) {
		return problem(
			`The service did not accept the API key (status ${status})`,
			"Check 'API Key' and 'Base URL' in the credential together: a key only works in the environment it was made for",
			'credential-invalid',
		);
	}
	if (status === 404) {
		return problem('The service has nothing at this address (status 404)', "Check 'Base URL' in the credential");
	}
	if (status === 400 || status === 422) {
		return problem(
			field ? `The service did not accept '${field}'` : 'The service did not accept the request',
			field ? `Check the value of '${field}'` : 'Check the values of the fields in this node',
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
		'Try again later. If it stays, ask the people who run the service',
		isTransientStatus(status) ? 'temporarily-unavailable' : undefined,
	);
}

/**
 * FastAPI's `detail` as one sentence: a string, a list of `{loc, msg}`, an object with a message, or absent (quirk 17).
 * The `input` that FastAPI echoes is left out: it may hold an identifier.
 */
function readDetail(body: unknown): { field?: string; said?: string } {
	const detail = (body as { detail?: unknown } | null)?.detail;
	const first = Array.isArray(detail) ? detail[0] : detail;
	if (typeof first === 'string') return { said: quote(first) };

	const { loc, msg, error_message, message } = (first ?? {}) as Record<string, unknown>;
	const parameter = Array.isArray(loc) ? String(loc[loc.length - 1]) : undefined;
	const said = [msg, error_message, message].find((text): text is string => typeof text === 'string');
	return { field: parameter && PARAMETER_LABELS[parameter], said: said && quote(said) };
}

const quote = (text: string) => text.trim().replace(/\.$/, '').slice(0, LONGEST_QUOTE);

/** A status of 200 around something that is not the contract's answer (quirk 21). */
export const notTheService = (body: unknown) =>
	typeof body === 'string' && /^\s*</.test(body)
		? wrongAnswer('A web page came back instead of data')
		: wrongAnswer("The service's answer is not the data that was asked for");

/** An answer without something that the contract promises (quirk 21). */
export const answerLacks = (field: string) => wrongAnswer(`The service's answer has no '${field}'`);

const wrongAnswer = (message: string) =>
	new Problem(
		message,
		"Check 'Base URL' in the credential: it must be the address of the Health Data Service itself, not of a web site or login page",
		{ httpCode: '200' },
	);

/** Node's name for why there was no answer, e.g. `ECONNREFUSED`, from what n8n's request helper threw. */
export const codeOf = (error: Error) => ((error.cause ?? error) as { code?: string }).code;

/** No answer at all. Only the error's code is used; the rest of it may hold the key. */
export function explainUnreachable(error: Error, root: string): Problem {
	const code = codeOf(error);
	const host = new URL(root).host;
	const advice: Record<string, string> = {
		ECONNABORTED: `${host} did not answer in time. Try again later, or raise 'Timeout' in the request options`,
		ECONNREFUSED: `Nothing answers at ${host}. Check 'Base URL' in the credential`,
		ENOTFOUND: `There is no host ${host}. Check 'Base URL' in the credential`,
		ETIMEDOUT: `${host} did not answer in time. Try again later, or raise 'Timeout' in the request options`,
	};
	return new Problem(
		'The service could not be reached',
		(code && advice[code]) ??
			`The connection to ${host} ended without an answer${code ? ` (${code})` : ''}. Try again later`,
		{ kind: isTransientCode(code) ? 'temporarily-unavailable' : undefined },
	);
}
