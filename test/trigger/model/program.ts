/** Program of the model test: number of histories, seed, kinds, and the shortest history that breaks a promise. */
import fc from 'fast-check';
import { found, PLAIN } from './found';
import { ODD_STEPS } from './odd';
import { Player } from './player';
import { foundProgress } from './progress/found';
import { flapping, KINDS } from './progress/kinds';
import { ProgressPlayer } from './progress/progressPlayer';
import type { ProgressHistory } from './progress/troubles';
import { setting, stepsOf, type Setting, type Step } from './steps';

interface Run {
	histories: number;
	seed: number;
	/** The longest history. */
	steps: number;
	kinds: string[];
	isWhole: boolean;
	/** One history as it was printed, in place of all. */
	history?: string;
}

type Print = (line: string) => void;

type Drawn = { world: Setting; steps: Step[] } | { progress: ProgressHistory };

/** Histories of any faults, for exactly once; all other kinds are for progress, too. */
const RANDOM = 'random';
/** Several lasting troubles at once, under which docs/trigger.md promises less. */
const MIX = 'mix';
const ODD_KINDS: Record<string, (steps: number) => fc.Arbitrary<Drawn>> = {
	...ODD_STEPS,
	flapping: () => flapping.map((progress) => ({ progress })),
};
export const ODD = Object.keys(ODD_KINDS);
export const ALL_KINDS = [RANDOM, ...Object.keys(KINDS)];
export const ANY_KIND = [...ALL_KINDS, ...ODD];
/** One lasting trouble each: a history takes a tenth of the time of a random one. */
export const LASTING_KINDS = Object.keys(KINDS).filter((kind) => kind !== MIX);

/** Those that broke a promise once. */
const FOUND: Array<{ name: string; drawn: Drawn }> = [
	...found.map(({ name, world, steps }) => ({ name, drawn: { world: { ...PLAIN, ...world }, steps } })),
	...foundProgress.map(([name, progress]) => ({ name, drawn: { progress } })),
];

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** @returns whether all promises were kept */
export async function main(options: Run, print: Print): Promise<boolean> {
	if (options.history) return await replay(JSON.parse(options.history) as Drawn, print);
	for (const { name, drawn } of options.kinds.includes(RANDOM) ? FOUND : []) {
		try {
			await play(drawn);
		} catch {
			print(`Broken once more: ${name}\n`);
			await replay(drawn, print);
			return false;
		}
	}
	const begun = performance.now();
	const sums = { played: 0, rows: 0, ms: 0 };
	const property = fc.asyncProperty(historyOf(options), async (drawn) => {
		const { emitted, elapsed } = await play(drawn);
		sums.played++;
		sums.rows += emitted;
		sums.ms += elapsed;
	});
	const run = await fc.check(property, {
		numRuns: options.histories,
		seed: options.seed,
		endOnFailure: options.isWhole,
	});
	const tookMs = performance.now() - begun;
	const speed = `seed ${options.seed}, ${(tookMs / 1000).toFixed(1)} s`;
	if (!run.failed) {
		const perMinute = Math.round((sums.played / tookMs) * MINUTE);
		print(`${sums.played} histories, ${sums.rows} rows emitted, all as promised (${speed})`);
		print(`${perMinute} histories a minute, ${Math.round(sums.ms / DAY)} simulated days`);
		return true;
	}
	print(`History ${run.numRuns} of ${speed} breaks a promise (${run.numShrinks} times shortened):\n`);
	await replay(run.counterexample![0], print);
	return false;
}

/** Random, lasting and mixed histories are equally frequent, whichever of them are asked for. */
export function historyOf({ kinds, steps }: Run): fc.Arbitrary<Drawn> {
	const random = fc.record({ world: setting, steps: stepsOf(steps) });
	const lasting = kinds.filter((kind) => kind !== MIX && kind in KINDS).map(progressOf);
	const odd = Object.entries(ODD_KINDS).flatMap(([kind, of]) => (kinds.includes(kind) ? [of(steps)] : []));
	return fc.oneof(
		...(kinds.includes(RANDOM) ? [random] : []),
		...(lasting.length > 0 ? [fc.oneof(...lasting)] : []),
		...(kinds.includes(MIX) ? [progressOf(MIX)] : []),
		...(odd.length > 0 ? [fc.oneof(...odd)] : []),
	);
}

const progressOf = (kind: string) => KINDS[kind].map((progress) => ({ progress }));

/** @throws Broken */
export async function play(drawn: Drawn, print?: Print): Promise<{ emitted: number; elapsed: number }> {
	if ('progress' in drawn) {
		const player = new ProgressPlayer(drawn.progress, print);
		await player.play();
		return { emitted: player.emitted, elapsed: player.time.elapsed };
	}
	const player = new Player(drawn.world, print);
	const emitted = await player.play(drawn.steps);
	return { emitted, elapsed: player.time.elapsed };
}

export async function replay(drawn: Drawn, print: Print): Promise<boolean> {
	print(JSON.stringify(drawn));
	try {
		await play(drawn, print);
		return true;
	} catch (error) {
		print(`\n${error.stack ?? error}`);
		return false;
	}
}
