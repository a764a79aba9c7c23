/**
 * Histories of odd answers, as they are drawn: user lists, Resolve, saved states with one broken part, users who fail now and then,
 * changes of limits.
 */
import fc from 'fast-check';
import { CODES, type Limits } from '../values';

/** Polls: the first, and the first without it. */
interface Span {
	from: number;
	until: number;
}

export interface OddHistory {
	kind: string;
	scheduler: 'memory' | 'durable';
	event: 'bloodPressure' | 'user';
	people: number;
	everyMinutes: number;
	polls: number;
	lookbackHours: number;
	sendsDate: boolean;
	/** Measured so many hours before they arrive, just before a poll. */
	measured: Array<{ poll: number; user: number; code: number; late: number }>;
	/** Of the readings that are not older than a third of the lookback. */
	corrected: Array<{ poll: number; which: number; code: number }>;
	/** Before these polls, n8n is killed and starts again. */
	kills: number[];
	joins: number[];
	/** A list without users, or without every second one. */
	lists: Array<Span & { isEmpty: boolean; rest: number }>;
	/** Resolve of one entry gives the ID of another user, who may fail then. */
	resolves: Array<Span & { entry: number; other: number; isFailing: boolean }>;
	/** After these polls a part of the saved state is replaced, and n8n starts again. */
	breaks: Array<{ poll: number; part: number; by: number }>;
	flaps: Array<{ poll: number; users: number[]; status: '500' | '403' | '422' }>;
	/** By a publication, or while n8n is down. */
	limits: Array<{ poll: number; isKill: boolean } & Limits>;
}

const MOST_POLLS = 40;
/** Users who are not on the trigger's list. */
export const BYSTANDERS = 2;
const poll = fc.integer({ min: 1, max: MOST_POLLS });
const user = fc.nat(9);
const code = fc.constantFrom(...CODES);

const span = fc
	.record({ from: fc.nat(MOST_POLLS), long: fc.constantFrom(1, 1, 2, 5, 20, MOST_POLLS) })
	.map(({ from, long }): Span => ({ from, until: from + long }));

const none = <T>() => fc.constant<T[]>([]);

const kindOf = (kind: string, own: { [K in keyof OddHistory]?: fc.Arbitrary<OddHistory[K]> }) =>
	fc.record<OddHistory>({
		kind: fc.constant(kind),
		scheduler: fc.constantFrom('memory', 'durable'),
		event: fc.constant('bloodPressure'),
		people: fc.integer({ min: 2, max: 6 }),
		everyMinutes: fc.constantFrom(1, 5, 20, 60, 180),
		polls: fc.integer({ min: 8, max: MOST_POLLS }),
		lookbackHours: fc.constantFrom(6, 48),
		sendsDate: fc.boolean(),
		measured: fc.array(fc.record({ poll, user, code, late: fc.constantFrom(0, 0, 0.5, 1.9) }), {
			minLength: 3,
			maxLength: 25,
		}),
		corrected: fc.array(fc.record({ poll, which: user, code }), { maxLength: 4 }),
		// n8n has three other processes in the model.
		kills: fc.uniqueArray(poll, { maxLength: 3 }),
		joins: none(),
		lists: none(),
		resolves: none(),
		breaks: none(),
		flaps: none(),
		limits: none(),
		...own,
	});

const few = { minLength: 1, maxLength: 3 };

export const ODD_KINDS: Record<string, fc.Arbitrary<OddHistory>> = {
	'odd list': kindOf('odd list', {
		event: fc.constantFrom('bloodPressure', 'bloodPressure', 'user'),
		joins: fc.array(poll, { maxLength: 3 }),
		lists: fc.array(
			fc
				.record({ span, isEmpty: fc.boolean(), rest: fc.nat(1) })
				.map(({ span: { from, until }, ...one }) => ({ from, until, ...one })),
			few,
		),
	}),
	'wrong resolve': kindOf('wrong resolve', {
		resolves: fc.array(
			fc
				.record({ span, entry: user, other: user, isFailing: fc.boolean() })
				.map(({ span: { from, until }, ...one }) => ({ from, until, ...one })),
			few,
		),
	}),
	'broken state': kindOf('broken state', {
		corrected: none(),
		kills: none(),
		breaks: fc.uniqueArray(fc.record({ poll, part: fc.nat(999), by: fc.nat(99) }), {
			...few,
			selector: (one) => one.poll,
		}),
	}),
	flapping: kindOf('flapping', {
		flaps: fc.uniqueArray(
			fc.record({
				poll: fc.nat(MOST_POLLS),
				users: fc.array(user, few),
				status: fc.constantFrom('500', '403', '422'),
			}),
			{ minLength: 1, maxLength: 25, selector: (one) => one.poll },
		),
	}),
	'changed limits': kindOf('changed limits', {
		kills: none(),
		limits: fc.uniqueArray(
			fc.record({
				poll,
				isKill: fc.boolean(),
				least: fc.constantFrom(undefined, 101, 102, 104),
				most: fc.constantFrom(undefined, undefined, 100),
			}),
			{ ...few, selector: (one) => one.poll },
		),
	}),
};

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const REPLACEMENTS = [null, 'x', '', -1, 0, 1e20, 2 ** 53, true, [], {}, undefined];

/** Holder and name of each part, however deep. */
const partsIn = (node: Node): Array<[Node, string]> =>
	Object.entries(node).flatMap(
		([name, value]): Array<[Node, string]> => [[node, name], ...(isNode(value) ? partsIn(value) : [])],
	);

/** @param saved what n8n's database holds @param part which of its parts @param by by what it is replaced */
export function broken(saved: string, part: number, by: number): string {
	const data = JSON.parse(saved) as Node;
	const holder = (isNode(data.state) ? data : Object.values(data).find((one) => isNode(one) && one.state)) as
		| { state: Node }
		| undefined;
	if (!holder) return saved;
	// In memory, a state that names another node is that of another node.
	const parts = partsIn(holder.state).filter(([, name]) => name !== 'node');
	const [node, name] = parts[part % parts.length];
	node[name] = REPLACEMENTS[by % REPLACEMENTS.length];
	return JSON.stringify(data);
}
