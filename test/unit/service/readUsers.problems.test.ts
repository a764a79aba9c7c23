/**
 * Concurrent reads of many users, over made-up answers: scope and reports of a problem, and users unknown to the service.
 */
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { listed, page, play, systolic, type Played } from '../../helpers/playedReads';

const throwing = (error: Error) => {
	throw error;
};

describe('a problem', () => {
	const broken = new Problem('Theirs', '');
	const users = [listed('u1'), listed('u2'), listed('u3')];

	it('of one user is reported at once, with the number of sound users, and concerns that user only', async () => {
		const reported: unknown[][] = [];
		const { results, error } = await play({
			users,
			answer: (name) => (name === 'u2' ? broken : page(1)),
			options: { width: 1, onUnreadable: (...args) => reported.push(args) },
		});
		expect([error, systolic(results), results[1].problem]).toEqual([undefined, [[1], [], [1]], broken]);
		expect(reported).toEqual([[users[1].user, broken, 1]]);
	});

	it('on a later page leaves no row of the pages before', async () => {
		const { results } = await play({
			users: [listed('u1')],
			answer: (_, nth) => (nth === 1 ? { ...page(1), next_cursor: 'x' } : broken),
		});
		expect([systolic(results), results[0].problem]).toEqual([[[]], broken]);
	});

	it.each([
		['nested too deep', new RangeError('Maximum call stack size exceeded')],
		['of another shape', new TypeError('x is not iterable')],
	])('is that of the user whose answer is %s', async (_, thrown) => {
		const { results, error } = await play({
			users,
			answer: () => page(1),
			options: {
				collect: async (_pages, { user_id }) => {
					if (user_id === 'u2') throw thrown;
					return [{ systolic: 1 }];
				},
			},
		});
		expect([error, systolic(results)]).toEqual([undefined, [[1], [], [1]]]);
		expect(results[1].problem).toMatchObject({ message: "The service's answer for this user cannot be processed" });
	});

	it('of an unresolved user is reported without a request', async () => {
		const { results, asked } = await play({ users: [listed('', { problem: broken })], answer: () => page(1) });
		expect([results[0].problem, asked]).toEqual([broken, []]);
	});

	it.each<[string, Error, Partial<Played['options']>]>([
		['that concerns all', new Problem('All', '', { concernsAll: true }), {}],
		['that is none of ours', new Error('A fault of the code'), {}],
		['for which onUnreadable throws', new Problem('Theirs', ''), { onUnreadable: () => throwing(new Error('Stop')) }],
	])('%s ends the read', async (_, thrown, options) => {
		const answer = (name: string) => (name === 'u1' ? Promise.reject(thrown) : page(1));
		const { error, asked } = await play({ users, answer, options: { width: 1, ...options } });
		expect(error?.message).toBe(options?.onUnreadable ? 'Stop' : thrown.message);
		expect(asked).toHaveLength(1);
	});
});

describe('a user unknown to the service', () => {
	const missing = new Problem('Missing', '');

	it.each<[string, Partial<Played>, Problem?]>([
		['has no rows, and is gone', {}],
		[
			'on a later page has none of the rows that came before',
			{ answer: (_, nth) => (nth === 1 ? { ...page(1), next_cursor: 'x' } : undefined) },
		],
		['is a problem if the caller says so', { whenMissing: async () => await Promise.reject(missing) }, missing],
	])('%s', async (...[, given, problem]) => {
		const { results } = await play({ users: [listed('u1')], answer: () => undefined, ...given });
		expect(results).toMatchObject([{ rows: [], isGone: !problem }]);
		expect(results[0].problem).toBe(problem);
	});
});
