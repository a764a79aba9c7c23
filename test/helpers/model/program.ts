/**
 * Program of the model test: number of histories, seed, and the shortest history that breaks a promise.
 */
import fc from 'fast-check';
import { found, PLAIN } from './found';
import { Player } from './player';
import { setting, stepsOf, type Setting, type Step } from './steps';

interface Run {
	histories: number;
	seed: number;
	/** The longest history. */
	steps: number;
	isWhole: boolean;
}

type Print = (line: string) => void;

/** @returns whether all promises were kept */
export async function main(options: Run, print: Print): Promise<boolean> {
	for (const { name, world, steps } of found) {
		try {
			await new Player({ ...PLAIN, ...world }).play(steps);
		} catch {
			print(`Broken once more: ${name}\n`);
			await replay({ ...PLAIN, ...world }, steps, print);
			return false;
		}
	}
	const begun = performance.now();
	let played = 0;
	let handedOut = 0;
	const property = fc.asyncProperty(setting, stepsOf(options.steps), async (world, steps) => {
		played++;
		handedOut += await new Player(world).play(steps);
	});
	const run = await fc.check(property, {
		numRuns: options.histories,
		seed: options.seed,
		endOnFailure: options.isWhole,
	});
	const seconds = ((performance.now() - begun) / 1000).toFixed(1);
	if (!run.failed) {
		print(`${played} histories, ${handedOut} rows handed out, all as promised (seed ${options.seed}, ${seconds} s)`);
		return true;
	}
	const [world, steps] = run.counterexample!;
	print(
		`History ${run.numRuns} of seed ${options.seed} breaks a promise (${run.numShrinks} times shortened, ${seconds} s):\n`,
	);
	await replay(world, steps, print);
	return false;
}

async function replay(world: Setting, steps: Step[], print: Print) {
	print(JSON.stringify(world));
	try {
		await new Player(world, print).play(steps);
	} catch (error) {
		print(`\n${error.stack ?? error}`);
	}
}
