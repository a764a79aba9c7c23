/** Limit of rows: when it ends a read, which rows it keeps, and that more than n8n can take are an error. */
import { MAX_ROWS, RowLimit } from '../../../../nodes/HealthDataService/service/readings/rowLimit';
import { Problem } from '../../../../nodes/HealthDataService/shared/problem';

const limitOf = (maxRows: number) => new RowLimit(maxRows, (most) => new Problem(`More than ${most}`, 'Read less'));

it.each([
	[5, true],
	[MAX_ROWS + 1, true],
	[Infinity, false],
])('%p rows may end a read early: %p', (maxRows, expected) => {
	expect(limitOf(maxRows).mayEndEarly).toBe(expected);
});

it.each([
	[1, 0, false],
	[2, 0, true],
	[3, 0, true],
	// Rows of errors do not count towards it.
	[1, 9, false],
])('2 rows are reached by %p rows and %p others: %p', (rows, more, expected) => {
	expect(limitOf(2).isReached(rows, more)).toBe(expected);
});

it.each([
	['all rows', Infinity, MAX_ROWS + 1, 0],
	['rows of errors too', Infinity, MAX_ROWS, 1],
	['rows of errors beside those of a limit', 2, 3, MAX_ROWS - 1],
])('more than 100,000 are an error: %s', (_, maxRows, rows, more) => {
	expect(() => limitOf(maxRows).isReached(rows, more)).toThrow('More than 100,000');
});

it('100,000 are no error', () => {
	expect(limitOf(Infinity).isReached(MAX_ROWS - 1, 1)).toBe(false);
});

it('rows beyond the limit, which are left out, are no error', () => {
	expect(limitOf(2).isReached(2 * MAX_ROWS)).toBe(true);
});

it.each([
	[2, ['a', 'b']],
	[3, ['a', 'b', 'c']],
	[Infinity, ['a', 'b', 'c']],
])('%p rows are kept from the first on', (maxRows, kept) => {
	expect(limitOf(maxRows).keep(['a', 'b', 'c'])).toEqual(kept);
});
