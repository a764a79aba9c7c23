/**
 * Turns what the service answered into a Problem: whose matter it is, and what to do about it.
 */
import { Problem, type Kind } from '../shared/problem';
import { inWords } from './quote';
import { isTransientStatus } from './transient';

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

/**
 * Answers with a status outside 200-299. The contract leaves their bodies open, so any shape is survived (quirks 16-20).
 *
 * @param sent what the request was made of, of which nothing is repeated
 */
export function explainStatus(status: number, body: unknown, sent: string[]): Problem {
	const { field, said } = readDetail(body, sent);
	const theySay = said ? `The service says: ${said}. ` : '';
	const problem = (message: string, advice: string, kind?: Kind, concernsAll?: boolean) =>
		new Problem(message, theySay + advice, { kind, httpCode: String(status), concernsAll });

	if (status === 401) return keyRefused(status);
	if (status === 403) {
		return problem(
			"The service refuses this user's data (status 403)",
			"The key itself is accepted. Ask the people who run the service whether your team may read this user's data",
		);
	}
	if (status === 404) {
		return problem(
			'The service has nothing at this address (status 404)',
			"Check 'Base URL' in the credential",
			undefined,
			true,
		);
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

/** Whatever the body says: some services repeat the key in it. */
export const keyRefused = (status: number) =>
	new Problem(
		`The service did not accept the API key (status ${status})`,
		"Check 'API Key' and 'Base URL' in the credential together: a key only works in the environment it was made for",
		{ kind: 'credential-invalid', httpCode: String(status) },
	);

/**
 * FastAPI's `detail` as one sentence: a string, a list of `{type, loc, msg}`, an object with a message, or absent (quirk 17).
 * The `input` that FastAPI echoes is left out: it may hold an identifier.
 */
function readDetail(body: unknown, sent: string[]): { field?: string; said?: string } {
	const detail = (body as { detail?: unknown } | null)?.detail;
	const first = Array.isArray(detail) ? detail[0] : detail;
	if (typeof first === 'string') return { said: inWords(first, undefined, sent) };

	const { loc, msg, error_message, message, type } = (first ?? {}) as Record<string, unknown>;
	const parameter = Array.isArray(loc) ? String(loc.at(-1)) : '';
	return {
		field: Object.hasOwn(PARAMETER_LABELS, parameter) ? PARAMETER_LABELS[parameter] : undefined,
		said: inWords(msg ?? error_message ?? message, type, sent),
	};
}

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

/** An answer that began as JSON and broke off (quirk 25). */
export const cutOff = () =>
	new Problem(
		'The answer of the service was cut off',
		'Try again later. If it stays, ask the people who run the service',
		{
			kind: 'temporarily-unavailable',
			httpCode: '200',
		},
	);
