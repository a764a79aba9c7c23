/**
 * What is saved with the workflow between polls, and in which version. Another `version` starts afresh, so a change of this
 * shape must carry the old one over.
 */
export interface TriggerState {
	version: 1;
	/** What is watched: event, users, provider, service. Something else starts afresh. */
	of: string;
	/** Start of the window that `seen` covers, in ms. Only moves forward: nothing before it is looked at again. */
	from: number;
	/** When watching began, in ms, until a first poll is complete: what was measured up to then is old. */
	since?: number;
	/** Hour since 1970 → what was seen of it. */
	seen: Record<string, string>;
}

/** @param now ms @param lookback ms */
export const startState = (watched: string, now: number, lookback: number): TriggerState => ({
	version: 1,
	of: watched,
	from: now - lookback,
	since: now,
	seen: {},
});

/** Whether this was saved of the same events, in a version that is understood. */
export function isStateOf(stored: unknown, watched: string): stored is TriggerState {
	const state = stored as TriggerState | undefined;
	return state?.version === 1 && state.of === watched;
}
