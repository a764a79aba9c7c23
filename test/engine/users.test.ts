/** Users in n8n's engine, over HTTP: User → List, User → Resolve and Listed Users: which users, in which order, and entries without a user. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { createWorld } from '../../dev/sandbox/world';
import { fromAI, runAgent } from '../helpers/agent';
import { useRunner } from '../helpers/engine';
import {
	BERLIN,
	bloodPressure,
	createUser,
	fixedWorld,
	KEY,
	people,
	SILENT,
	SPECIAL,
	SPECIAL_ID,
	STEADY,
} from '../helpers/people';
import { bloodPressureOf, listUsers, queryOf, resolve } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

useVirtualTime();

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const byId = (userIds: unknown, more: INodeParameters = {}) =>
	bloodPressureOf('', { userScope: 'listed', userIds: userIds as string, ...more });
const byClient = (userIds: unknown, more: INodeParameters = {}) => byId(userIds, { usersBy: 'clientUserId', ...more });
const owners = (rows: IDataObject[], column = 'user_id') => [...new Set(rows.map((row) => row[column]))];
const resolves = (requests: string[]) => requests.filter((url) => url.includes('/resolve/')).length;
const pages = (requests: string[]) => requests.filter((url) => url.startsWith('/v2/user?')).length;

describe('User → List', () => {
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

describe('User → Resolve', () => {
	const used = useRunner();
	it('finds a user by any character', async () => {
		const { rows, items } = await used.run(resolve(SPECIAL_ID));
		expect(rows).toEqual([SPECIAL]);
		expect(items[0].pairedItem).toEqual({ item: 0 });
	});
});

describe('Listed Users', () => {
	const used = useRunner(() => ({ world: people(), switches: { pageSize: 7 } }));
	const { run } = used;

	it('come in the order of the list, one that is twice in it once', async () => {
		const userIds = `${BERLIN.user_id};${STEADY.user_id};${BERLIN.user_id.toUpperCase()}`;
		const { rows, items, error } = await run(byId(userIds));
		expect(error).toBeUndefined();
		expect(rows).toHaveLength(8 + 61);
		expect(owners(rows)).toEqual([BERLIN.user_id, STEADY.user_id]);
		expect(owners(rows, 'client_user_id')).toEqual([null]);
		for (const { pairedItem } of items) expect(pairedItem).toEqual({ item: 0 });
		expect(resolves(used.sandbox.requests)).toBe(0);
		expect(pages(used.sandbox.requests)).toBe(0);
	});

	it('come by client user ID, each resolved once', async () => {
		const { rows } = await run(byClient(`berlin, ${SPECIAL_ID}\nsteady,berlin`));
		expect(owners(rows, 'client_user_id')).toEqual(['berlin', SPECIAL_ID, 'steady']);
		expect(owners(rows)).toEqual([BERLIN.user_id, SPECIAL.user_id, STEADY.user_id]);
		expect(rows).toHaveLength(8 + 3 + 61);
		expect(resolves(used.sandbox.requests)).toBe(3);
		expect(pages(used.sandbox.requests)).toBe(0);
	});

	describe('Resolve that ignores what it is asked', () => {
		const answer = (record: object) => {
			used.sandbox.switches.fault = (_, url) => (url.includes('/resolve/') ? { status: 200, body: record } : undefined);
		};

		it('with one record without an identifier for all: each entry is an error', async () => {
			answer({ ...STEADY, client_user_id: null });
			const { rows } = await run(byClient('a,b'), { onError: 'continueRegularOutput' });
			const error = "The service gave the record of another user for this 'Client User ID'";
			expect(rows).toMatchObject([
				{ client_user_id: 'a', error },
				{ client_user_id: 'b', error },
			]);
		});

		it('upper and lower case: one user', async () => {
			answer(STEADY);
			const { rows, error } = await run(byClient('steady,STEADY,Steady'));
			expect([error, owners(rows), rows.length]).toEqual([undefined, [STEADY.user_id], 61]);
		});
	});

	const message = "Entry 2 of 'User IDs' is an identifier that no user has";
	const byIds: typeof byId = (unknown, more) => byId([STEADY.user_id, unknown, BERLIN.user_id].join(), more);
	const byNames: typeof byId = (unknown, more) => byClient(`steady\n${unknown}\nberlin`, more);

	describe('an entry without a user', () => {
		const advice = expect.stringMatching(/upper and lower case/);

		describe.each([
			['by user ID', byIds, { user_id: UNKNOWN, client_user_id: null }],
			['by client user ID', byNames, { user_id: null, client_user_id: 'Geheim-7' }],
		])('%s', (_, list, owner) => {
			const parameters = (more: INodeParameters) => list(owner.user_id ?? owner.client_user_id, more);

			it('stops the node with an error that names its position', async () => {
				const { error, rows } = await run(parameters({}));
				expect(error?.message).toContain(message);
				expect(error?.description).toMatch(/upper and lower case.*'On Error'/s);
				expect(error?.httpCode).toBe('404');
				expect(rows).toEqual([]);
				expect(String(error?.message) + String(error?.description)).not.toContain('Geheim');
			});

			it('is a row after all others on Continue, and a row of the error output', async () => {
				const { rows, error, items } = await run(parameters({}), { onError: 'continueRegularOutput' });
				expect(error).toBeUndefined();
				expect(rows).toHaveLength(61 + 8 + 1);
				const columns = Object.fromEntries(Object.keys(rows[0]).map((column) => [column, null]));
				expect(rows.at(-1)).toEqual({ ...columns, ...owner, error: message, details: advice });
				expect(items.at(-1)!.pairedItem).toEqual({ item: 0 });

				const { errorItems, ...others } = await run(parameters({}), { onError: 'continueErrorOutput' });
				expect(others.rows).toEqual(rows.slice(0, -1));
				expect(errorItems.map(({ json }) => json)).toEqual([{ error: message, details: { ...owner, advice } }]);
			});

			it('is no item where When Not Found says so', async () => {
				const { rows, error } = await run(parameters({ options: { whenNotFound: 'empty' } }));
				expect(error).toBeUndefined();
				expect(owners(rows)).toEqual([STEADY.user_id, BERLIN.user_id]);
			});
		});
	});

	it.each(['error', 'empty'])(
		'a user removed after the lookup counts as an entry without a user: %s',
		async (whenNotFound) => {
			let lookedUp = 0;
			used.sandbox.switches.fault = (_, url) => {
				const isGone = url.includes(BERLIN.user_id) || (url.includes('/resolve/berlin') && lookedUp++ > 0);
				return isGone ? { status: 404, body: { detail: 'Not found' } } : undefined;
			};
			const parameters = byClient('steady,berlin', { options: { whenNotFound } });
			const { rows } = await run(parameters, { onError: 'continueRegularOutput' });
			const failed = rows.filter(({ error }) => error);
			expect(rows).toHaveLength(61 + failed.length);
			expect(failed.map(({ error, user_id }) => [error, user_id])).toEqual(
				whenNotFound === 'error' ? [[message, BERLIN.user_id]] : [],
			);
		},
	);

	it('a known user with a 404 for the readings is no such entry', async () => {
		used.sandbox.switches.users = { berlin: 'missing' };
		const { error } = await run(byClient('steady,berlin', { options: { whenNotFound: 'empty' } }));
		expect(error?.message).toContain('whom it knows');
	});

	it('a failed Resolve does not affect the other entries; an error that stops the node names the position', async () => {
		used.sandbox.switches.fault = (_, url) => (url.includes('/resolve/berlin') ? { status: 500 } : undefined);
		const { error } = await run(byClient('steady,steady,berlin'));
		expect(error?.message).toBe(
			"The readings of entry 3 of 'User IDs' could not be read. The service could not answer (status 500)",
		);
		const { rows } = await run(byClient('berlin,steady'), { onError: 'continueRegularOutput' });
		expect(rows).toHaveLength(61 + 1);
		expect(rows.at(-1)).toMatchObject({ user_id: null, client_user_id: 'berlin', error: expect.stringMatching(/500/) });
	});

	it('an agent may give them as JSON or as a text {{ }}', async () => {
		const tool = byId(fromAI('User IDs'), { returnAll: false, limit: 100 });
		const call = async (ids: string) =>
			(await runAgent(used.credential, { Tool: tool }, [['Tool', { User_IDs: ids }]])).answers[0];
		const [json, text] = [
			await call(JSON.stringify([BERLIN.user_id, SILENT.user_id])),
			await call(`${BERLIN.user_id}, ${SILENT.user_id}`),
		];
		expect(JSON.parse(json)).toHaveLength(8);
		expect(text).toBe(json);
		expect(await call('["Anna"]')).toContain("Entry 1 of 'User IDs' is not a user ID. A user ID looks like");
	});
});

describe('Listed Users with a Limit', () => {
	const team = Array.from({ length: 60 }, (_, i) => createUser(`c${i}`, []));
	const one = bloodPressure('2026-03-10T08:00:00Z', 120, 80);
	const used = useRunner(() => ({ world: { ...fixedWorld(team, {}), readings: () => [one] } }));

	it('resolves no more users than needed, and never reads the list', async () => {
		const names = team.map(({ client_user_id }) => client_user_id);
		const { rows, error } = await used.run(byClient(names, { returnAll: false, limit: 5 }));
		expect(error).toBeUndefined();
		expect(rows.map(({ user_id }) => user_id)).toEqual(team.slice(0, 5).map(({ user_id }) => user_id));
		expect(pages(used.sandbox.requests)).toBe(0);
		expect(resolves(used.sandbox.requests)).toBeLessThan(40);
	});
});
