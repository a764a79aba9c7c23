/**
 * How much one run may send: the gate that all its input items share, and its limits.
 */
import { Gate } from './gate';
import { Rate } from './rate';

/** Where the user does not say otherwise. */
export const CONCURRENT_REQUESTS = 8;

export interface Limits {
	/** Most requests on their way at once. */
	concurrency?: number;
	/** Most requests sent in a second: as many as there are, unless given. */
	requestsPerSecond?: number;
}

/** @param until by `performance.now()`: nothing waits longer for its turn */
export const gateFor = ({ concurrency = CONCURRENT_REQUESTS, requestsPerSecond }: Limits, until?: number) =>
	new Gate(concurrency, new Rate(requestsPerSecond, until));

const gates = new WeakMap<object, Gate>();

/** The gate shared by everything that has the same `run`, gone with it. The first one's limits count. */
export function gateOf(run: object, limits: Limits): Gate {
	const gate = gates.get(run) ?? gateFor(limits);
	gates.set(run, gate);
	return gate;
}
