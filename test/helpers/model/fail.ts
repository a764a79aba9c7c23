/** Failure report of the oracle. */
export class Broken extends Error {}

export function fail(what: string, about?: object): never {
	throw new Broken(about ? `${what}: ${JSON.stringify(about)}` : what);
}
