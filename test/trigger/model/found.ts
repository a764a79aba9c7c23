/** Regression histories: those that broke a promise once, or that chance would not find. They run before all others. */
import type { Setting, Step } from './steps';

const measure = (more: Partial<Extract<Step, { do: 'measure' }>> = {}): Step => ({
	...{ do: 'measure', user: 0, source: 'omron cuff', ago: 0, late: 0 },
	...{ micro: '000', value: 100, when: 'past', ownId: false },
	...more,
});
const poll: Step = { do: 'poll', fault: undefined };
const killed: Step = { do: 'restart', how: 'kill', fault: undefined };

const wait = (minutes: number): Step => ({ do: 'wait', minutes });
const key = (of: 'ours' | 'theirs'): Step => ({ do: 'key', key: of });
const fails = (fault: Extract<Step, { do: 'break' }>['fault']): Step => ({ do: 'break', user: 0, fault });
const leave: Step = { do: 'leave', user: 0, after: 0 };
const comeBack: Step = { do: 'comeBack', user: 0, after: 0 };
const paste: Step = { do: 'paste', name: 'Node' };
const correct = (which: number, value: number): Step => ({ do: 'correct', which, value });
const twin = (which: number, value: number, ownId: boolean): Step => ({ do: 'twin', which, value, ownId });
const date = (hours: number): Step => ({ do: 'date', hours });
const clock = (hours: number): Step => ({ do: 'clock', hours });
const flood = (user: number): Step => ({ do: 'flood', user, rows: 5100 });

const FOUND: Record<string, [world: Partial<Setting>, steps: Step[]]> = {
	'A clock that was ahead is set right long after: what the window has passed over is read': [
		{ clockHours: 23 },
		[measure(), wait(1000), clock(0), poll],
	],
	"New User: n8n's clock and the service's go back a day together, and those who were there are not new": [
		{ event: 'user', sendsDate: true, people: 1 },
		[date(-23), clock(-23), poll],
	],
	'A clock ahead at the activation: who left the team and comes back loses no reading': [
		{ clockHours: 23, sendsDate: true, people: 3 },
		[measure(), leave, poll, comeBack, wait(30_000), correct(0, 100), poll],
	],
	'A clock ahead at a failed activation, then back: the window is not ahead for ever': [
		{ clockHours: 23, firstFault: { kind: '500', from: 1 } },
		[clock(-23), measure({ late: 0.9 }), poll, wait(5000)],
	],
	'A `Date` that is behind after a failed activation: what was measured since then is new': [
		{ people: 1, pageSize: 1, sendsDate: true, listPage: 2, firstFault: { kind: '500', from: 1 } },
		[date(-23), wait(1), measure(), twin(71, 100, false), measure(), correct(67, 7), poll, leave, correct(54, 4)],
	],
	'A user who failed from the beginning and recovered: a kill does not undo it': [
		{ people: 3, firstFault: { kind: '500', from: 4 } },
		[poll, measure({ user: 1 }), killed],
	],
	"Another team's key is noticed within one budget": [
		{ people: 1, budgetMs: 3000, pageSize: 1 },
		[key('theirs'), paste, key('ours'), { do: 'slow', ms: 900 }, measure(), measure({ micro: '500' }), wait(1)],
	],
	'A hanging user at the start of n8n does not use up more than the budget': [
		{ people: 1, budgetMs: 3000 },
		[fails('hang'), killed],
	],
	"Readings of one instant, the same values with and without the service's own id, in any order": [
		{ people: 1, pageSize: 1 },
		[measure(), twin(2, 101, true), twin(2, 100, true), poll, poll, poll],
	],
	"That another team's key came is not forgotten in memory": [
		{},
		[key('theirs'), poll, key('ours'), measure(), poll, killed],
	],
	"A start with another team's key, at which no user can be read, begins to watch that team": [
		{ scheduler: 'memory', people: 1, pageSize: 1 },
		[key('theirs'), { do: 'lookback', hours: 2 }, key('ours'), fails('500'), killed, wait(1), measure(), wait(1), poll],
	],
	'More rows than one poll emits': [
		{ scheduler: 'durable', people: 3, pageSize: 5000 },
		[flood(0), flood(2), wait(1), poll, measure({ user: 1 }), killed],
	],
	'A user who joins brings nothing older than the lookback, though the window moves back when another leaves': [
		{ sendsDate: true, people: 1 },
		[measure(), poll, { do: 'join', brings: [0.5, 1.2, 1.3], hours: 0, after: 0 }, leave, poll, poll],
	],
	'A user who was removed before the first read, and comes back, brings nothing from before the publication': [
		{ people: 1, pageSize: 1, listPage: 2 },
		[
			measure(),
			wait(361),
			fails('500'),
			{ do: 'join', brings: [0.5], hours: 0, after: 0 },
			paste,
			fails('removed'),
			wait(1),
			poll,
		],
	],
	'What went out of a user who leaves the team and comes back does not go out again': [
		{ people: 3, pageSize: 1, listPage: 2 },
		[measure(), poll, leave, poll, comeBack, poll],
	],
	"The service's clock is behind, and a listed user fails at first: the user is read": [
		{ people: 1, pageSize: 1, listPage: 2, sendsDate: true },
		[
			date(-23),
			{ do: 'watch', what: 'listed', fault: { kind: '500', from: 1 } },
			poll,
			measure(),
			poll,
			killed,
			wait(1),
		],
	],
	'A clock a year ahead, and first reads that fail: the pass is not done, and what was old stays old': [
		{ clockHours: 8760, sendsDate: true, pageSize: 1, listPage: 2 },
		[
			measure({ when: 'never' }),
			{ do: 'watch', what: 'listed', fault: { kind: 'html', from: 1 } },
			poll,
			poll,
			{ do: 'mendAll' },
		],
	],
};

export const found = Object.entries(FOUND).map(([name, [world, steps]]) => ({ name, world, steps }));

/** Where a history does not say otherwise. */
export const PLAIN: Setting = {
	...{ scheduler: 'memory', people: 2, budgetMs: undefined, pageSize: 3 },
	...{ overlaps: false, sendsDate: false, clockHours: 0, firstFault: undefined },
	...{ event: 'bloodPressure', listPage: 500, refusesEnd: false },
};
