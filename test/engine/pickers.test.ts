/** Pickers: search results in teams of any size, and error messages. */
import { NodeApiError, type INodeListSearchResult } from 'n8n-workflow';
import type { Switches } from '../../dev/sandbox/switches';
import { uuid } from '../../dev/sandbox/world';
import { readProvider } from '../../nodes/HealthDataService/fields/options';
import { readUser } from '../../nodes/HealthDataService/fields/users';
import { searchList } from '../helpers/engine';
import { everythingIn } from '../helpers/machine';
import { createUser, fixedWorld, OTHER_KEY, SPECIAL, SPECIAL_ID, STEADY } from '../helpers/people';
import { queryOf, useSandbox } from '../helpers/requests';
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

describe('a team of 100,000', () => {
	const SIZE = 100_000;
	const omron = createUser('template', ['omron']);
	const users = Array.from({ length: SIZE }, (_, i) => ({
		...omron,
		user_id: uuid('crowd', i),
		client_user_id: `person-${i}`,
	}));
	const connectedTo = (slug: string) => createUser('', [slug]).connected_sources;
	users[1200].connected_sources = connectedTo('rare');
	users[SIZE / 4].connected_sources = connectedTo('hidden');
	const used = useSandbox(() => ({ world: fixedWorld(users, {}), checksItself: false }));
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
		expect((await search('person-98765')).results).toEqual([
			{ name: 'person-98765 (Omron)', value: users[98_765].user_id },
		]);
		expect(used.sandbox.requests).toEqual(['/v2/user/resolve/person-98765']);
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

	it.each<Switches['userTotal']>(['right', 'missing', 'zero', 'negative', 'page', 'tooSmall', 'tooLarge', 'text'])(
		'all are searched, whatever the total: %p',
		async (userTotal) => {
			used.sandbox.switches.userTotal = userTotal;
			expect((await search('aktiia')).results).toEqual([{ name: 'Aktiia (aktiia)', value: 'aktiia' }]);
			const { results } = await searchList(used.credential, 'searchUsers', 'las');
			expect(names({ results })).toEqual(['last (Omron, Aktiia)']);
			expect(used.sandbox.requests).toHaveLength(9);
		},
	);

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
		...[400, 403, 404, 414, 422].map((status) => ({ status, body: { detail: 'invalid identifier' } })),
		...[200, 404].map((status) => ({ status, body: '<html>', type: 'text/html' })),
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
