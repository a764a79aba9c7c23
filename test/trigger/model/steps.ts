/** Steps of a history, in order. Numbers select among the existing items. */
import fc from 'fast-check';
import { FAULTS, USER_FAULTS, type Fault } from './faults';
import { CODES } from './values';

export const HOUR = 3_600_000;
export const LOOKBACK_HOURS = 6;

const does = <T extends string, R extends object>(name: T, fields: { [K in keyof R]: fc.Arbitrary<R[K]> }) =>
	fc.record({ do: fc.constant(name), ...fields }) as fc.Arbitrary<{ do: T } & R>;
const nothing = <T extends string>(name: T) => does<T, object>(name, {});
const which = fc.nat(99);
const value = fc.constantFrom(...CODES);
const fault = fc.option(fc.record({ kind: fc.constantFrom(...FAULTS), from: fc.integer({ min: 1, max: 5 }) }), {
	freq: 4,
	nil: undefined,
});

const measure = does<
	'measure',
	{
		user: number;
		source: string;
		ago: number;
		late: number;
		micro: string;
		value: number;
		when: string;
		ownId: boolean;
	}
>('measure', {
	user: fc.nat(9),
	source: fc.constantFrom('omron cuff', 'omron phone', 'withings cuff', 'withings '),
	/** Of the lookback: how long before now, and how late it arrives. */
	ago: fc.double({ min: 0, max: 1, noNaN: true }),
	late: fc.constantFrom(0, 0, 0.2, 0.9, 1, 1.5, 3),
	micro: fc.constantFrom('000', '001', '500'),
	value,
	when: fc.constantFrom('past', 'past', 'past', 'past', 'past', 'past', 'never', 'soon', '2099'),
	ownId: fc.boolean(),
});

/** At once, or while the next poll is under way. */
const after = fc.constantFrom(0, 0, 0, 200, 500);

const people = [
	/** With readings of before, so many lookbacks old, and created so many hours ago. */
	does<'join', { brings: number[]; hours: number; after: number }>('join', {
		brings: fc.array(fc.constantFrom(0.5, 1.5, 2, 3, 40), { maxLength: 3 }),
		hours: fc.constantFrom(0, 0, 1, 100),
		after,
	}),
	does<'leave' | 'comeBack', { user: number; after: number }>('leave', { user: which, after }),
	does<'comeBack', { user: number; after: number }>('comeBack', { user: which, after }),
];

const ofUsers = [
	does<'break', { user: number; fault: (typeof USER_FAULTS)[number] }>('break', {
		user: which,
		fault: fc.constantFrom(...USER_FAULTS),
	}),
	does<'break', { user: number; fault: (typeof USER_FAULTS)[number] }>('break', {
		user: which,
		fault: fc.constantFrom(...USER_FAULTS),
	}),
	does<'mend', { user: number }>('mend', { user: which }),
	nothing('mendAll'),
];

const ofAll = [
	does<'date', { hours: number }>('date', { hours: fc.constantFrom(-23, -5, 0) }),
	does<'clock', { hours: number }>('clock', { hours: fc.constantFrom(-23, -5, 0, 0, 0, 1, 5, 23, 72, 8760) }),
	does<'key', { key: string }>('key', { key: fc.constantFrom('ours', 'ours', 'rotated', 'theirs', 'wrong') }),
	does<'slow', { ms: number }>('slow', { ms: fc.constantFrom(0, 0, 300, 900) }),
];

const restart = does<'restart', { how: string; fault: Fault | undefined }>('restart', {
	how: fc.constantFrom('kill', 'kill', 'activate', 'leader'),
	fault,
});
const node = [
	restart,
	does<'killDuring', { after: number }>('killDuring', { after: fc.constantFrom(0, 100, 500, 1000, 2000) }),
	does<'lookback', { hours: number }>('lookback', { hours: fc.constantFrom(2, 6, 12, 48) }),
	does<'watch', { what: string; fault: Fault | undefined }>('watch', {
		what: fc.constantFrom('all', 'all', 'one', 'omron', 'listed', 'clients'),
		fault,
	}),
	/** A user is added to the list of the node, or removed from it. */
	does<'list', { user: number }>('list', { user: which }),
	does<'rename', { name: string }>('rename', { name: fc.constantFrom('Node', 'Other', 'Third') }),
	does<'paste', { name: string }>('paste', { name: fc.constantFrom('Node', 'Other', 'Third') }),
	nothing('copy'),
];

