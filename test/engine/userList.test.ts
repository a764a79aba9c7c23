/**
 * Quirks of the user list (docs/quirks.md, 12 and 24), for List and for All Users, over HTTP.
 */
import type { Switches } from '../../dev/sandbox/switches';
import { runNode } from '../helpers/engine';
import { bloodPressure, createUser, fixedWorld } from '../helpers/people';
import { bloodPressureOf, everyNth, listUsers, queryOf, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const users = Array.from({ length: 47 }, (_, i) => createUser(`person-${i}`, ['omron']));
const ids = users.map(({ user_id }) => user_id);
const reading = { blood_pressure: [bloodPressure('2026-03-01T06:00:00Z', 120, 80)] };
const world = fixedWorld(users, Object.fromEntries(ids.map((id) => [id, reading])));

// Several pages: of twenty users each.
const used = useSandbox(() => ({ world, switches: { userPageCap: 20 } }));
useVirtualTime();
const listRequests = () => used.sandbox.requests.filter((url) => url.startsWith('/v2/user?'));

const READS = {
	List: (limit?: number) => listUsers(limit ? { limit } : { returnAll: true }),
	'All Users': (limit?: number) =>
		bloodPressureOf('', { userScope: 'all', ...(limit && { options: { userLimit: limit } }) }),
};

describe.each(Object.entries(READS))('%s', (_, parameters) => {
	const run = async (switches: Partial<Switches>, limit?: number) => {
		Object.assign(used.sandbox.switches, switches);
		const { rows, error } = await runNode({ credential: used.credential, parameters: parameters(limit) });
		return { ids: rows.map(({ user_id }) => user_id), error };
	};

	it.each<[string, Partial<Switches>, number]>([
		// A page for each twenty, one that proves the end where total does not, and those asked ahead in vain.
		['a right total', {}, 3],
		['no total', { userTotal: 'missing' }, 4],
		['a total of 0', { userTotal: 'zero' }, 4],
		['a negative total', { userTotal: 'negative' }, 4],
		['a total of the page', { userTotal: 'page' }, 4],
		['a total that is too small', { userTotal: 'tooSmall' }, 4],
		['a total that is too large', { userTotal: 'tooLarge' }, 11],
		['a total that grows', { userTotal: 'growing' }, 7],
		['a total that is text', { userTotal: 'text' }, 4],
		['no limit kept', { ignoresLimit: true }, 2],
		['a refusal at the end: 422', { failsAtEnd: 422 }, 3],
		['a refusal at the end: 500', { failsAtEnd: 500 }, 3],
		['a refusal at the end and no total', { failsAtEnd: 500, userTotal: 'missing' }, 4],
		['a refusal at the end and a total of 0', { failsAtEnd: 500, userTotal: 'zero' }, 4],
		['a refusal at the end of pages of one', { failsAtEnd: 500, userPageCap: 1 }, 48],
	])('%s: all users once, in order', async (__, switches, requests) => {
		const { ids: found, error } = await run(switches);
		expect(error).toBeUndefined();
		expect(found).toEqual(ids);
		expect(listRequests().length).toBeLessThanOrEqual(requests);
	});

	it.each<[string, Partial<Switches>]>([
		['no total', { userTotal: 'missing' }],
		['a total of the page', { userTotal: 'page' }],
		['no limit kept', { ignoresLimit: true }],
		['a refusal at the end', { failsAtEnd: 500 }],
	])('%s: a window of 30', async (__, switches) => {
		expect((await run(switches, 30)).ids).toEqual(ids.slice(0, 30));
		expect(listRequests().every((url) => Number(queryOf(url).offset) + Number(queryOf(url).limit) <= 30)).toBe(true);
		expect((await run(switches, 1000)).ids).toEqual(ids);
	});

	it.each<[string, Partial<Switches>]>([
		['and a right total', {}],
		['and no total', { userTotal: 'missing' }],
		['and a total of the page', { userTotal: 'page' }],
		['and limit', { ignoresLimit: true }],
		['and has 500 on a page', { userPageCap: 500, userTotal: 'missing' }],
	])('a service that ignores offset %s: an error that says so, soon', async (__, switches) => {
		const { ids: found, error } = await run({ ignoresOffset: true, ...switches });
		expect(error?.message).toBe('The service gives the same page of its user list again and again');
		expect(error?.description).toContain("'offset'");
		expect(found).toEqual([]);
		expect(listRequests().length).toBeLessThanOrEqual(60);
	});

	it.each(['null', 'missing', 'empty'] as const)('a user_id that is %s: an error that says so', async (lacksUserId) => {
		const { ids: found, error } = await run({ lacksUserId });
		expect(error?.message).toBe("A user in the service's list has no 'user_id'");
		expect(found).toEqual([]);
	});

	it('a page of the middle that fails for good: an error', async () => {
		const { ids: found, error } = await run({
			fault: (__, url) => (/offset=19&/.test(url) ? { status: 500 } : undefined),
		});
		expect(error?.message).toBe('The service could not answer (status 500)');
		expect(found).toEqual([]);
	});

	it('every third request fails once and total is wrong: all users once, in order', async () => {
		const fault = () => everyNth(3, { status: 500 });
		expect((await run({ fault: fault(), userTotal: 'zero' })).ids).toEqual(ids);
		expect((await run({ fault: fault(), userTotal: 'page', userPageCap: 20 })).ids).toEqual(ids);
	});
});

describe('one leaves at the front and one joins at the end between any two requests', () => {
	let removed = 0;
	afterEach(() => (removed += listRequests().length));

	it.each(Object.entries(READS))('%s: each remaining user comes once, in order', async (_, parameters) => {
		Object.assign(used.sandbox.switches, { usersMove: true });
		const { rows, error } = await runNode({ credential: used.credential, parameters: parameters() });
		expect(error).toBeUndefined();
		const found = rows.map(({ user_id }) => user_id as string);
		const stayed = ids.slice(removed + listRequests().length);
		expect(stayed.length).toBeGreaterThan(25);
		expect(found.filter((id) => stayed.includes(id))).toEqual(stayed);
		expect(new Set(found).size).toBe(found.length);
	});
});

it('All Users: a Limit that the first page reaches prefetches no other', async () => {
	const parameters = bloodPressureOf('', { userScope: 'all', returnAll: false, limit: 5 });
	const { rows } = await runNode({ credential: used.credential, parameters });
	expect(rows.map(({ user_id }) => user_id)).toEqual(ids.slice(0, 5));
	expect(listRequests()).toHaveLength(1);
});
