/** User → List and User → Resolve in n8n's engine: each requested user once, in the order of the service, and no other. */
import { createWorld } from '../../dev/sandbox/world';
import { useRunner } from '../helpers/engine';
import { KEY, SILENT, SPECIAL, SPECIAL_ID, STEADY } from '../helpers/people';
import { listUsers, queryOf, resolve } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

useVirtualTime();

describe('List', () => {
	const world = createWorld([{ key: KEY, users: 1200 }]);
	const users = world.teams[0].users;
	const used = useRunner(() => ({ world }));
	const run = async (more: Parameters<typeof listUsers>[0]) => await used.run(listUsers(more));

	it('Return All gives 1,200 users, each once, in the order of the service', async () => {
		const { rows, error } = await run({ returnAll: true });
		expect(error).toBeUndefined();
		expect(rows).toEqual(users);
		expect(used.sandbox.requests.map(queryOf)).toEqual([
			{ offset: '0', limit: '500' },
			// Each page begins with the last user of the one before.
			{ offset: '499', limit: '500' },
			{ offset: '998', limit: '500' },
			// A page without new users is the end.
			{ offset: '1199', limit: '500' },
		]);
	});

	it('Limit asks for no user beyond it', async () => {
		expect((await run({ limit: 620 })).rows).toEqual(users.slice(0, 620));
		expect(used.sandbox.requests.map(queryOf)).toEqual([
			{ offset: '0', limit: '500' },
			{ offset: '499', limit: '121' },
		]);
	});

	it('keeps only users of a connected provider, and as many of them as Limit says', async () => {
		const connected = users.filter(({ connected_sources }) =>
			connected_sources.some(({ source }) => source.slug === 'oura'),
		);
		expect(connected.length).toBeGreaterThan(100);
		expect((await run({ returnAll: true, options: { provider: 'oura' } })).rows).toEqual(connected);
		expect((await run({ limit: 30, options: { provider: ' oura ' } })).rows).toEqual(connected.slice(0, 30));

		// Reached on the second page: none is requested ahead.
		const limit = connected.filter((user) => users.indexOf(user) < 600).length;
		used.sandbox.requests.splice(0);
		expect((await run({ limit, options: { provider: 'oura' } })).rows).toHaveLength(limit);
		expect(used.sandbox.requests.map((url) => queryOf(url).offset)).toEqual(['0', '499']);
	});
});

describe('a user record with a field `error`', () => {
	const used = useRunner();
	const record = { ...STEADY, error: 'no device' };
	const { error, ...others } = record;

	it.each([
		['List', listUsers({ limit: 1 }), { users: [record], total: 1, offset: 0, limit: 100 }],
		['Resolve', resolve(STEADY.client_user_id), record],
	])('%s gives it once, and Retry On Fail does not read again', async (_, parameters, body) => {
		used.sandbox.switches.fault = () => ({ status: 200, body });
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const { rows, error: failure } = await used.run(parameters, { settings });
		expect(failure).toBeUndefined();
		expect(rows).toEqual([{ ...others, error_raw: error }]);
		expect(used.sandbox.requests).toHaveLength(1);
	});
});

describe('Resolve', () => {
	const used = useRunner();
	it.each([
		['steady', STEADY],
		[SPECIAL_ID, SPECIAL],
		['silent', SILENT],
	])('finds %p', async (id, user) => {
		const { rows, error, items } = await used.run(resolve(id));
		expect(error).toBeUndefined();
		expect(rows).toEqual([user]);
		expect(items[0].pairedItem).toEqual({ item: 0 });
	});
});
