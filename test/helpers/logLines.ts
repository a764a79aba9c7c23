/**
 * Lines that node and trigger write to n8n's log, which n8n alone owns.
 */
import { PollContext } from 'n8n-core';
import type { Logger } from 'n8n-workflow';

/** Collects the lines of each test. To be called once per describe. */
export function useLogLines(): string[] {
	const lines: string[] = [];
	const write = (line: string) => void lines.push(line);
	const logger = { info: write, warn: write, error: write, debug: () => {} } as unknown as Logger;
	beforeEach(() => {
		lines.length = 0;
		// All contexts of n8n share this getter.
		jest.spyOn(Object.getPrototypeOf(PollContext.prototype), 'logger', 'get').mockReturnValue(logger);
	});
	return lines;
}
