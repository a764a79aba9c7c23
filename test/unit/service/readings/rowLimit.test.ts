/** Limit of rows: when it ends a read, and that more than n8n can take are an error. */
import { MAX_ROWS, MOST, RowLimit } from '../../../../nodes/HealthDataService/service/readings/rowLimit';
import { Problem } from '../../../../nodes/HealthDataService/shared/problem';

const MORE = `More than ${MOST}`;
const limitOf = (maxRows: number) => new RowLimit(maxRows, new Problem(MORE, 'Read less'));

it.each([
	[5, true],
	[MAX_ROWS + 1, true],
	[Infinity, false],
])('%p rows may end a read early: %p', (maxRows, expected) => {
	expect(limitOf(maxRows).mayEndEarly).toBe(expected);
});

it.each<[number, number, number, boolean | string]>([
	[2, 1, 0, false],
	[2, 2, 0, true],
	[2, 3, 0, true],
	// Rows of errors do not count towards it.
	[2, 1, 9, false],
	// Rows beyond the limit are left out.
	[2, 2 * MAX_ROWS, 0, true],
	[2, 3, MAX_ROWS - 1, MORE],
	[Infinity, MAX_ROWS - 1, 1, false],
	[Infinity, MAX_ROWS, 1, MORE],
	[Infinity, MAX_ROWS + 1, 0, MORE],
])('%p rows are reached by %p rows and %p others: %p', (maxRows, rows, more, expected) => {
	const read = () => limitOf(maxRows).isReached(rows, more);
	if (expected === MORE) expect(read).toThrow(MORE);
	else expect(read()).toBe(expected);
});
