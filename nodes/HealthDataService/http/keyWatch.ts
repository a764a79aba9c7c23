/**
 * Whose fault a refusal is: 401, or a 403 that the user list answers with too, is the key, and ends it for everybody; any other
 * 403 is about one user. Found out while the request still has its place in the gate, so that no other goes out meanwhile.
 */
import { keyRefused } from './explain';
import type { Gate } from './gate';
import type { Send } from './send';

/** @param probe asks an address, ahead of all others */
export function keyWatch(gate: Gate, root: string, probe: (url: string) => Promise<unknown>) {
	const list = `${root}/v2/user`;
	const isList = (url: string) => [list, `${list}/`].includes(url.split('?')[0]);
	const ask = async () => await gate.askOnce(async () => await probe(`${list}?limit=1`));

	return {
		/** `send`, looking at what comes back. */
		watched:
			(send: Send): Send =>
			async (url) => {
				const answer = await send(url);
				const status = 'response' in answer ? answer.response.statusCode : 0;
				if (status === 401 || (status === 403 && isList(url))) gate.end(keyRefused(status));
				else if (status === 403) void ask();
				return answer;
			},

		/** Waits until it is known whose fault it was; if it was the key's, the gate is over. */
		verdict: ask,
	};
}
