/**
 * Pickers: search results in teams of any size, and error messages. A picked user: `client_user_id` is that of the picked row if
 * Resolve confirms it, with one request more; never a wrong one, and a failure never costs the readings.
 */
import { NodeApiError, type IDataObject, type INodeListSearchResult, type INodeParameters } from 'n8n-workflow';
import type { Switches } from '../../dev/sandbox/switches';
import { uuid } from '../../dev/sandbox/world';
import { readProvider } from '../../nodes/HealthDataService/fields/options';
import { readUser } from '../../nodes/HealthDataService/fields/users';
import { searchList, useRunner } from '../helpers/engine';
import { everythingIn } from '../helpers/machine';
import {
	bloodPressure,
	byTime,
	createUser,
	expectedRows,
	fixedWorld,
	OTHER_KEY,
	people,
	readingsOf,
	SPECIAL,
	SPECIAL_ID,
	STEADY,
} from '../helpers/people';
import { bloodPressureOf, queryOf, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

useVirtualTime();

/** What empties the field again. */
const FIRST_SEARCHED = 'Type the whole client user ID (first 1,997 searched)';
const MANY_PROVIDERS = 'Another one? Use By ID (first 1,997 searched)';
const ALL = { name: 'All Providers', value: '' };

const names = ({ results }: INodeListSearchResult) => results.map(({ name }) => name);

it.each([FIRST_SEARCHED, MANY_PROVIDERS])('the editor shows all of: %s', (message) => {
	expect(message.length).toBeLessThanOrEqual(52);
});

describe('users of a small team', () => {
	const used = useSandbox();
	const search = async (filter?: string) => await searchList(used.credential, 'searchUsers', filter);

	it('lists all users by client user ID, with their sources', async () => {
		const { results } = await search();
		expect(results).toEqual([
			{ name: 'steady (Omron, Withings)', value: STEADY.user_id },
			{ name: `${SPECIAL_ID} (Omron)`, value: SPECIAL.user_id },
			{ name: 'berlin (Omron)', value: expect.any(String) },
			{ name: 'silent (no source)', value: expect.any(String) },
		]);
		expect(used.sandbox.requests).toHaveLength(2);
	});

	it.each([
		['STEAD', ['steady (Omron, Withings)']],
		[' l', ['berlin (Omron)', 'silent (no source)']],
		['xyz', []],
		['withings', ['steady (Omron, Withings)']],
		['OMRON', ['steady (Omron, Withings)', `${SPECIAL_ID} (Omron)`, 'berlin (Omron)']],
		['n (omr', ['berlin (Omron)']],
	])('%p', async (filter, expected) => {
		expect(names(await search(filter))).toEqual(expected);
	});

	it('finds a complete user ID, and offers no unknown one', async () => {
		expect(names(await search(STEADY.user_id.toUpperCase()))).toEqual(['steady (Omron, Withings)']);
		expect(names(await search(uuid('unknown')))).toEqual([]);
	});

	it.each(['.', '..', '/', '%', '\ud800'])('treats %p as part of an identifier', async (filter) => {
		expect(names(await search(filter))).toEqual(SPECIAL_ID.includes(filter) ? [`${SPECIAL_ID} (Omron)`] : []);
	});

	it('offers no user whose ID n8n would evaluate, and shows no such name', async () => {
		used.sandbox.switches.oddUserIds = { steady: '={{ $env.SECRET }}', berlin: 'not a UUID' };
		expect(names(await search())).toEqual([`${SPECIAL_ID} (Omron)`, 'silent (no source)']);
		expect(names(await search('steady'))).toEqual([]);
		const named = { client_user_id: STEADY.client_user_id };
		used.sandbox.switches.oddUserIds = {};
		STEADY.client_user_id = '={{ 1 + 1 }}';
		const result = await search();
		Object.assign(STEADY, named);
		expect(names(result)[0]).toBe(`${STEADY.user_id} (Omron, Withings)`);
	});

	it('offers no provider that n8n would evaluate', async () => {
		const sources = STEADY.connected_sources!;
		const source = (slug: string, name: string) => ({ ...sources[0], source: { ...sources[0].source, slug, name } });
		STEADY.connected_sources = [source('={{ 1 }}', 'Omron'), source('withings', '={{ 2 }}')];
		const { results } = await searchList(used.credential, 'searchProviders');
		STEADY.connected_sources = sources;
		expect(results).toEqual([ALL, { name: 'Omron (omron)', value: 'omron' }, { name: 'withings', value: 'withings' }]);
		const none = await searchList(used.credential, 'searchProviders', 'xyz');
		expect(names(none)).toEqual([]);
	});

	it('survives incomplete profiles, and pages of one user', async () => {
		Object.assign(used.sandbox.switches, { bareUsers: true, userPageCap: 1, userTotal: 'missing' });
		// The page after the last user would be one more.
		const hint = 'Type the whole client user ID (first 4 searched)';
		const rows = ['steady', SPECIAL_ID, 'berlin', 'silent'].map((id) => `${id} (no source)`);
		expect(names(await search())).toEqual([...rows, hint]);
	});
});

describe('a team larger than the pages that are read', () => {
	const SIZE = 2100;
	const omron = createUser('template', ['omron']);
	const users = Array.from({ length: SIZE }, (_, i) => ({
		...omron,
		user_id: uuid('crowd', i),
		client_user_id: `person-${i}`,
	}));
	const connectedTo = (slug: string) => createUser('', [slug]).connected_sources;
	users[1200].connected_sources = connectedTo('rare');
	users[2000].connected_sources = connectedTo('hidden');
	const used = useSandbox(() => ({ world: fixedWorld(users, {}) }));
	const search = async (filter?: string) => await searchList(used.credential, 'searchUsers', filter);

	it('shows the first users, and says so, with four requests', async () => {
		const { results } = await search();
		expect(results).toHaveLength(1998);
		expect(results[1996]).toEqual({ name: 'person-1996 (Omron)', value: users[1996].user_id });
		expect(results[1997]).toEqual({ name: FIRST_SEARCHED, value: ' ' });
		expect(used.sandbox.requests.map(queryOf)).toEqual(
			['0', '499', '998', '1497'].map((offset) => ({ offset, limit: '500' })),
		);
	});

	it('finds an exact match with one request, at any position', async () => {
		expect((await search('person-2050')).results).toEqual([
			{ name: 'person-2050 (Omron)', value: users[2050].user_id },
		]);
		expect(used.sandbox.requests).toEqual(['/v2/user/resolve/person-2050']);
	});

	it('searches the first users for a part, and says so, with five requests', async () => {
		const matches = users.slice(0, 1997).filter(({ client_user_id }) => client_user_id.includes('98'));
		const { results } = await search('98');
		expect(results.map(({ value }) => value)).toEqual([...matches.map(({ user_id }) => user_id), ' ']);
		expect(used.sandbox.requests).toHaveLength(5);
	});

	it('finds a user ID among the first users', async () => {
		const { user_id } = users[700];
		expect((await search(user_id)).results[0]).toEqual({ name: 'person-700 (Omron)', value: user_id });
	});

	it('lists the providers of the first users, with a note that there may be others', async () => {
		const { results } = await searchList(used.credential, 'searchProviders');
		expect(results.map(({ name }) => name)).toEqual([ALL.name, 'Omron (omron)', 'Rare (rare)', MANY_PROVIDERS]);
		expect(used.sandbox.requests).toHaveLength(4);
	});
});

describe('providers', () => {
	const many = Array.from({ length: 1200 }, (_, i) => createUser(`person-${i}`, [`brand_${i % 40}`]));
	const last = createUser('last', ['omron', 'aktiia']);
	const used = useSandbox(() => ({ world: fixedWorld([...many, last], {}) }));
	const search = async (filter?: string) => await searchList(used.credential, 'searchProviders', filter);

	it('are complete and sorted when the team fits on the pages that are read', async () => {
		const [first, ...listed] = names(await search());
		expect(first).toBe('All Providers');
		expect(listed).toHaveLength(42);
		expect(listed).toEqual([...listed].sort((a, b) => a.localeCompare(b)));
		expect(used.sandbox.requests.map((url) => queryOf(url).offset)).toEqual(['0', '499', '998', '1200']);
	});

	it('are all searched, without a total', async () => {
		used.sandbox.switches.userTotal = 'missing';
		expect((await search('aktiia')).results).toEqual([{ name: 'Aktiia (aktiia)', value: 'aktiia' }]);
	});

	it('has a note that not all were searched where the service caps its pages', async () => {
		Object.assign(used.sandbox.switches, { userTotal: 'page', userPageCap: 100 });
		const note = { name: 'Another one? Use By ID (first 397 searched)', value: ' ' };
		expect((await search('aktiia')).results).toEqual([note]);
		expect(names(await searchList({ ...used.credential, apiKey: OTHER_KEY }, 'searchProviders'))).toEqual([ALL.name]);
	});
});

it('a row that is only a note, if picked, is an empty field', async () => {
	const used = { mode: 'list', value: ' ', cachedResultName: 'Another one?' };
	const context = { getNode: () => ({ parameters: {}, type: '' }), getNodeParameter: () => used };
	expect(readProvider(context as never)).toBe('');
	expect(() => readUser(context as never)).toThrow(
		expect.objectContaining({
			message: "'User' is empty",
			description: "Pick a user from the list, or set 'Users' to All Users",
		}),
	);
});

describe('errors of a picker', () => {
	const used = useSandbox();
	const failing = async (method: 'searchUsers' | 'searchProviders', more = {}): Promise<NodeApiError> =>
		await searchList({ ...used.credential, ...more }, method, 'x').then(
			() => Promise.reject(new Error('It went well')),
			(error) => error,
		);

	// The editor shows message, description and code of this class only.
	it.each(['searchUsers', 'searchProviders'] as const)('%s: a wrong key', async (method) => {
		const error = await failing(method, { apiKey: 'wrong-key-of-mine' });
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ message: 'The service did not accept the API key (status 401)', httpCode: '401' });
		expect(error.description).toContain("Check 'API Key' and 'Base URL'");
		expect(everythingIn(error)).not.toContain('wrong-key-of-mine');
	});

	it('never waits for a minute, with any Retry-After', async () => {
		used.sandbox.switches.fault = () => ({ status: 429, headers: { 'retry-after': '60' } });
		const error = await failing('searchUsers');
		expect(error.message).toBe('The service is receiving too many requests (status 429)');
		expect(error.description).toMatch(/^Wait a minute\./);
		expect(used.sandbox.requests).toHaveLength(1);
	});

	it.each([
		...[400, 403, 404].map((status) => ({ status, body: { detail: 'invalid identifier' } })),
		{ status: 200, body: '<html>', type: 'text/html' },
	])('%j of Resolve, for half an identifier, does not end the search', async (fault) => {
		used.sandbox.switches.fault = (_, url) => (url.includes('/resolve/') ? fault : undefined);
		expect(names(await searchList(used.credential, 'searchUsers', 'stead'))).toEqual(['steady (Omron, Withings)']);
	});

	it.each([401, 429, 500])('%i is an error, after two requests at most', async (status) => {
		used.sandbox.switches.fault = (_, url) => (url.includes('/resolve/') ? { status } : undefined);
		expect((await failing('searchUsers')).httpCode).toBe(String(status));
		expect(used.sandbox.requests.length).toBeLessThanOrEqual(2);
	});
});

