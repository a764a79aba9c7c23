/** Groups that a trigger watches: readings of one user, source and instant (mostly one), and a table of them by `row_id`. */
import { fail, type Row } from './judged';
import { valueAt, type Measured, groupKey, type ModelWorld, type Person } from './world';

export class Group {
	readings: Measured[] = [];
	/** When all of it was last read. */
	readAt = -Infinity;
	private readonly table = new Map<string, number>();
	/** What was there when its user was first read; undefined before. */
	private old?: number[];
	/** Whether that changed just then. */
	private isOldUnsure = false;
	/** What was there then may have passed the lookback: not emitted, but known, so that a later row of it is a correction. */
	private wasLate = false;

	constructor(readonly key: string) {}

	/** Whether any of it went out. */
	get isInTable() {
		return this.table.size > 0;
	}

	/** Whether the first read of its user has surely seen it as old. */
	get isKnown() {
		return !this.isOldUnsure && (this.old?.length ?? 0) > 0;
	}

	hasChanged(after: number, until: number): boolean {
		return this.readings.some(({ seen }) => seen.some(({ from }) => from > after && from <= until));
	}

	lastChange(until: number): number | undefined {
		const all = this.readings.flatMap(({ seen }) => seen.map(({ from }) => from).filter((from) => from <= until));
		return all.length > 0 ? Math.max(...all) : undefined;
	}

	/** Its user is read for the first time: what is there now, and did not go out, is old. */
	begin(at: number, { isNew, isUnsure, isLate }: { isNew: boolean; isUnsure: boolean; isLate: boolean }) {
		this.isOldUnsure = isUnsure;
		this.wasLate = isLate;
		const values = this.readings.map((one) => valueAt(one, at)).filter((value) => value !== undefined);
		this.old = isNew ? [] : values;
	}

	/** @param isReached whether it reaches a minimum @param changedAt when the minimums did */
	emit(row: Row, reading: Measured, isReached: boolean, changedAt: number) {
		const before = this.table.get(row.id);
		if (before === row.code) fail('the same went out twice', row);
		if (before === undefined && !isReached) fail('a row reaches no minimum, and did not go out before', row);
		if (this.readings.length === 1) this.judgeSingle(row);
		else if (changedAt < this.readAt && !this.hasChanged(this.readAt, Infinity))
			fail('readings of one instant went out though nothing had changed', row);
		if (before !== undefined && row.change !== 'updated') fail('an id that was there is not called updated', row);
		for (const [id, value] of this.table) {
			const isThere = id !== row.id && value === row.code && this.readings.length === 1;
			if (isThere) fail(`reading ${reading.nr} went out under two ids`, row);
		}
		this.table.set(row.id, row.code);
	}

	private judgeSingle(row: Row) {
		const isFirst = this.table.size === 0;
		const isSureOld = isFirst && !this.isOldUnsure && this.old?.length === 1;
		if (isSureOld && this.old![0] === row.code && !this.hasGone) fail('something old went out', row);
		const isNew = isFirst && this.old?.length === 0 && !this.isOldUnsure && !this.wasLate;
		if (isNew && row.change !== 'created') fail('a new reading is called updated', row);
	}

	/** Whether it was ever taken back, or had another value. */
	private get hasGone() {
		return this.readings.some(({ seen }) => seen.length > 1);
	}

	/** A table by `row_id` must contain all of this now: what reaches a minimum, and of a reading that went out, whatever it is now. */
	mustHold(values: number[], one: Measured, isReached: (value: number) => boolean) {
		if (this.isOldUnsure && !this.isInTable) return;
		const isSingle = this.readings.length === 1;
		const held = [...this.table.values()];
		// What was old and has stayed so never went out.
		if (!this.isInTable || !isSingle) held.push(...(this.old ?? []));
		for (const value of new Set(values)) {
			const isPromised = isReached(value) || (this.isInTable && isSingle);
			if (isPromised && !held.includes(value))
				fail('a reading or correction did not go out', { reading: one.nr, key: this.key, value, held });
		}
	}
}

export class Groups {
	private readonly groups = new Map<string, Group>();

	constructor(private readonly world: ModelWorld) {}

	of(reading: Measured): Group {
		const key = groupKey(reading);
		const group = this.groups.get(key) ?? new Group(key);
		this.groups.set(key, group);
		group.readings = this.world.groupOf(reading);
		return group;
	}

	ofPerson(person: Person, isWanted: (reading: Measured) => boolean): Set<Group> {
		const theirs = this.world.readings.filter((one) => one.person === person && isWanted(one));
		return new Set(theirs.map((one) => this.of(one)));
	}
}
