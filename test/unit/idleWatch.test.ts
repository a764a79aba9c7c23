/**
 * When a user list makes no sense any more, by itself: how often and how far apart a page may be the same, and how long nobody
 * may be new. Over whole lists: userList.test.ts.
 */
import { IdleWatch } from '../../nodes/HealthDataService/service/idleWatch';
import { Problem } from '../../nodes/HealthDataService/shared/problem';

const page = (first: number, count: number) => Array.from({ length: count }, (_, i) => ({ user_id: `u${first + i}` }));

/** The place in `pages` of the one that was too much, and what was said. */
function stoppedAt(pages: Array<[number, ReturnType<typeof page>, boolean?]>) {
	const watch = new IdleWatch();
	for (const [at, [offset, users, hasNew = true]] of pages.entries()) {
		try {
			watch.check(offset, users, hasNew);
		} catch (error) {
			expect(error).toBeInstanceOf(Problem);
			return { at, ...(error as Problem), message: (error as Problem).message };
		}
	}
	return undefined;
}
const SAME = {
	message: 'The service gives the same page of its user list again and again',
	description: expect.stringContaining("It seems to ignore 'offset'"),
	concernsAll: true,
};

it('the third time that a page is the same, from places 40 apart', () => {
	const same = page(0, 5);
	const at = (...offsets: number[]) => stoppedAt(offsets.map((offset) => [offset, same]));
	expect(at(0, 20, 40)).toMatchObject({ at: 2, ...SAME });
	expect(at(60, 80, 100)).toMatchObject({ at: 2, ...SAME });
	expect(at(0, 20, 39)).toBeUndefined();
	expect(at(60, 80, 99)).toBeUndefined();
	expect(at(0, 40)).toBeUndefined();
	expect(at(0, 10, 20, 30, 39, 40)).toMatchObject({ at: 5, ...SAME });
});

it.each([
	['another in between', page(9, 5)],
	['a longer one in between', page(0, 6)],
	['another first in between', [{ user_id: 'x' }, ...page(1, 4)]],
	['another last in between', [...page(0, 4), { user_id: 'x' }]],
	['an empty one in between', []],
])('%s: it begins anew, from there', (_, other) => {
	const same = page(0, 5);
	expect(
		stoppedAt([
			[0, same],
			[30, same],
			[50, other],
			[60, same],
			[80, same],
			[99, same],
		]),
	).toBeUndefined();
});

it('empty pages are not the same', () => {
	expect(stoppedAt([0, 100, 200, 300].map((offset) => [offset, []]))).toBeUndefined();
});

it('50 pages in a row without anybody new', () => {
	const moving = (count: number, hasNew: (at: number) => boolean) =>
		stoppedAt(Array.from({ length: count }, (_, at) => [at, page(at, 5), hasNew(at)]));
	expect(moving(49, () => false)).toBeUndefined();
	expect(moving(50, () => false)).toMatchObject({
		at: 49,
		message: 'The user list changes while it is read, faster than it can be read',
		description: expect.stringContaining('Try again when fewer users come and go'),
		concernsAll: true,
	});
	expect(moving(99, (at) => at === 49)).toBeUndefined();
});
