/**
 * Lines that node and trigger write to n8n's log, which n8n alone owns.
 */
import { n8nLogger } from './machine';

/** Collects the lines of each test. To be called once per describe. */
export function useLogLines(): string[] {
	const lines: string[] = [];
	beforeEach(() => {
		lines.length = 0;
		for (const level of ['info', 'warn', 'error'] as const)
			jest.spyOn(n8nLogger(), level).mockImplementation((...[line]: [string, ...unknown[]]) => void lines.push(line));
	});
	return lines;
}
