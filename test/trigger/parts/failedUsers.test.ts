/**
 * Users who could not be read, by themselves: when somebody is told, and in which words.
 */
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { allFailed, isReportDue, report, type Problems } from '../../../nodes/HealthDataService/trigger/failedUsers';

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;
const problem = (message: string) =>
	new Problem(message, 'Do something', { kind: 'rate-limited', httpCode: '429', retryAfterMs: 5 });
const reasonsOf = (...ids: string[]): Problems => new Map(ids.map((id) => [id, problem(`Refused ${id}`)]));

describe('it is said', () => {
	const toldAt = (...times: Array<number | undefined>) =>
		Object.fromEntries(times.map((told, index) => [`u${index}`, { from: 0, told }]));
	it.each<[string, Array<number | undefined>, boolean]>([
		['to nobody for nobody', [], false],
		['when it begins', [undefined], true],
		['when it begins for one more', [NOW, undefined], true],
		['not again within the hour', [NOW - HOUR + 1], false],
		['again after an hour', [NOW - HOUR], true],
		['again when the clock was set back by an hour', [NOW + HOUR], true],
		['for all together when it is time for one', [NOW, NOW - HOUR], true],
	])('%s', (_, times, is) => expect(isReportDue(toldAt(...times), NOW)).toBe(is));
});

describe('the words', () => {
	const promise =
		"Everybody else's new readings go out; theirs follow when they can be read again. This is said once an hour while it lasts";

	it('for one', () => {
		expect(report({ u1: { from: 0 } }, reasonsOf('u1'))).toEqual({
			message: 'The readings of 1 user cannot be read. Refused u1',
			description: `It is u1. Do something. ${promise}`,
		});
	});

	it('for many: the first of whom the reason is known', () => {
		const many = Object.fromEntries(Array.from({ length: 1200 }, (_, i) => [`u${i}`, { from: 0 }]));
		expect(report(many, reasonsOf('u7', 'u8'))).toEqual({
			message: 'The readings of 1,200 users cannot be read. Refused u7',
			description: `The first is u7. Do something. ${promise}`,
		});
	});

	it('where nobody was asked in this poll', () => {
		expect(report({ u1: { from: 0 }, u2: { from: 0 } }, new Map())).toEqual({
			message: 'The readings of 2 users cannot be read',
			description: `The first is u1. ${promise}`,
		});
	});

	it('for somebody on a list who could not even be found: no part of the list', () => {
		expect(report({ '?abc': { from: 0 } }, new Map()).description).toMatch(/^It is one of 'User IDs'\. /);
	});
});

describe('nobody at all', () => {
	it('is the very problem of the only one', () => {
		const problems = reasonsOf('u1');
		expect(allFailed(problems)).toBe(problems.get('u1'));
	});

	it('is that of the first of several, with all that n8n goes by', () => {
		expect(allFailed(reasonsOf('u1', 'u2', 'u3'))).toMatchObject({
			message: "Nobody's readings can be read. Refused u1",
			description: 'The first of 3 users is u1. Do something',
			kind: 'rate-limited',
			httpCode: '429',
			retryAfterMs: 5,
		});
	});
});
