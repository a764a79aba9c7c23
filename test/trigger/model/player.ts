/** Plays a history: what happens to the service, to n8n and to its clock, one step after the other, each poll judged. */
import { Events } from './events';
import { ModelService } from './service';
import type { Setting, Step } from './steps';
import { HOUR } from './steps';
import { Triggers } from './triggers';
import { VirtualTime } from '../../helpers/virtualTime';
import { ModelWorld } from './world';

const NOON = Date.UTC(2026, 5, 1, 12);
const MINUTE = 60_000;
/** So many polls after the last step, with all mended: enough for a round of the largest team, and for one left out. */
const LAST_POLLS = 4;

export class Player {
	readonly time = new VirtualTime(NOON);
	readonly world = new ModelWorld(this.time);
	readonly service = new ModelService(this.world, this.time);
	readonly events = new Events(this.time, this.world, this.service);
	private readonly triggers: Triggers;

	constructor(
		private readonly setting: Setting,
		private readonly log: (line: string) => void = () => undefined,
	) {
		this.service.pageSize = setting.pageSize;
		this.service.overlaps = setting.overlaps;
		this.service.sendsDate = setting.sendsDate;
		this.service.listPage = setting.listPage;
		this.service.refusesEnd = setting.refusesEnd;
		for (const [key, team] of Object.entries({ ours: 'our team', rotated: 'our team', theirs: 'their team' })) {
			this.service.keys.set(key, team);
		}
		for (let i = 0; i < setting.people; i++) this.world.join('our team');
		for (const index of [0, 1]) {
			const theirs = this.world.join('their team');
			this.events.measured({ person: theirs, time: NOON - (1 + index) * HOUR, arrives: NOON - HOUR });
		}
		this.time.error = setting.clockHours * HOUR;
		this.triggers = new Triggers(this, setting, log);
	}

	/** @throws Broken */
	async play(steps: Step[]): Promise<number> {
		this.time.install();
		try {
			await this.triggers.begin();
			await this.time.pass(1);
			for (const step of steps) {
				this.log(JSON.stringify(step));
				await this.take(step);
				// No two things at one moment: what was first would be a matter of taste.
				await this.time.pass(1);
			}
			await this.finish();
			return this.triggers.emitted;
		} finally {
			this.time.uninstall();
		}
	}

	/** Everything is well again: what was promised must be there. */
	private async finish() {
		this.log('and in the end');
		this.time.error = 0;
		this.service.dateError = 0;
		this.service.faults.clear();
		for (const person of this.world.people) if (person.isGone) this.world.set(person, { isGone: false });
		this.triggers.mend();
		for (let poll = 0; poll < LAST_POLLS; poll++) {
			await this.time.pass(MINUTE);
			if (poll === LAST_POLLS - 2) this.service.latencyMs = 0;
			await this.triggers.poll();
		}
		this.triggers.mustBeAtWork();
	}

	private async take(step: Step) {
		const { service, time } = this;
		if (this.events.take(step, this.triggers.lookback)) return;
		switch (step.do) {
			case 'wait':
				await time.pass(step.minutes * MINUTE);
				break;
			case 'clock':
				time.error = step.hours * HOUR;
				break;
			case 'key':
				this.triggers.setKey(step.key);
				break;
			case 'slow':
				service.latencyMs = this.setting.budgetMs ? step.ms : 0;
				break;
			default:
				await this.triggers.take(step);
		}
	}
}
