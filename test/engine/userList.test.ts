/**
 * User list over HTTP, for List and for All Users: a window of it, and users who come and go. Its quirks: faults.test.ts and
 * unit/service/userPaginator.test.ts.
 */
import type { Switches } from '../../dev/sandbox/switches';
import { runNode } from '../helpers/engine';
import { bloodPressure, createUser, fixedWorld } from '../helpers/people';
import { bloodPressureOf, listUsers, queryOf, useSandbox } from '../helpers/requests';
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
	const run = async (switches: Partial<Switches>, limit: number) => {
		Object.assign(used.sandbox.switches, switches);
		const { rows } = await runNode({ credential: used.credential, parameters: parameters(limit) });
		return rows.map(({ user_id }) => user_id);
	};

	it.each<[string, Partial<Switches>]>([
		['no total', { userTotal: 'missing' }],
		['a total of the page', { userTotal: 'page' }],
		['no limit kept', { ignoresLimit: true }],
		['a refusal at the end', { failsAtEnd: 500 }],
	])('%s: a window of 30', async (__, switches) => {
		expect(await run(switches, 30)).toEqual(ids.slice(0, 30));
		expect(listRequests().every((url) => Number(queryOf(url).offset) + Number(queryOf(url).limit) <= 30)).toBe(true);
		expect(await run(switches, 1000)).toEqual(ids);
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
