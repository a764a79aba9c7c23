/** Oracle of *New User*: who must and must not be emitted, from the list alone. */
import { fail } from './fail';
import { isInScope, type Judge, type Poll, type Scope } from './judged';
import type { ModelWorld, Person } from './world';

export class NewUsers implements Judge {
	/** Listed when watching began, or emitted, and without a break since. */
	private readonly known = new Set<Person>();
	private readonly emitted = new Set<Person>();
	/** Whoever comes back counts as new, or not, if nobody noticed. Who joined before the list was first read may be old. */
	private readonly unsure = new Set<Person>();
	/** The list was read to its end, and that was saved. */
	private isListRead = false;
	private willBeRead = false;
	isFirstRound = true;

	constructor(
		private readonly world: ModelWorld,
		readonly scope: Scope,
		private readonly since: number,
		private readonly clockError: number,
	) {
		// With a clock that was behind, users of that time look new where the publication could not read the list.
		const surelyOld = since - Math.abs(clockError);
		for (const one of world.people) {
			if (one.isListed) (one.createdOn <= surelyOld ? this.known : this.unsure).add(one);
		}
	}

	save() {
		this.isListRead = this.willBeRead;
	}

	forget() {
		this.willBeRead = this.isListRead;
	}

	goBack = () => undefined;
	changeLookback = () => undefined;
	changeLimits = () => undefined;

	judge({ rows, isKept, isHit, isQuick, listed, dateError, clockError }: Poll) {
		for (const { userId } of rows) {
			const one = this.world.people.find((person) => person.userId === userId);
			if (!one || !isInScope(this.scope, one)) fail('a user of another team was emitted', { userId });
			if (this.known.has(one)) fail(this.emitted.has(one) ? 'a user twice' : 'a user who was there before', { userId });
			this.known.add(one);
			this.emitted.add(one);
		}
		for (const one of this.world.people) {
			if (!one.isListed && this.known.delete(one)) this.unsure.add(one);
		}
		const seen = [...listed];
		if (!isKept || isHit || !isQuick || seen.length === 0) return;
		for (const one of seen) {
			if (!isInScope(this.scope, one) || this.known.has(one) || this.unsure.has(one)) continue;
			const isWrongNow = dateError !== 0 || clockError !== 0;
			const mayLookOld = isWrongNow || one.createdOn <= this.since + Math.abs(this.clockError);
			if (!this.isListRead && mayLookOld) this.unsure.add(one);
			else fail('a user who joined was not emitted', { nr: one.nr });
		}
		this.isFirstRound = false;
		this.willBeRead = true;
	}
}