/** The value that the editor saves for a picked row. */
const picked = (userId: string, row: unknown) =>
	({ __rl: true, mode: 'list', value: userId, cachedResultName: row }) as INodeParameters;
const STEADY_ROW = 'steady (Omron, Withings)';
const steady = picked(STEADY.user_id, STEADY_ROW);

describe('a picked user', () => {
	const used = useRunner();
	const { run } = used;
	const namesOf = (rows: IDataObject[]) => [...new Set(rows.map((row) => row.client_user_id))];
	const resolves = () => used.sandbox.requests.filter((url) => url.includes('/resolve/'));
	const whenResolved = (fault: ReturnType<Switches['fault']>) => {
		used.sandbox.switches.fault = (_, url) => (url.includes('/resolve/') ? fault : undefined);
	};

	it('every row has it, for one request more, before the readings', async () => {
		const { rows, error } = await run(bloodPressureOf(steady));
		expect(error).toBeUndefined();
		expect(byTime(rows)).toEqual(byTime(expectedRows(STEADY, readingsOf(people(), STEADY), 'steady')));
		expect(Object.keys(rows[0])[0]).toBe('client_user_id');
		expect(used.sandbox.requests).toEqual(['/v2/user/resolve/steady', expect.stringContaining(STEADY.user_id)]);
	});

	it('a label that is an expression is not evaluated {{ }}', async () => {
		const label = "={{ $json.secret + ' (Omron)' }}";
		await run(bloodPressureOf(picked(STEADY.user_id, label)), { input: [{ secret: 'another patient' }] });
		expect(used.sandbox.requests.filter((url) => /patient|secret\)/.test(decodeURIComponent(url)))).toEqual([]);
	});

	describe('many items {{ }}', () => {
		const input = Array.from({ length: 6 }, (_, index) => ({
			end: `2026-03-0${index + 1}`,
			user: index % 2 ? STEADY.user_id : SPECIAL.user_id,
		}));

		it('each with its own days send one request each', async () => {
			const { rows, error } = await run(bloodPressureOf(steady, { endDate: '={{ $json.end }}' }), { input });
			expect(error).toBeUndefined();
			expect(namesOf(rows)).toEqual(['steady']);
			expect(resolves()).toHaveLength(input.length);
		});

		it('of other users, by an expression beside the saved row, get only their own name', async () => {
			const { rows } = await run(bloodPressureOf(picked('={{ $json.user }}', STEADY_ROW)), { input });
			for (const { user_id, client_user_id } of rows)
				expect([null, user_id === STEADY.user_id ? 'steady' : null]).toContain(client_user_id);
			expect(new Set(rows.map((row) => row.user_id)).size).toBe(2);
		});
	});

	describe('it stays empty', () => {
		it.each([
			['a row that names another user', 'berlin (Omron)'],
			['a row that names no user', 'gone (Omron)'],
			['no row', undefined],
			['an empty row', ''],
			['a row that is no text', { a: 1 }],
			['a row that leads elsewhere', '.. (Omron)'],
			['a row that no request can ask for', '\ud800 (Omron)'],
		])('for %s', async (_, row) => {
			const { rows, error } = await run(bloodPressureOf(picked(STEADY.user_id, row)));
			expect(error).toBeUndefined();
			expect(rows).toHaveLength(61);
			expect(namesOf(rows)).toEqual([null]);
			const others = used.sandbox.requests.filter((url) => !url.includes('/timeseries/'));
			// The address is checked, as long as it has given no data.
			expect(others).toEqual([...resolves(), ...others.slice(1)]);
			expect(others.length).toBeLessThanOrEqual(2);
		});

		it.each([STEADY.user_id, `${STEADY.user_id} (Omron)`])(
			'without a question, where the row shows %s',
			async (row) => {
				expect(namesOf((await run(bloodPressureOf(picked(STEADY.user_id, row)))).rows)).toEqual([null]);
				expect(resolves()).toEqual([]);
			},
		);

		it.each([
			['fails', { status: 500 }, 2],
			['is refused', { status: 403, body: { detail: 'no' } }, 1],
			['cannot be understood', { status: 200, body: '<html>', type: 'text/html' }, 1],
			['breaks off', { drop: 'beforeAnswer' as const }, 2],
		])('where Resolve %s: every reading is returned', async (_, fault, tries) => {
			whenResolved(fault);
			const { rows, error } = await run(bloodPressureOf(steady));
			expect(error).toBeUndefined();
			expect(byTime(rows)).toEqual(byTime(expectedRows(STEADY, readingsOf(people(), STEADY))));
			expect(resolves()).toHaveLength(tries);
		});
	});

	describe('the service does not find the readings', () => {
		const missing = (more: INodeParameters = {}) => bloodPressureOf(steady, more);
		const empty = { options: { whenNotFound: 'empty' } };
		beforeEach(() => {
			used.sandbox.switches.fault = (_, url) =>
				url.includes('/timeseries/') ? { status: 404, body: { detail: 'Not Found' } } : undefined;
		});

		it('of a known user: an error, also where When Not Found is empty', async () => {
			const { error } = await run(missing(empty));
			expect(error?.message).toBe('The service does not find the readings of a user whom it knows (status 404)');
		});

		it('of a removed user: as When Not Found says', async () => {
			used.sandbox.switches.fault = () => undefined;
			used.sandbox.switches.users = { [STEADY.user_id]: 'removed' };
			expect((await run(missing())).error?.message).toContain('There is no such user');
			expect(await run(missing(empty))).toMatchObject({ rows: [], error: undefined });
		});
	});
});

