/** Kinds of histories of progress, as they are drawn. */
import fc from 'fast-check';
import { USER_FAULTS, type UserFault } from '../faults';
import type { ProgressHistory } from './troubles';

const scheduler = fc.constantFrom('memory' as const, 'durable' as const);

/** Small teams mostly: a large one takes long. */
const team = (...few: number[]) =>
	fc.oneof({ weight: 60, arbitrary: fc.constantFrom(...few) }, { weight: 1, arbitrary: fc.constantFrom(60, 120) });

type Own = Partial<Pick<ProgressHistory, 'stretches' | 'throttles' | 'slownesses'>>;

/** A history, with trouble drawn for its number of users and of polls. */
const kindOf = (
	kind: string,
	people: fc.Arbitrary<number>,
	own: (people: number, polls: number) => fc.Arbitrary<Own>,
): fc.Arbitrary<ProgressHistory> =>
	fc
		.record({ people, everyMinutes: fc.constantFrom(1, 5, 10, 20, 30), polls: fc.constantFrom(6, 9, 14) })
		.chain(({ people: count, everyMinutes, polls }) =>
			fc.record({
				kind: fc.constant(kind),
				scheduler,
				people: fc.constant(count),
				everyMinutes: fc.constant(everyMinutes),
				polls: fc.constant(polls),
				latencyMs: fc.constantFrom(0, 20, 200),
				readings: fc.array(fc.record({ poll: fc.integer({ min: 1, max: polls }), user: fc.nat(count - 1) }), {
					minLength: 1,
					maxLength: 8,
				}),
				own: own(count, polls),
			}),
		)
		.map(({ own: drawn, ...rest }) => ({ ...rest, stretches: [], throttles: [], slownesses: [], ...drawn }));

/** From one of the first polls on, for a while or to the end. */
const span = (polls: number) =>
	fc
		.record({ from: fc.integer({ min: 0, max: 4 }), long: fc.constantFrom(1, 2, 5, 15, Infinity) })
		.map(({ from, long }) => ({ from, until: Math.min(polls + 1, from + long) }));

const stretch = (people: number, polls: number, count: fc.Arbitrary<number>, faults: readonly UserFault[]) =>
	fc
		.record({ span: span(polls), place: fc.nat(people - 1), count, fault: fc.constantFrom(...faults) })
		.map(({ span: { from, until }, ...one }) => ({ stretches: [{ from, until, ...one }] }));

const some = (people: number) => fc.integer({ min: 1, max: Math.max(1, people - 1) });

const throttle = (people: number, polls: number, isAnnounced: boolean) =>
	fc
		.record({
			span: span(polls),
			/** Of what a round needs. */
			share: fc.constantFrom(0.35, 0.5, 0.8, 1.2),
			minutes: fc.constantFrom(1, 1, 10, 60),
			isSliding: fc.boolean(),
		})
		.map(({ span: { from, until }, share, minutes, isSliding }) => ({
			throttles: [{ from, until, requests: Math.max(5, Math.ceil(people * share)), minutes, isSliding, isAnnounced }],
		}));

/** Answers that come within a third of the budget of the durable scheduler. */
const slowness = (polls: number) =>
	span(polls).map(({ from, until }) => ({ slownesses: [{ from, until, latencyMs: 5000, spreadMs: 6_500 }] }));

const together = (parts: Own[]): Own => ({
	stretches: parts.flatMap(({ stretches = [] }) => stretches),
	throttles: parts.flatMap(({ throttles = [] }) => throttles).slice(0, 1),
	slownesses: parts.flatMap(({ slownesses = [] }) => slownesses).slice(0, 1),
});

const hanging = (people: number, polls: number) => stretch(people, polls, some(people), ['hang', 'hang', 'endless']);
const broken = (people: number, polls: number) => stretch(people, polls, some(people), ['500', '503']);
const one = (people: number, polls: number) => stretch(people, polls, fc.constant(1), USER_FAULTS);

export const KINDS: Record<string, fc.Arbitrary<ProgressHistory>> = {
	hanging: kindOf('hanging', team(3, 9, 12, 20), hanging),
	broken: kindOf('broken', team(3, 9, 12, 20), broken),
	'all hang': kindOf('all hang', team(1, 3, 12), (people, polls) =>
		stretch(people, polls, fc.constant(people), ['hang', 'hang', 'endless']),
	),
	'limit announced': kindOf('limit announced', team(8, 14, 20), (people, polls) => throttle(people, polls, true)),
	limit: kindOf('limit', team(8, 14, 20), (people, polls) => throttle(people, polls, false)),
	slow: kindOf('slow', team(4, 9, 20), (_, polls) => slowness(polls)),
	drip: kindOf('drip', team(2, 9, 12), (people, polls) => stretch(people, polls, fc.constant(1), ['endless', 'hang'])),
	storm: kindOf('storm', team(3, 6, 12), (people, polls) =>
		stretch(people, polls, fc.constant(1), ['500', '503', '422', '404', 'nonsense', 'hang']).map(({ stretches }) => ({
			stretches: stretches.map((each) => ({ ...each, isMoving: true })),
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
				) as fc.Arbitrary<Own>,
				{ minLength: 2, maxLength: 3 },
			)
			.map(together),
	),
};
