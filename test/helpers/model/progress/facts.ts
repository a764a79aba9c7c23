/**
 * How much a poll could do if all users were sound and the service's limit were kept: by the poll's budget, the time of an answer
 * and the limit. It knows none of the node's code but the number of concurrent requests.
 */
import type { UserFault } from '../faults';
import { HANG_PAGE_MS, type ModelService } from '../service';
import type { VirtualTime } from '../../virtualTime';

/** *Concurrent Requests*. */
const CONCURRENCY = 8;
const LIST_PAGE = 50;
/** Of one request. */
const MOST_ATTEMPTS = 7;
const MINUTE = 60_000;
/** The rest is for answers in flight. */
const OF_BUDGET = 1 / 2;

/** Longest answer that comes in time. */
export const answerMs = ({ latencyMs, spreadMs }: ModelService) => latencyMs + spreadMs;

export const listPages = (people: number) => Math.ceil(people / LIST_PAGE);

/** Requests that a failing user may cost: a 404 is confirmed, and a failure is tried again in the first poll that meets it. */
function requestsOf(fault: UserFault, isKnown: boolean, budgetMs: number): number {
	if (fault === '404' || fault === 'removed' || fault === '403') return 3;
	if (fault === 'endless') return Math.ceil(budgetMs / (isKnown ? 3 : 2) / HANG_PAGE_MS) + 1;
	return isKnown ? 1 : MOST_ATTEMPTS;
}

/** Of a poll that begins now. @param known users whose trouble an earlier poll has found */
export function usersOfPoll(
	service: ModelService,
	{ now }: VirtualTime,
	people: number,
	budgetMs: number,
	known: ReadonlySet<number>,
): number {
	const longest = answerMs(service);
	const lists = listPages(people);
	const sendingMs = budgetMs * OF_BUDGET;
	const waves = longest > 0 ? Math.max(1, Math.floor((sendingMs - lists * longest) / longest)) : Infinity;
	const { limit, faults } = service;
	if (!limit) return waves * CONCURRENCY;
	const isOfMinute = limit.windowMs <= MINUTE;
	const evenly = Math.floor((limit.requests * sendingMs) / limit.windowMs);
	const requests = isOfMinute ? Math.min(limit.free(now), evenly) : limit.free(now);
	const forFaults = [...faults].reduce((sum, [{ nr }, fault]) => sum + requestsOf(fault, known.has(nr), budgetMs), 0);
	return Math.min(waves * CONCURRENCY, Math.max(0, requests - lists - forFaults));
}

/** Longest time of a poll without failed users. */
export const soundMs = (service: ModelService, people: number) =>
	(Math.ceil(people / CONCURRENCY) + listPages(people) + 4) * answerMs(service) + 1000;
