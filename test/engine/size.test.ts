/** Maximum number of rows that n8n can pass on, and one more: the read stops as soon as that is known, with advice for the item. */
import type { Fault } from '../../dev/sandbox/switches';
import { group } from '../../dev/sandbox/timeseries';
import type { Reading } from '../../dev/sandbox/world';
import { useRunner } from '../helpers/engine';
import { bloodPressure, createUser, fixedWorld, KEY } from '../helpers/people';
import { bloodPressureOf, byUserId, listUsers, queryOf } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const MOST = 100_000;
const TOO_MANY = 'More than 100,000 rows for one input item are more than n8n can hand on';
const TOO_MANY_OF_USER = 'More than 100,000 readings of one user: read fewer days';
const FEWER_DAYS =
	"Choose a shorter 'Date Range', or one 'Provider'. If a few days have as many, ask the people who run the service";
const READ_LESS =
	"Read less in one go: a shorter 'Date Range', 'Output' set to One Item per Day or One Item per User, or 'Users' set to Listed Users, with the user IDs shared between several input items";

const time = useVirtualTime();
const START = Date.UTC(2026, 2, 10);
/** At different times, because same-time readings cost the node several times as much. */
const readingsOf = (count: number): Reading[] =>
	Array.from({ length: count }, (_, i) => bloodPressure(new Date(START + i * 1000).toISOString(), 120, 80));

describe('readings of one user', () => {
	const busy = createUser('busy', ['omron']);
	const most = readingsOf(MOST + 1);
	let count = MOST;
	const world = fixedWorld([busy], {});
	const used = useRunner(() => ({ world: { ...world, readings: () => readingsOf(2) }, checksItself: false }));
	// Each page is written once: that takes longer than to read it.
	const PAGE = 5000;
	const pages = new Map<string, string>();
	const pageAt = (begin: number): string => {
		const end = Math.min(count, begin + PAGE);
		const next_cursor = end < count ? String(end) : null;
		const key = `${begin} ${end} ${next_cursor}`;
		const page = pages.get(key) ?? JSON.stringify({ groups: group(most.slice(begin, end)), next_cursor });
		pages.set(key, page);
		return page;
	};
	beforeEach(() => {
		used.sandbox.switches.fault = (_, url) => {
			if (!url.includes(`timeseries/${busy.user_id}`)) return undefined;
			const { next_cursor = '0' } = queryOf(url);
			return { status: 200, body: pageAt(Number(next_cursor)), type: 'application/json' };
		};
	});
	const run = async (more = {}) => await used.run(bloodPressureOf(byUserId(busy.user_id), more));

	it('returns 100,000 rows', async () => {
		count = MOST;
		const { rows, error } = await run();
		expect(error).toBeUndefined();
		expect(rows).toHaveLength(MOST);
	});

	it('one more is an error of that user only', async () => {
		count = MOST + 1;
		world.teams[0].users = [busy, createUser('calm', ['omron'])];
		const parameters = bloodPressureOf('', { userScope: 'all' });
		const { rows } = await used.run(parameters, { onError: 'continueRegularOutput' });
		expect(rows).toHaveLength(3);
		expect(rows.at(-1)).toMatchObject({ user_id: busy.user_id, error: TOO_MANY_OF_USER, details: FEWER_DAYS });
	});
});

describe('readings of many users', () => {
	const EACH = 26_000;
	const users = Array.from({ length: 12 }, (_, i) => createUser(`user ${i}`, ['omron']));
	const [slow] = users;
	const readings = readingsOf(EACH);
	const used = useRunner(() => ({
		world: { ...fixedWorld(users, {}), readings: () => readings },
		switches: { pageSize: EACH },
		checksItself: false,
	}));
	// Written once: that takes longer than to read it.
	const page = JSON.stringify({ groups: group(readings), next_cursor: null });
	/** The first user's readings come late, the others' at once. */
	const slowFirst = (_: number, url: string): Fault | undefined => {
		if (!url.includes('timeseries')) return undefined;
		return url.includes(slow.user_id) ? { delayMs: 3000 } : { status: 200, body: page, type: 'application/json' };
	};
	const askedFor = ({ user_id }: typeof slow) => used.sandbox.requests.filter((url) => url.includes(user_id)).length;

	it('stops at too many rows, while the first user is still being read, and sends nothing more', async () => {
		used.sandbox.switches.fault = slowFirst;
		const { rows, error } = await used.run(bloodPressureOf('', { userScope: 'all', options: { concurrency: 4 } }));
		expect([error?.message, error?.description]).toEqual([TOO_MANY, READ_LESS]);
		expect(rows).toEqual([]);

		const { load, requests } = used.sandbox;
		await time.pass(10_000);
		expect(load.inFlight).toBe(0);
		expect(requests.filter((url) => url.includes('timeseries')).length).toBeLessThan(users.length);
		expect(askedFor(slow)).toBe(1);
	});
});

describe('a team of more than 100,000', () => {
	const one = createUser('one', ['omron']);
	const crowd = Array.from({ length: MOST + 1 }, (_, i) => ({ ...one, user_id: `u${i}` }));
	const used = useRunner(() => ({
		world: { teams: [{ key: KEY, users: crowd }], readings: () => [] },
		checksItself: false,
	}));

	/** All on one page: the service ignores the limit. */
	const page = JSON.stringify({ users: crowd.map(({ user_id }) => ({ user_id })) });
	const everybody = (): Fault => ({ status: 200, body: page, type: 'application/json' });

	it('User → List fails when that many have come', async () => {
		used.sandbox.switches.fault = everybody;
		const { error } = await used.run(listUsers({ returnAll: true }));
		expect([error?.message, error?.description]).toEqual([
			TOO_MANY,
			"Read the list in parts, an input item for each: 'Return All' off, 'Limit' 100,000 at most, and 'Skip First Users' in the options",
		]);
	});
});
