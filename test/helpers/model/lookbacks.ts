/** Lookback that counts for a measurement after a change of the option. */
export class Lookbacks {
	private readonly set: Array<{ from: number; ms: number }>;

	constructor(ms: number) {
		this.set = [{ from: -Infinity, ms }];
	}

	change(from: number, ms: number) {
		this.set.push({ from, ms });
	}

	get now() {
		return this.set.at(-1)!.ms;
	}

	get most() {
		return Math.max(...this.set.map(({ ms }) => ms));
	}

	get least() {
		return Math.min(...this.set.map(({ ms }) => ms));
	}

	/** Of a measurement first seen at `moment`. A longer one reaches no further back than the shorter one did when it was set. */
	at(moment: number, time: number): number {
		const until = this.set.filter(({ from }) => from <= moment);
		const reaches = until.every(({ from, ms }, i) => {
			const before = until[i - 1]?.ms ?? ms;
			return ms <= before || time >= from - before;
		});
		return reaches ? until.at(-1)!.ms : Math.min(...until.map(({ ms }) => ms));
	}
}
