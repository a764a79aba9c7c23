/**
 * The model test as a program: how many histories, from which seed, and the shortest one that breaks a promise.
 */
import fc from 'fast-check';
import { found, PLAIN } from './found';
import { Player } from './player';
import { setting, step, type Setting, type Step } from './steps';

const HELP = `Random histories of the service, of n8n and of its clock, each poll of the trigger judged by what was promised.

  npm run model -- [--histories 2000] [--seed 1] [--steps 30] [--whole]

Prints the shortest history that breaks a promise, step by step, with what each poll gave; ends with status 1 then.
--whole: the history as it was found, not the shortest.`;

interface Run {
	histories: number;
	seed: number;
	/** The longest history. */
	steps: number;
	isWhole: boolean;
	isHelp: boolean;
}

export async function main(options: Run) {
	if (options.isHelp) return console.log(HELP);
	for (const { name, world, steps } of found) {
		try {
			await new Player({ ...PLAIN, ...world }).play(steps);
		} catch (error) {
			console.log(`Broken once more: ${name}\n`);
			await replay({ ...PLAIN, ...world }, steps);
			process.exitCode = 1;
			return;
		}
	}
	const begun = performance.now();
	let played = 0;
	let handedOut = 0;
	const property = fc.asyncProperty(
		setting,
		fc.array(step, { minLength: 5, maxLength: options.steps, size: 'max' }),
		async (world, steps) => {
			played++;
			handedOut += await new Player(world).play(steps);
		},
	);
	const run = await fc.check(property, {
		numRuns: options.histories,
		seed: options.seed,
		endOnFailure: options.isWhole,
	});
	const seconds = ((performance.now() - begun) / 1000).toFixed(1);
	if (!run.failed) {
		console.log(
			`${played} histories, ${handedOut} rows handed out, all as promised (seed ${options.seed}, ${seconds} s)`,
		);
		return;
	}
	const [world, steps] = run.counterexample!;
	console.log(
		`History ${run.numRuns} of seed ${options.seed} breaks a promise (${run.numShrinks} times shortened, ${seconds} s):\n`,
	);
	await replay(world, steps);
	process.exitCode = 1;
}

async function replay(world: Setting, steps: Step[]) {
	console.log(JSON.stringify(world));
	try {
		await new Player(world, (line) => console.log(line)).play(steps);
	} catch (error) {
		console.log(`\n${error.stack ?? error}`);
	}
}
