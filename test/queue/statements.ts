/** SQL that the pages print: each statement by its beginning, and which of them the tests have run. */
import { PAGES, textOf } from '../helpers/pages';

/** Code blocks of SQL, and statements within a line. */
const PRINTED = /```sql\n([^]+?)```|`((?:SELECT|UPDATE|DELETE|ALTER)\b[^`]*;)`/g;

const statementsOf = (page: string) =>
	[...textOf(page).matchAll(PRINTED)].flatMap(([, block, inline]) =>
		(block ?? inline)
			.split(/;\s*/)
			.map((statement) => statement.replace(/^--.*\n/gm, '').trim())
			.filter(Boolean),
	);

const printed = [...PAGES, 'SECURITY.md'].flatMap(statementsOf);
const run = new Set<string>();

/** The one printed statement that matches. */
export function statementLike(pattern: RegExp): string {
	const [found, ...others] = printed.filter((statement) => pattern.test(statement));
	if (found === undefined || others.length > 0)
		throw new Error(`${others.length + 1} or no statements like ${pattern}`);
	run.add(found);
	return found;
}

export const notRun = () => printed.filter((statement) => !run.has(statement));
