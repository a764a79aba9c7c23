/**
 * How much a poll could do if all users were sound and the limits were kept: by the poll's budget, the time of an answer and the
 * limits. It knows none of the node's code.
 */
import type { UserFault } from '../faults';
import { HANG_PAGE_MS, type ModelService } from '../service';
import type { ProgressHistory } from './troubles';

const LIST_PAGE = 500;
/** Pages of the list that are requested at once. */
const PAGES_AHEAD = 8;
/** Of one request. */
const MOST_ATTEMPTS = 7;
const MINUTE = 60_000;
/** The rest is for answers in flight, and for failed users. */
const OF_BUDGET = 1 / 2;

/** Longest answer that comes in time. */
export const answerMs = ({ latencyMs, spreadMs }: ModelService) => latencyMs + spreadMs;

/** With the one that shows the end of the list. */
const listPages = ({ scope, people }: ProgressHistory) => (scope === 'all' ? Math.ceil(people / LIST_PAGE) + 1 : 0);
const listWaves = (history: ProgressHistory) => Math.ceil(listPages(history) / PAGES_AHEAD) + 1;

/** Requests that a failing user may cost: a 404 is confirmed, and a failure is tried again in the first poll that meets it. */
function requestsOf(fault: UserFault, isKnown: boolean, budgetMs: number): number {
	if (fault === '404' || fault === 'removed' || fault === '403') return 3;
	if (fault === 'endless') return Math.ceil(budgetMs / (isKnown ? 3 : 2) / HANG_PAGE_MS) + 1;
	return isKnown ? 1 : MOST_ATTEMPTS;
}

/** Of a poll that begins now. @param known users whose trouble an earlier poll has found */
export function usersOfPoll(
	history: ProgressHistory,
	service: ModelService,
	now: number,
	budgetMs: number,
	known: ReadonlySet<number>,
): number {
	const { concurrency, rate, scope } = history;
	const longest = answerMs(service);
	const sendingMs = budgetMs * OF_BUDGET;
	const { limit, faults } = service;
	// Those whose trouble is found now may hold their place for a whole poll, once.
	const held = [...faults.keys()].filter(({ nr }) => !known.has(nr)).length;
	const perUser = scope === 'clients' ? 2 : 1;
	// At a rate, as many users are read at once as requests are sent in a second.
	const [width, userMs] = rate ? [Math.min(concurrency, Math.ceil(rate)), longest * perUser] : [concurrency, longest];
	const waves = longest > 0 ? Math.max(1, Math.floor(sendingMs / userMs) - listWaves(history)) : Infinity;
	const inTime = waves * Math.max(0, width - held) || 0;
	const forFaults = [...faults].reduce((sum, [{ nr }, fault]) => sum + requestsOf(fault, known.has(nr), budgetMs), 0);
	const others = listPages(history) + forFaults;
	// However low the rate, there is time for one user, if there is for the list.
	const least = rate !== undefined && (rate * budgetMs) / 1000 > others + perUser ? 1 : 0;
	const byRate = rate === undefined ? Infinity : Math.floor((rate * sendingMs) / 1000);
	if (!limit) return Math.min(inTime, Math.max(least, Math.floor((byRate - others) / perUser)));
	const isOfMinute = limit.windowMs <= MINUTE;
	const evenly = Math.floor((limit.requests * sendingMs) / limit.windowMs);
	const requests = isOfMinute ? Math.min(limit.free(now), evenly) : limit.free(now);
	return Math.min(inTime, Math.max(0, Math.floor((Math.min(requests, byRate) - others) / perUser)));
}

/** Longest time of a poll without failed users. */
export const soundMs = (service: ModelService, history: ProgressHistory) =>
	(Math.ceil(history.people / history.concurrency) * 2 + listWaves(history) + 4) * answerMs(service) + 1000;
