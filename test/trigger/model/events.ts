/** Events at the service of a history. */
import type { UserFault } from './faults';
import type { ModelService } from './service';
import { HOUR, type Step } from './steps';
import type { VirtualTime } from '../../helpers/virtualTime';
import type { Measured, ModelWorld, Person } from './world';

const pick = <T>(list: T[], at: number): T => list[at % list.length];

export class Events {
	/** Whether the trigger has a list, on which nobody is who joins. */
	joinsUnwatched = false;

	constructor(
		private readonly time: VirtualTime,
		private readonly world: ModelWorld,
		private readonly service: ModelService,
	) {}

	/** @returns whether it was one of these */
	take(step: Step, lookback: number): boolean {
		const { world, service, time } = this;
		const ours = world.people.filter(({ team }) => team === 'our team');
		switch (step.do) {
			case 'measure': {
				const ago = step.ago * lookback;
				const late = step.late <= 1 ? step.late * (lookback - ago) : step.late * lookback;
				const times = { past: time.now - ago, never: null, soon: time.now + ago, '2099': Date.UTC(2099, 0, 1) + ago };
				const at = times[step.when as keyof typeof times];
				const [provider, type] = step.source.split(' ');
				this.measured({
					...step,
					person: pick(ours, step.user),
					provider,
					type: type || null,
					time: at === null ? null : Math.floor(at / 1000) * 1000,
					micro: at === null ? '000' : step.micro,
					arrives: step.when === 'past' ? time.now + late : time.now,
					ownId: step.ownId ? `own ${world.readings.length}` : undefined,
				});
				break;
			}
			case 'flood':
				for (let i = 0; i < step.rows; i++) {
					this.measured({ person: pick(ours, step.user), time: time.now - i * 1000, arrives: time.now });
				}
				break;
			case 'twin': {
				const one = pick(world.readings, step.which);
				const ownId = step.ownId ? `own ${world.readings.length}` : undefined;
				if (one.time !== null) world.measure({ ...one, value: step.value, arrives: time.now, ownId });
				break;
			}
			case 'correct':
				world.correct(pick(world.readings, step.which), step.value);
				break;
			case 'remove':
			case 'restore':
				world.remove(pick(world.readings, step.which), step.do === 'remove');
				break;
			case 'join':
				this.soon(step.after, () => this.join(step, lookback));
				break;
			case 'leave':
			case 'comeBack':
				this.soon(step.after, () => {
					// An empty list does not show its team, nor that the key is another team's.
					if (step.do === 'comeBack' || ours.filter(({ isListed }) => isListed).length > 1)
						world.set(pick(ours, step.user), { isListed: step.do === 'comeBack' });
				});
				break;
			case 'date':
				service.dateError = step.hours * HOUR;
				break;
			case 'break':
				this.setFault(pick(ours, step.user), step.fault);
				break;
			case 'mend':
				this.setFault(pick(ours, step.user), undefined);
				break;
			case 'mendAll':
				for (const person of ours) this.setFault(person, undefined);
				break;
			default:
				return false;
		}
		return true;
	}

	private soon(ms: number, happen: () => void) {
		if (ms === 0) happen();
		else this.time.after(ms, happen);
	}

	private join({ brings, hours }: { brings: number[]; hours: number }, lookback: number) {
		const { now } = this.time;
		const person = this.world.join('our team', now - hours * HOUR);
		person.isUnwatched = this.joinsUnwatched;
		for (const ago of brings)
			this.measured({ person, time: Math.floor((now - ago * lookback) / 1000) * 1000, arrives: now });
	}

	/** Unless there is one that shares all that makes it the same one. */
	measured(one: Partial<Measured> & Pick<Measured, 'person' | 'time' | 'arrives'>) {
		const { person, time, arrives, provider = 'omron', type = 'cuff', micro = '000', value = 100, ownId } = one;
		const reading = { person, provider, type, time, micro, ownId, arrives, value };
		if (this.world.groupOf(reading).length === 0) this.world.measure(reading);
	}

	private setFault(person: Person, fault?: UserFault) {
		if (fault) this.service.faults.set(person, fault);
		else this.service.faults.delete(person);
		const isGone = fault === 'removed';
		if (person.isGone !== isGone) this.world.set(person, { isGone });
	}
}
