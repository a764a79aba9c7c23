/**
 * What to do where one input item has more rows than n8n can hand on, with the fields that this item shows.
 */
import type { UserScope } from '../../fields/userScope';
import { MAX_ROWS_PER_ITEM, tooManyRows } from '../perItem';
import { DAILY, GROUPED, READINGS } from './output';

const FEWER_USERS: Record<UserScope, string[]> = {
	one: [],
	listed: ["fewer 'User IDs' in each of several input items"],
	all: ["'Users' set to Listed Users, with the user IDs shared between several input items"],
};

const FEWER_ROWS: Record<string, string[]> = {
	[READINGS]: ["a shorter 'Date Range'", "'Output' set to One Item per Day or One Item per User"],
	[DAILY]: ["a shorter 'Date Range'", "'Output' set to One Item per User"],
	[GROUPED]: [],
};

export const readLess = (output: string, scope: UserScope): string =>
	`Read less in one go: ${[...FEWER_ROWS[output], ...FEWER_USERS[scope]].join(', or ')}`;

/** Where each user is a row, the list of users says how many there will be. */
export const mostUsers = (output: string, limit: number, advice: string) =>
	output === GROUPED && limit > MAX_ROWS_PER_ITEM
		? { users: MAX_ROWS_PER_ITEM, tooMany: () => tooManyRows(advice) }
		: undefined;
