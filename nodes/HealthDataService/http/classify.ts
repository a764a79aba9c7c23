/** Classification of answers by status and body (quirks 19, 20, 25), for retry, request queue, key check and errors. */
import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { Problem } from '../shared/problem';

/** The result of one request: a response with any status, or why there is none. */
export type Answer = IN8nHttpFullResponse | Problem;

/**
 * - `answered`: data, a redirect, or an error of this one request, such as 404 or 422.
 * - `denied`: the API key is invalid, or may not read this one user: `keyCheck.ts` finds out which.
 * - `throttled`: the service is overloaded: all requests wait.
 * - `transient`: a retry of this request may succeed.
 * - `failed`: no response, and a retry would fail for the same reason.
 */
export type Outcome =
	| 'answered'
	| 'denied'
	| 'throttled'
	| 'transient'
	| 'failed';

const STATUSES: Array<[Outcome, number[]]> = [
	['denied', [401, 403]],
	['throttled', [429, 503]],
	// 520 to 524 come from a proxy in front of the service.
	['transient', [408, 425, 500, 502, 504, 520, 521, 522, 523, 524]],
];

export function classify(answer: Answer): Outcome {
	if (answer instanceof Problem)
		return answer.isTransient ? 'transient' : 'failed';
	const outcome = classifyStatus(answer.statusCode);
	return outcome === 'answered' && isTruncated(answer) ? 'transient' : outcome;
}

export const classifyStatus = (status: number): Outcome =>
	STATUSES.find(([, statuses]) => statuses.includes(status))?.[0] ?? 'answered';

export const isRedirect = (status: number) => status >= 300 && status < 400;

/** Whether the same request may succeed later. */
export const isRetryable = (outcome: Outcome) =>
	outcome === 'throttled' || outcome === 'transient';

/**
 * Whether a JSON body is incomplete: the only sign of a connection without `Content-Length` that broke. n8n passes on a
 * string where it could not parse JSON.
 */
export function isTruncated({
	statusCode,
	headers,
	body,
}: IN8nHttpFullResponse): boolean {
	if (typeof body !== 'string') return false;
	const isMeantAsJson =
		statusCode < 300 && /\bjson\b/i.test(String(headers['content-type']));
	return (isMeantAsJson || looksLikeJson(body)) && endsTooEarly(body);
}

const looksLikeJson = (text: string) => /^\s*[{[]/.test(text);

/** Whether the error of JSON.parse (V8) is behind the last character. An earlier error would come again in a retry. */
function endsTooEarly(text: string) {
	try {
		JSON.parse(text);
		return false;
	} catch (error) {
		const { message } = error as Error;
		return (
			/^Un(terminated|expected end)/.test(message) ||
			Number(/position (\d+)/.exec(message)?.[1]) === text.length
		);
	}
}
