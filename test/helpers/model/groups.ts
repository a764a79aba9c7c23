/** Groups that a trigger watches, in the current state of the world. */
import { Group } from './group';
import { groupKey, type Measured, type ModelWorld, type Person } from './world';

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
