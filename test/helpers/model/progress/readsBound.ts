/**
 * Bounds of progress: every reading goes out within two rounds, and no sound user is read more than twice as often as another
 * one needs.
 */
import { fail } from '../fail';

/** Rounds in which a reading must go out, also while several things are in trouble at once. */
const ROUNDS = 2;
const ROUNDS_WHILE_MIXED = 4;
const MOST_DIFFERENCE = 2;
const ROUNDING = 1e-9;

interface Pending {
	user: number;
	/** When it came, or its user was mended, in rounds. */
	since: number;
	poll: number;
}

export class ReadsBound {
	/** Rounds that could have been made. */
	private rounds = 0;
	private readonly pending = new Map<number, Pending>();
	/** Of each poll: by place, how often a user was read until then. */
	private readonly reads: number[][];
	/** Users who have ever failed. */
	private readonly unsound = new Set<number>();
	private readonly most: number;

	constructor(people: number, isMixed: boolean, isOverload: boolean) {
		this.most = isOverload ? Infinity : isMixed ? ROUNDS_WHILE_MIXED : ROUNDS;
		this.reads = [Array.from({ length: people }, () => 0)];
	}

	expect(nr: number, user: number, poll: number) {
		this.pending.set(nr, { user, since: this.rounds, poll });
	}

	/**
	 * @param rounds that this poll could have made, if all were sound
	 * @param emitted numbers of the readings
	 */
	judge(poll: number, rounds: number, emitted: number[], served: Set<number>, faulty: Set<number>) {
		this.rounds += Math.min(1, rounds);
		for (const nr of emitted) this.pending.delete(nr);
		for (const user of faulty) this.unsound.add(user);
		const before = this.reads.at(-1)!;
		this.reads.push(before.map((count, user) => count + (served.has(user) ? 1 : 0)));
		for (const [nr, one] of this.pending) {
			if (faulty.has(one.user)) one.since = this.rounds;
			else if (this.rounds - one.since >= this.most - ROUNDING)
				fail(`a reading of a sound user has not gone out within ${this.most} rounds`, { nr, ...one, now: poll });
		}
		this.judgeDifference(poll);
	}

	/** Over any stretch of polls up to this one. */
	private judgeDifference(poll: number) {
		const now = this.reads.at(-1)!;
		const sound = now.flatMap((_, user) => (this.unsound.has(user) ? [] : [user]));
		if (sound.length < 2) return;
		this.reads.forEach((then, from) => {
			const counts = sound.map((user) => now[user] - then[user]);
			const [least, most] = [Math.min(...counts), Math.max(...counts)];
			if (most - least > MOST_DIFFERENCE) {
				const users = [sound[counts.indexOf(least)], sound[counts.indexOf(most)]];
				fail('a sound user was read at least three times less than another', { users, least, most, from, poll });
			}
		});
	}

	/** @throws Broken where something has never gone out */
	judgeEnd() {
		for (const [nr, one] of this.pending) fail('a reading has never gone out', { nr, ...one });
	}
}
