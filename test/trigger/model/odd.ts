/** Kinds of histories with few kinds of steps: odd user lists, wrong answers of Resolve, broken saved states, limits that change. */
import fc from 'fast-check';
import { setting, stepsOf, type Setting, type Step, type Weights } from './steps';

const CALM: Weights = { measure: 16, correct: 3, wait: 8, poll: 14, restart: 2 };

const PUBLISHED: Step[] = [{ do: 'watch', what: 'clients', fault: undefined }];

/** A world without other trouble. */
const calm = (world: Setting): Setting => ({
	...world,
	people: world.people === 1 ? 3 : world.people,
	...{ clockHours: 0, budgetMs: undefined, firstFault: undefined },
});

const kindOf =
	(weights: Weights, first: Step[] = []) =>
	(maxLength: number) =>
		fc
			.record({ world: setting, steps: stepsOf(maxLength, { ...CALM, ...weights }) })
			.map(({ world, steps }) => ({ world: calm(world), steps: [...first, ...steps] }));

export const ODD_STEPS = {
	'odd list': kindOf({ emptyList: 4, people: 8 }),
	'wrong resolve': kindOf({ resolve: 8, ofUsers: 4 }, PUBLISHED),
	'broken state': kindOf({ breakState: 4, people: 2 }),
	'changed limits': kindOf({ minimum: 8, twin: 3 }),
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
