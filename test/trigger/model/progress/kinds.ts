/** Kinds of histories of progress, as they are drawn. */
import fc from 'fast-check';
import { LIMITS, RESOLVES, USER_FAULTS, type UserFault } from '../faults';
import type { ProgressHistory, Stretch } from './troubles';

const scheduler = fc.constantFrom('memory' as const, 'durable' as const);

/** Small teams mostly: a large one takes long. */
const team = (...few: number[]) =>
	fc.oneof({ weight: 60, arbitrary: fc.constantFrom(...few) }, { weight: 1, arbitrary: fc.constantFrom(60, 120) });

type Own = Partial<ProgressHistory>;

/** A history, with trouble drawn for its number of users and of polls. */
const kindOf = (
	kind: string,
	people: fc.Arbitrary<number>,
	own: (people: number, polls: number) => fc.Arbitrary<Own>,
): fc.Arbitrary<ProgressHistory> =>
	fc
		.record({ people, everyMinutes: fc.constantFrom(1, 5, 10, 20, 30, 60), polls: fc.constantFrom(6, 9, 14) })
		.chain(({ people: count, everyMinutes, polls }) =>
			fc.record({
				kind: fc.constant(kind),
				scheduler,
				isLong: fc.constantFrom(false, false, false, true),
				people: fc.constant(count),
				everyMinutes: fc.constant(everyMinutes),
				jitterMs: fc.constantFrom(0, 0, 300),
				polls: fc.constant(polls),
				latencyMs: fc.constantFrom(0, 20, 200, 1400),
				isListQuick: fc.boolean(),
				concurrency: fc.constantFrom(8, 8, 8, 1),
				readings: fc.array(fc.record({ poll: fc.integer({ min: 1, max: polls }), user: fc.nat(count - 1) }), {
					minLength: 1,
					maxLength: 8,
				}),
				own: own(count, polls),
			}),
		)
		.map(({ own: drawn, ...rest }) => {
			const history = { ...rest, scope: 'all' as const, stretches: [], throttles: [], slownesses: [], ...drawn };
			if (history.scope !== 'one') return history;
			return { ...history, people: 1, readings: history.readings.map(({ poll }) => ({ poll, user: 0 })) };
		});

/** From one of the first polls on, for a while or to the end. */
const span = (polls: number) =>
	fc
		.record({ from: fc.integer({ min: 0, max: 4 }), long: fc.constantFrom(1, 2, 5, 15, Infinity) })
		.map(({ from, long }) => ({ from, until: Math.min(polls + 1, from + long) }));

const stretch = (people: number, polls: number, count: fc.Arbitrary<number>, faults: readonly UserFault[]) =>
	fc
		.record({ span: span(polls), place: fc.nat(people - 1), count, fault: fc.constantFrom(...faults) })
		.map(({ span: { from, until }, ...one }): Own => ({ stretches: [{ from, until, ...one }] }));

const some = (people: number) => fc.integer({ min: 1, max: Math.max(1, people - 1) });

const throttle = (people: number, polls: number, isAnnounced: boolean) =>
	fc
		.record({
			span: span(polls),
			/** Of what a round needs. */
			share: fc.constantFrom(0.35, 0.5, 0.8, 1.2),
			minutes: fc.constantFrom(1, 1, 10, 60),
			isSliding: fc.boolean(),
			isOfReadings: fc.boolean(),
		})
		.map(
			({ span: { from, until }, share, ...more }): Own => ({
				throttles: [{ from, until, requests: Math.max(5, Math.ceil(people * share)), isAnnounced, ...more }],
			}),
		);

/** Answers that come within a third of the budget of the durable scheduler. */
const slowness = (polls: number) =>
	span(polls).map(({ from, until }): Own => ({ slownesses: [{ from, until, latencyMs: 5000, spreadMs: 6_500 }] }));

const together = (parts: Own[]): Own => ({
	stretches: parts.flatMap(({ stretches = [] }) => stretches),
	throttles: parts.flatMap(({ throttles = [] }) => throttles).slice(0, 1),
	slownesses: parts.flatMap(({ slownesses = [] }) => slownesses).slice(0, 1),
});

const hanging = (people: number, polls: number) => stretch(people, polls, some(people), ['hang', 'hang', 'endless']);
const broken = (people: number, polls: number) => stretch(people, polls, some(people), ['500', '503', 'malformed']);
const one = (people: number, polls: number) => stretch(people, polls, fc.constant(1), USER_FAULTS);

