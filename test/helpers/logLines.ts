/** Lines that node and trigger write to n8n's log, which n8n alone owns. */
import { n8nLogger } from './machine';

/** Of n8n's isolate, in which expressions are evaluated. */
const OF_ISOLATE = /^\[\w+Bridge\] /;

/** Collects the lines of each test. To be called once per describe. */
export function useLogLines(): string[] {
	const lines: string[] = [];
	beforeEach(() => {
		lines.length = 0;
		for (const level of ['info', 'warn', 'error'] as const)
			jest.spyOn(n8nLogger(), level).mockImplementation((...[line]: [string, ...unknown[]]) => {
				if (!OF_ISOLATE.test(line)) lines.push(line);
			});
	});
	return lines;
}
