/**
 * Fault matrix: every quirk on every operation it can affect (test/helpers/faultMatrix.ts), through n8n's engine and real HTTP.
 */
import type { IDataObject } from 'n8n-workflow';
import { runNode } from '../helpers/engine';
import { matrix, OPERATIONS, parametersOf, SECRETS_ROW, type Case, type Operation } from '../helpers/faultMatrix';
import { everythingIn } from '../helpers/inspect';
import { KEY, people, STEADY } from '../helpers/people';
import { sectionInPages } from '../helpers/pages';
import { useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

// Pages of seven readings, so that every read has several.
const used = useSandbox(() => ({ world: people(), switches: { pageSize: 7 } }));
useVirtualTime();

const run = async (operation: Operation, { parameters, ending = '' }: Partial<Case> = {}) =>
	await runNode({
		credential: { ...used.credential, baseUrl: used.sandbox.baseUrl + ending },
		// Shorter than the answers that come late.
		parameters: { ...(parameters ?? parametersOf(operation)), requestOptions: { timeout: 10_000 } },
		timezone: 'Asia/Kolkata',
	});

const right = {} as Record<Operation, IDataObject[]>;
beforeAll(async () => {
	for (const operation of Object.keys(OPERATIONS) as Operation[]) right[operation] = (await run(operation)).rows;
	expect([right.list.length, right.resolve.length, right.one.length, right.all.length]).toEqual([4, 1, 61, 61 + 3 + 8]);
});

/** Keys and readings are looked for in the whole execution: errors, their causes and contexts, hidden properties too. */
function expectNoSecrets(execution: unknown) {
	const all = everythingIn(execution);
	expect(all).not.toContain(KEY);
	expect(all).not.toMatch(/systolic|mmHg/);
}

describe.each(matrix)('$quirk. $what', ({ cases }) => {
	const each = cases.flatMap((one) => one.operations.map((operation) => ({ ...one, operation })));
	it.each(each)('$operation: $name', async ({ operation, switches, gives, says, ...one }) => {
		Object.assign(used.sandbox.switches, switches);
		const { rows, error, run: execution } = await run(operation, one);

		if (gives instanceof RegExp) {
			expect(error?.message).toMatch(gives);
			expect(error?.description).toMatch(says ?? /./);
			expect(rows).toEqual([]);
			expectNoSecrets(execution);
			return;
		}
		expect(error).toBeUndefined();
		if (gives === 'same') expect(rows).toEqual(right[operation]);
		// What "more" is, row by row: quirks.test.ts and user.test.ts. Here only that no user and no reading is missing.
		else if (switches?.users)
			expect(rows).toEqual(right[operation].filter(({ user_id }) => user_id !== STEADY.user_id));
		else expect(rows.length).toBeGreaterThanOrEqual(one.parameters ? 1 : right[operation].length);
	});
});

describe('the matrix', () => {
	const operations = Object.keys(OPERATIONS) as Operation[];

	it('has no empty cell without a reason', () => {
		for (const { quirk, cases, elsewhere } of matrix) {
			const hit = new Set(cases.flatMap((one) => one.operations));
			const isWhole = operations.every((operation) => hit.has(operation));
			expect([quirk, isWhole || Boolean(elsewhere)]).toEqual([quirk, true]);
		}
		// 22 is looked for in all of them, 23 has a table of its own (partWrong.test.ts), 27 is the trigger's.
		expect(matrix.map(({ quirk }) => quirk)).toEqual([...Array.from({ length: 21 }, (_, i) => i + 1), 24, 25, 26]);
	});

	it('is the table in docs/reliability.md', () => {
		const lines = matrix.map(({ quirk, what, promise, cases }) => {
			const cells = operations.map((operation) =>
				cases.some((one) => one.operations.includes(operation)) ? '✓' : '–',
			);
			return `| ${quirk} | ${what} | ${promise} | ${cells.join(' | ')} |`;
		});
		const { quirk, what, promise } = SECRETS_ROW;
		const secrets = `| ${quirk} | ${what} | ${promise} | ${operations.map(() => '✓').join(' | ')} |`;
		const at = matrix.findIndex((row) => row.quirk > quirk);
		const table = [
			`| | What may come | What is promised | ${Object.values(OPERATIONS).join(' | ')} |`,
			`|---|---|---|${'---|'.repeat(operations.length)}`,
			...lines.slice(0, at),
			secrets,
			...lines.slice(at),
		];
		// When this fails: what was expected is what belongs between the marks in docs/reliability.md.
		expect(sectionInPages('reliability')).toBe(table.join('\n'));
	});
});
