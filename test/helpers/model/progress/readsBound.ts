/**
 * Bounds of progress: every reading goes out within two rounds, and no sound user is read more than twice as often as another
 * one needs; three times under a lasting limit.
 */
import { fail } from '../fail';
import { isLimited, type ProgressHistory } from './troubles';

/** Rounds in which a reading must go out. */
const ROUNDS = 2;
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
	/** Most by which the reads of two users may differ; none where a limit of all looks like limits of single users. */
	most: number;
	/** Whether a limit of all meets slow answers, or limits are of several kinds: they look alike, and nothing is promised. */
	private readonly isTwofold: boolean;

	constructor(history: ProgressHistory) {
		const { stretches, throttles, slownesses } = history;
		const ownLimits = stretches.filter(({ fault }) => /^(429|503)/.test(fault));
		const meetsAll = throttles.length > 0 && ownLimits.length + slownesses.length > 0;
		this.isTwofold = meetsAll || ownLimits.length > 1;
		const most = isLimited(history) ? 3 : 2;
		this.most = this.isTwofold ? Infinity : most;
		this.reads = [Array.from({ length: history.people }, () => 0)];
	}

	expect(nr: number, user: number, poll: number) {
		this.pending.set(nr, { user, since: this.rounds, poll });
	}

	/**
	 * @param rounds that this poll could have made, if all were sound
	 * @param emitted numbers of the readings
	 * @param aside users who have failed, and were not read since, @param turns polls that all of them take who hang
	 */
	judge(
		poll: number,
		rounds: number,
		emitted: number[],
		{ served, faulty, aside, turns }: { served: Set<number>; faulty: Set<number>; aside: Set<number>; turns: number },
	) {
		this.rounds += Math.min(1, rounds);
		for (const nr of emitted) this.pending.delete(nr);
		for (const user of faulty) this.unsound.add(user);
		const before = this.reads.at(-1)!;
		this.reads.push(before.map((count, user) => count + (served.has(user) ? 1 : 0)));
		for (const [nr, one] of this.pending) {
			const most = ROUNDS + (aside.has(one.user) ? turns : 0);
			if (faulty.has(one.user) || this.isTwofold) one.since = this.rounds;
			else if (this.rounds - one.since >= most - ROUNDING)
				fail(`a reading of a sound user has not gone out within ${most} rounds`, { nr, ...one, now: poll });
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
			const least = counts.reduce((one, two) => Math.min(one, two));
			const most = counts.reduce((one, two) => Math.max(one, two));
			if (most - least > this.most) {
				const users = [sound[counts.indexOf(least)], sound[counts.indexOf(most)]];
				fail(`a sound user was read ${most - least} times less than another`, { users, least, most, from, poll });
			}
		});
	}

	/** Of any user, after a poll. */
	mostSince(poll: number): number {
		const then = this.reads[poll + 1];
		return this.reads.at(-1)!.reduce((most, count, user) => Math.max(most, count - then[user]), 0);
	}

	/** @throws Broken where something has never gone out */
	judgeEnd() {
		for (const [nr, one] of this.pending) fail('a reading has never gone out', { nr, ...one });
	}
}