const durable = [
	nothing('stale'),
	nothing('deliveryFails'),
	does<'abandon', { after: number }>('abandon', { after: fc.constantFrom(100, 500, 1000) }),
];

const STEPS = {
	// By hand: it takes a second.
	flood: does<'flood', { user: number; rows: number }>('flood', { user: which, rows: which }),
	measure,
	twin: does<'twin', { which: number; value: number; ownId: boolean }>('twin', { which, value, ownId: fc.boolean() }),
	correct: does<'correct', { which: number; value: number }>('correct', { which, value }),
	remove: does<'remove', { which: number }>('remove', { which }),
	restore: does<'restore', { which: number }>('restore', { which }),
	people: fc.oneof(...people),
	wait: does<'wait', { minutes: number }>('wait', {
		minutes: fc.constantFrom(1, 10, 59, 200, 360, 1000, 5000, 30_000),
	}),
	poll: does<'poll', { fault: Fault | undefined }>('poll', { fault }),
	faults: fc.oneof(
		{ weight: ofUsers.length, arbitrary: fc.oneof(...ofUsers) },
		{ weight: ofAll.length, arbitrary: fc.oneof(...ofAll) },
	),
	ofUsers: fc.oneof(...ofUsers),
	node: fc.oneof(...node),
	restart,
	minimum: does<'minimum', { least?: number; most?: number }>('minimum', {
		least: fc.constantFrom(undefined, undefined, 102, 104),
		most: fc.constantFrom(undefined, undefined, 100),
	}),
	durable: fc.oneof(...durable),
	/** A list without users, or the right one. */
	emptyList: does<'emptyList', { isEmpty: boolean }>('emptyList', { isEmpty: fc.boolean() }),
	/** Resolve gives the ID of another user for an entry, or the right one. */
	resolve: does<'resolve', { entry: number; other?: number }>('resolve', {
		entry: fc.nat(2),
		other: fc.option(fc.nat(3), { nil: undefined, freq: 2 }),
	}),
	/** A part of the saved state is replaced, while n8n is down. */
	breakState: does<'breakState', { part: number; by: number }>('breakState', { part: fc.nat(999), by: fc.nat(99) }),
};
export type Weights = Partial<Record<keyof typeof STEPS, number>>;

const ANY: Weights = {
	...{ measure: 16, twin: 3, correct: 4, remove: 2, restore: 2, people: 3, wait: 8, poll: 14 },
	...{ faults: 7, node: 5, minimum: 3, durable: 2 },
};

const stepOf = (weights: Weights) =>
	fc.oneof(
		...Object.entries(weights).map(([name, weight]) => ({ weight, arbitrary: STEPS[name as keyof typeof STEPS] })),
	);

export type Step = (typeof STEPS)[keyof typeof STEPS] extends fc.Arbitrary<infer T> ? T : never;

/**
 * A history. It never has both another team's key and a service so slow, or a start that fails in the middle, that no user is read:
 * from outside, nothing shows whether such a poll has noticed the other team.
 */
export const stepsOf = (maxLength: number, weights = ANY) =>
	fc.array(stepOf(weights), { minLength: 5, maxLength, size: 'max' }).map((steps) => {
		const isOther = steps.some((one) => one.do === 'key' && one.key === 'theirs');
		if (!isOther) return steps;
		return steps
			.filter((one) => one.do !== 'slow')
			.map((one) => (one.do === 'restart' ? { ...one, fault: undefined } : one));
	});

/** The world it begins with. */
export const setting = fc.record({
	scheduler: fc.constantFrom('memory' as const, 'durable' as const),
	people: fc.constantFrom(1, 2, 3, 3, 14),
	/** n8n's own, or so short that the slow service of some histories needs several polls for a round. */
	budgetMs: fc.constantFrom(undefined, undefined, 3000),
	pageSize: fc.integer({ min: 1, max: 4 }),
	overlaps: fc.boolean(),
	sendsDate: fc.boolean(),
	clockHours: fc.constantFrom(0, 0, 0, 0, 5, -5, 23, -23, 8760),
	event: fc.constantFrom('bloodPressure', 'bloodPressure', 'bloodPressure', 'bloodPressure', 'user'),
	listPage: fc.constantFrom(2, 3, 500),
	refusesEnd: fc.boolean(),
	firstFault: fault,
});

export type Setting = typeof setting extends fc.Arbitrary<infer T> ? T : never;