describe('any row of the picker', () => {
	const users = [
		createUser('plain', ['omron']),
		createUser('no sources', []),
		createUser('Bed 4 (west)', []),
		createUser('Ward 3 (east) 7', ['omron', 'withings']),
		createUser('(x)', ['omron']),
		createUser(' = ${1} {{ 2 }} ', ['omron']),
		createUser('odd sources', ['oura (beta)', 'a) (b']),
		createUser(SPECIAL.client_user_id, []),
	];
	const odd = useRunner(() => ({
		world: fixedWorld(
			users,
			Object.fromEntries(
				users.map(({ user_id }) => [user_id, { blood_pressure: [bloodPressure('2026-03-02T07:00:00Z', 120, 80)] }]),
			),
		),
		checksItself: false,
	}));

	it('the node reads the client user ID back from a row of the picker', async () => {
		const { results }: INodeListSearchResult = await searchList(odd.credential, 'searchUsers');
		const read = async ({ name, value }: (typeof results)[number]) => {
			const { rows } = await odd.run(bloodPressureOf(picked(String(value), name)));
			return rows.map((row) => row.client_user_id);
		};
		const found = [];
		for (const row of results) found.push(...(await read(row)));
		expect(found).toEqual(users.map((user) => user.client_user_id));
	});
});