const limits = (people: number, polls: number) =>
	stretch(people, polls, fc.constantFrom(1, 1, Math.ceil(people / 2), people), LIMITS);
const anyScope = fc.constantFrom('all' as const, 'all' as const, 'listed' as const, 'clients' as const, 'one' as const);

export const KINDS: Record<string, fc.Arbitrary<ProgressHistory>> = {
	hanging: kindOf('hanging', team(3, 9, 12, 20), hanging),
	broken: kindOf('broken', team(3, 9, 12, 20), broken),
	'all hang': kindOf('all hang', team(1, 3, 12), (people, polls) =>
		stretch(people, polls, fc.constant(people), ['hang', 'hang', 'endless']),
	),
	'limit announced': kindOf('limit announced', team(8, 14, 20), (people, polls) => throttle(people, polls, true)),
	limit: kindOf('limit', team(8, 14, 20), (people, polls) => throttle(people, polls, false)),
	slow: kindOf('slow', team(4, 9, 20), (_, polls) => slowness(polls)),
	storm: kindOf('storm', team(3, 6, 12), (people, polls) =>
		stretch(people, polls, fc.constant(1), ['500', '503', '422', '404', 'nonsense', 'hang']).map(({ stretches }) => ({
			stretches: stretches!.map((each) => ({ ...each, isMoving: true })),
		})),
	),
	/** Users who fail at once while answers take long. */
	refused: kindOf('refused', team(3, 9, 20, 40), (people, polls) =>
		fc
			.tuple(stretch(people, polls, some(people), ['403', '422', '500', '503']), fc.constantFrom(1400, 2000, 5000))
			.map(([own, latencyMs]) => ({ ...own, latencyMs })),
	),
	/** The service limits some users, or all, and answers the list. */
	'limited users': kindOf('limited users', team(1, 3, 9, 20), (people, polls) =>
		fc
			.record({ own: limits(people, polls), scope: anyScope, isEverySecond: fc.boolean() })
			.map(({ own, scope, isEverySecond }) => ({
				scope,
				stretches: own.stretches!.map((each) => ({ ...each, isEverySecond, place: scope === 'one' ? 0 : each.place })),
			})),
	),
	entries: kindOf('entries', team(1, 3, 7, 9, 20), (people, polls) =>
		fc
			.record({
				own: stretch(people, polls, fc.constantFrom(1, 1, 2, people), [...RESOLVES, 'hang', '500', '404', 'removed']),
				scope: fc.constantFrom('clients' as const, 'clients' as const, 'listed' as const),
			})
			.map(({ own, scope }) => ({ ...own, scope })),
	),
	/** A low *Requests per Second*. */
	rate: kindOf('rate', fc.constantFrom(1, 3, 9, 20, 60), (people, polls) =>
		fc.record({
			rate: fc.constantFrom(0.1, 0.15, 0.2, 0.3, 1, 5),
			scope: anyScope,
			stretches: fc.oneof(
				fc.constant<Stretch[]>([]),
				one(people, polls).map(({ stretches }) => stretches!),
			),
		}),
	),
	/** A failure after another one that is over. */
	again: kindOf('again', team(3, 9), (people, polls) =>
		fc.tuple(one(people, 3), one(people, polls), fc.integer({ min: 0, max: 6 })).map(([first, second, later]) => ({
			stretches: [
				...first.stretches!,
				...second.stretches!.map((each) => ({ ...each, from: each.from + later, until: each.until + later })),
			],
		})),
	),
	mix: kindOf('mix', team(3, 9, 14), (people, polls) =>
		fc
			.array(
				fc.oneof(
					hanging(people, polls),
					broken(people, polls),
					one(people, polls),
					throttle(people, polls, true),
					throttle(people, polls, false),
					slowness(polls),
					limits(people, polls),
				),
				{ minLength: 2, maxLength: 3 },
			)
			.map(together),
	),
};

/** Users who fail for single polls, now and then. */
export const flapping = kindOf('flapping', fc.constantFrom(2, 4, 6), (people, polls) =>
	fc
		.array(
			fc.record({
				from: fc.nat(polls),
				place: fc.nat(people - 1),
				count: fc.constantFrom(1, 1, 2),
				fault: fc.constantFrom('500' as const, '403' as const, '422' as const),
			}),
			{ minLength: 1, maxLength: 12 },
		)
		.map((drawn) => ({ stretches: drawn.map((one) => ({ ...one, until: one.from + 1 })) })),
);
