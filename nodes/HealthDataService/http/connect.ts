/**
 * The one way to send a request: node, trigger and pickers all read the service through `connect`.
 */
import {
	sleep,
	type DeclarativeRestApiSettings,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IExecuteSingleFunctions,
	type IHttpRequestOptions,
	type ILoadOptionsFunctions,
	type IN8nHttpFullResponse,
	type IPollFunctions,
} from 'n8n-workflow';
import { serviceRoot, type ServiceCredential } from './baseUrl';
import { codeOf, explainBody, explainStatus, explainUnreachable, isObject } from './explain';
import { Gate, type Outcome } from './gate';
import { Problem } from '../shared/problem';
import { isRedirect, redirectTarget, strayRedirect } from './redirect';
import { backoff, isPassingCode, isPassingStatus, isRefusal, patience, toldWait } from './retry';

const CREDENTIAL = 'healthDataServiceApi';

/** Somebody waits for a picker: better an early error than a late list. */
export const WHILE_TYPING = { tries: 2, inAll: 5_000 };

export type Query = Record<string, string | number | undefined>;

/**
 * GETs `path` (contract section 4, already percent-encoded) and gives the JSON object that came back.
 * Blank query values are not sent. Throws a Problem for everything else; `onMissing` answers for a 404.
 */
export type Get = <T = never>(path: string, query?: Query, onMissing?: () => T) => Promise<IDataObject | T>;

interface Connection {
	/** What the node's description and the user's Request Options say: headers, timeout, proxy, SSL. */
	defaults?: DeclarativeRestApiSettings.HttpRequestOptions;
	/** Shared by all that must not send too much together. */
	gate?: Gate;
	/** How often a request is sent at most, and for how many milliseconds it is tried in all. */
	tries?: number;
	inAll?: number;
}

type Context = IExecuteSingleFunctions | ILoadOptionsFunctions | IPollFunctions;

/** What became of one request. */
type Answer = { response: IN8nHttpFullResponse } | { failure: Error };

/** The credential, and the address of the service it names. */
export async function readCredential(context: Context) {
	const data = await context.getCredentials<ICredentialDataDecryptedObject & ServiceCredential>(CREDENTIAL);
	return { data, root: serviceRoot(data) };
}

/**
 * Reads the credential and gives the `get` for it. What can pass is tried again (quirks 19, 20), through the gate.
 *
 * @throws Problem when the credential's Base URL cannot be used
 */
export async function connect(
	context: Context,
	{ defaults = {}, gate = new Gate(1), tries = patience.tries, inAll = patience.inAll }: Connection = {},
): Promise<Get> {
	const { data, root } = await readCredential(context);
	const goesOnAfterErrors = 'continueOnFail' in context && context.continueOnFail();
	const signal = 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;

	const send = async (url: string): Promise<Answer> => {
		try {
			const response = await context.helpers.httpRequestWithAuthentication.call(
				context,
				CREDENTIAL,
				{
					...defaults,
					method: 'GET',
					url,
					json: true,
					returnFullResponse: true,
					// Statuses are explained, and redirects followed, by us.
					ignoreHttpStatusErrors: true,
				} as IHttpRequestOptions,
				// Hands over the credential that was just read; n8n would load and decrypt it again for every page.
				{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL, data } },
			);
			return { response };
		} catch (failure) {
			return { failure };
		}
	};

	/** One try, when there is room for it and nobody asked us to wait. */
	const sendInTurn = async (url: string): Promise<Answer> => {
		for (;;) {
			if (gate.pausedFor > 0) await wait(gate.pausedFor, signal);
			const pass = await gate.enter();
			let outcome: Outcome = 'unsent';
			try {
				stopIfCancelled(signal);
				// The run has failed already: nothing that came now would be seen.
				if (gate.givenUp && !goesOnAfterErrors) throw gate.givenUp;
				if (gate.pausedFor > 0) continue;
				const answer = await send(url);
				outcome = outcomeOf(answer);
				return answer;
			} finally {
				gate.leave(pass, outcome);
			}
		}
	};

	/** Tries again what can pass, then gives up with the reason of the last try. */
	const sendPatiently = async (url: string): Promise<IN8nHttpFullResponse> => {
		const begun = performance.now();
		for (let next = 2; ; next++) {
			const answer = await sendInTurn(url);
			stopIfCancelled(signal);
			const outcome = outcomeOf(answer);
			if (outcome === 'answered') return received(answer, root);

			const told = 'response' in answer ? toldWait(answer.response.headers['retry-after']) : undefined;
			const pause = told ?? backoff(outcome === 'refused' ? Math.max(next, gate.refusals + 1) : next);
			const waited = performance.now() - begun;
			if (next > tries || gate.givenUp || Math.max(waited, gate.failingFor) + pause > inAll) {
				gate.givenUp = givenUp(answer, root, next - 1, waited);
				throw gate.givenUp;
			}
			if (outcome === 'refused') gate.pause(pause);
			await wait(pause, signal);
		}
	};

	return async (path, query = {}, onMissing) => {
		const url = root + path + queryString(query);
		let response = await sendPatiently(url);
		if (isRedirect(response)) response = await sendPatiently(redirectTarget(response, url));
		if (isRedirect(response)) throw strayRedirect(response);

		const { statusCode, body } = response;
		if (statusCode === 404 && onMissing) return onMissing();
		if (statusCode < 200 || statusCode > 299) throw explainStatus(statusCode, body);
		if (!isObject(body)) throw explainBody(body);
		return body;
	};
}

function outcomeOf(answer: Answer): Outcome {
	if ('failure' in answer) return isPassingCode(codeOf(answer.failure)) ? 'failed' : 'answered';
	const { statusCode } = answer.response;
	if (isRefusal(statusCode)) return 'refused';
	return isPassingStatus(statusCode) ? 'failed' : 'answered';
}

function received(answer: Answer, root: string): IN8nHttpFullResponse {
	if ('failure' in answer) throw explainUnreachable(answer.failure, root);
	return answer.response;
}

function givenUp(answer: Answer, root: string, tries: number, waited: number): Problem {
	const { message, description, httpCode } =
		'failure' in answer
			? explainUnreachable(answer.failure, root)
			: explainStatus(answer.response.statusCode, answer.response.body);
	const times = tries === 1 ? 'once' : `${tries} times`;
	return new Problem(message, `Tried ${times} in ${Math.round(waited / 1000)} seconds. ${description}`, httpCode, true);
}

/** n8n's `sleep` cannot be woken: long waits are slept in parts, so that a cancelled execution ends soon. */
const LONGEST_SLEEP = 200;

async function wait(ms: number, signal?: AbortSignal): Promise<void> {
	for (let left = ms; left > 0; left -= LONGEST_SLEEP) {
		await sleep(Math.min(left, LONGEST_SLEEP));
		stopIfCancelled(signal);
	}
}

function stopIfCancelled(signal?: AbortSignal) {
	if (signal?.aborted) throw new Problem('The execution was cancelled', 'Nothing more was requested');
}

/** `+` and friends are percent-encoded (quirk 10); blanks are dropped, so that an empty field means "not set". */
function queryString(query: Query): string {
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		if (value !== undefined && value !== '') search.set(name, String(value));
	}
	return search.size ? `?${search}` : '';
}
