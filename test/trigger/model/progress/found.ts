/** Regression histories of progress: those that broke a promise once, and that chance seldom finds. They run before all others. */
import type { ProgressHistory, Stretch } from './troubles';

const PLAIN: ProgressHistory = {
	...{ kind: 'found', scheduler: 'memory', isLong: false, people: 3, scope: 'all', concurrency: 8 },
	...{ latencyMs: 0, isListQuick: false, everyMinutes: 1, jitterMs: 0, polls: 9 },
	...{ stretches: [], throttles: [], slownesses: [], readings: [{ poll: 1, user: 0 }] },
};
const limit = { from: 0, until: 15, requests: 5, minutes: 1, isSliding: false, isAnnounced: true };

const stretch = (from: number, until: number, place: number, count: number, fault: Stretch['fault']): Stretch => ({
	...{ from, until, place, count, fault },
});

const FOUND: Record<string, Partial<ProgressHistory>> = {
	'A poll time that looks like a start waits for the end of a Retry-After': {
		...{ scheduler: 'durable', isLong: true, people: 20, latencyMs: 200 },
		throttles: [{ ...limit, until: 1, requests: 7 }],
	},
	'One 429 of one user, while others hang': {
		...{ people: 9, concurrency: 1, polls: 6, throttles: [{ ...limit, until: 1 }] },
		stretches: [stretch(0, 7, 1, 6, 'hang'), stretch(3, 4, 0, 1, '429')],
	},
	'A 503 that comes too late for another attempt is told by the second poll': {
		...{ scheduler: 'durable', people: 20, everyMinutes: 10, latencyMs: 5000, concurrency: 1 },
		stretches: [stretch(1, 10, 0, 5, '503')],
	},
	'A user with a limit of its own is not told within an hour of a failure that is over': {
		...{ people: 14, everyMinutes: 10 },
		stretches: [stretch(2, 3, 0, 1, 'hang'), stretch(0, 10, 1, 1, '503 for 3600')],
	},
	'Retries for one user use up the limit of an hour': {
		everyMinutes: 60,
		throttles: [{ ...limit, minutes: 60 }],
		stretches: [stretch(0, 10, 1, 1, '500')],
	},
	'Of two users aside, the one whom the end of a poll cuts off comes first in the next': {
		...{ scheduler: 'durable', everyMinutes: 10, concurrency: 1, readings: [{ poll: 3, user: 1 }] },
		stretches: [stretch(0, 10, 0, 1, '500'), stretch(3, 4, 1, 1, 'hang')],
		slownesses: [{ from: 4, until: 10, latencyMs: 5000, spreadMs: 6500 }],
	},
	'Many who recover at once, with slow answers': {
		...{ scheduler: 'durable', people: 40, everyMinutes: 5, latencyMs: 2000, concurrency: 1 },
		...{ stretches: [stretch(0, 10, 0, 33, '422')], readings: [{ poll: 1, user: 32 }] },
	},
	'A limit that the sound users use up: who is aside has the next poll': {
		...{ throttles: [{ ...limit, requests: 4 }], readings: [{ poll: 3, user: 0 }] },
		stretches: [stretch(0, 2, 0, 1, '422')],
	},
	'Users whom a limit cuts off use it up by their retries': {
		...{ everyMinutes: 5, concurrency: 1, readings: [{ poll: 1, user: 2 }], stretches: [stretch(1, 10, 0, 2, '500')] },
		throttles: [{ ...limit, isAnnounced: false, isOfReadings: true }],
	},
	'A user aside who is cut off by the end of the poll has had a turn': {
		...{ scheduler: 'durable', everyMinutes: 10, latencyMs: 1400, concurrency: 1, readings: [{ poll: 1, user: 2 }] },
		stretches: [stretch(0, 5, 0, 3, '429'), stretch(0, 10, 1, 1, 'hang')],
	},
	'The poll that reaches the last users of a round names the limit that made it long': {
		...{ people: 14, everyMinutes: 30, polls: 14 },
		throttles: [{ ...limit, minutes: 10, isAnnounced: false }],
	},
	'A Retry-After counts from its answer on, not from when the reader looks at it': {
		scheduler: 'durable',
		throttles: [{ ...limit, until: 1 }],
		stretches: [stretch(0, 1, 0, 1, '500')],
	},
	'At a low rate, a user who failed has time for all requests of one read': {
		...{ scheduler: 'durable', scope: 'clients', everyMinutes: 10, polls: 6, rate: 0.1 },
		readings: [{ poll: 1, user: 2 }],
		stretches: [stretch(0, 5, 2, 1, '500')],
	},
	'A poll that finds all users read begins the next pass': {
		...{ scheduler: 'durable', scope: 'clients', polls: 6, rate: 0.15 },
		stretches: [stretch(0, 2, 2, 1, 'hang')],
	},
	'Many who hang take turns, the oldest try first': {
		...{ people: 6, polls: 12, concurrency: 1 },
		readings: [{ poll: 1, user: 4 }],
		stretches: [stretch(0, 13, 0, 4, 'hang'), stretch(0, 3, 4, 1, 'hang')],
	},
	'A user does not fail while others who hang take all requests': {
		...{ scheduler: 'durable', scope: 'clients', latencyMs: 1400, concurrency: 1, everyMinutes: 60, people: 7 },
		stretches: [stretch(0, 10, 3, 1, 'resolve hang')],
	},
	'Readings have a limit of their own: each poll goes on where the last one ended': {
		...{ people: 20, everyMinutes: 10, latencyMs: 20, polls: 14, readings: [{ poll: 1, user: 19 }] },
		throttles: [{ ...limit, minutes: 10, isAnnounced: false, isOfReadings: true }],
	},
	'A limit ends just when it is compared: those who met it are the first of the next poll': {
		...{ people: 20, everyMinutes: 10, latencyMs: 1400, polls: 14 },
		throttles: [{ ...limit, requests: 10, isAnnounced: true }],
	},
	'Who alone is limited costs the others no poll': {
		people: 20,
		everyMinutes: 30,
		polls: 6,
		stretches: [{ ...stretch(0, 7, 0, 10, '429'), isEverySecond: true }],
	},
	'A list of one entry, who fails for a while: each poll tries, and reports instead of failing': {
		...{ scheduler: 'durable', scope: 'clients', people: 1, everyMinutes: 30, polls: 14, rate: 0.1 },
		...{ readings: [{ poll: 1, user: 0 }], stretches: [stretch(0, 15, 0, 1, '500')] },
	},
	'A start whose end one who hangs has passed: the next poll begins a pass': {
		...{ scope: 'clients', people: 1, everyMinutes: 60, rate: 0.1, stretches: [stretch(0, 1, 0, 1, 'hang')] },
	},
	'Of the users aside, one who can be read again needs two requests': {
		...{ scheduler: 'durable', scope: 'clients', latencyMs: 1400, concurrency: 1, everyMinutes: 60, people: 7 },
		readings: [{ poll: 1, user: 2 }],
		stretches: [stretch(0, 3, 2, 1, 'resolve hang'), stretch(0, 10, 3, 1, 'resolve hang')],
	},
	'A new pass in the middle of a poll: nobody was read in it with whom a Retry-After could be compared': {
		...{ scheduler: 'durable', everyMinutes: 20, polls: 14, latencyMs: 200, concurrency: 1 },
		slownesses: [{ from: 2, until: 4, latencyMs: 5000, spreadMs: 6500 }],
		stretches: [stretch(3, 15, 0, 1, '503 for 3600')],
	},
	'Who failed and meets a limit in each poll that ends is due again': {
		...{ people: 14, everyMinutes: 20, polls: 14, latencyMs: 1400, stretches: [stretch(1, 2, 0, 1, '500')] },
		throttles: [{ ...limit, from: 1, requests: 7 }],
	},
};

export const foundProgress = Object.entries(FOUND).map(([name, own]): [string, ProgressHistory] => [
	name,
	{ ...PLAIN, ...own },
]);
