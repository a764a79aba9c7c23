/** Service of the client's tests: n8n's request helper, which answers as a test says. */
import type { IExecuteSingleFunctions } from 'n8n-workflow';

export type Helper = (this: { getExecutionCancelSignal(): AbortSignal }) => Promise<unknown>;

export const contextWith = (helper: Helper, signal?: AbortSignal) =>
	({
		getCredentials: async () => ({ baseUrl: 'https://health.example', apiKey: 'key' }),
		continueOnFail: () => false,
		getExecutionCancelSignal: () => signal,
		helpers: { httpRequestWithAuthentication: helper },
	}) as unknown as IExecuteSingleFunctions;

type Given = { statusCode?: number; headers?: object; body?: unknown };
/** A service that gives these answers by path; what n8n was asked to send. */
export function playing(answers: (path: string) => Given | Error, continues = false) {
	const sent: Array<Record<string, unknown> & { url: string }> = [];
	const context = contextWith(async () => ({}));
	Object.assign(context, {
		continueOnFail: () => continues,
		helpers: {
			httpRequestWithAuthentication: async (_: string, request: (typeof sent)[number]) => {
				sent.push(request);
				const given = answers(request.url.replace('https://health.example', ''));
				if (given instanceof Error) throw given;
				return { statusCode: 200, headers: {}, body: {}, ...given };
			},
		},
	});
	return { context, sent, urls: () => sent.map(({ url }) => url.replace('https://health.example', '')) };
}
