/**
 * Fields filled by expressions: the meaning that a user would expect, or an error that names the field, before any
 * request. Never a wider read. One field of each kind that n8n treats differently gets all that an expression can give; what
 * the others make of it is in test/unit/fields/fields.test.ts, so they get what shows that they are read in that way.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { fromAI, runAgent } from '../helpers/agent';
import { runNode } from '../helpers/engine';
import { BERLIN, SPECIAL, STEADY } from '../helpers/people';
import { PollingHost } from '../helpers/pollingHost';
import { bloodPressureOf, byClientId, byUserId, listUsers, queryOf, resolve, useSandbox } from '../helpers/requests';

const used = useSandbox();

const GIVEN = {
	undefined: '={{ undefined }}',
	null: '={{ null }}',
	'an empty text': '={{ "" }}',
	'a blank text': '={{ "  " }}',
	'a list': '={{ [1] }}',
	'an empty list': '={{ [] }}',
	'a list of texts': '={{ ["omron"] }}',
	'an object': '={{ ({ a: 1 }) }}',
	'a number': '={{ 3 }}',
	'a number as a text': '={{ " 3 " }}',
	'half a number': '={{ 2.5 }}',
	'a number below all': '={{ -1 }}',
	'a word': '={{ "nonsense" }}',
	true: '={{ true }}',
	false: '={{ false }}',
	'"True"': '={{ " True " }}',
	'"false"': '={{ "false" }}',
};
type Given = keyof typeof GIVEN;

interface Seen {
	rows: IDataObject[];
	requests: string[];
}

interface Field {
	/** On the screen. */
	name: string;
	/** Parameters with the field filled. */
	at: (given: string) => INodeParameters;
	/** What is looked at. */
	shows: (seen: Seen) => unknown;
	/** What is shown for what has a meaning; everything else is refused. */
	means?: Partial<Record<Given, unknown>>;
	/** Gets every value. */
	isOfNewKind?: boolean;
}

const steady = byUserId(STEADY.user_id);
const locator = (mode: string) => (value: string) => ({ __rl: true, mode, value });
const count = ({ rows }: Seen) => rows.length;
/** Requests to resolve; after a 404 comes one for the user list. */
const resolved = ({ requests }: Seen) => requests.filter((url) => url.includes('/resolve/')).length;
const users = ({ requests }: Seen) =>
	new Set(requests.flatMap((url) => /timeseries\/([^/]+)/.exec(url)?.[1] ?? [])).size;
const query =
	(name: string) =>
	({ requests }: Seen) =>
		queryOf(requests.at(-1)!)[name];
const all = (more: INodeParameters) => bloodPressureOf(steady, { userScope: 'all', ...more });
const listed = (more: INodeParameters) =>
	bloodPressureOf('', { userScope: 'listed', userIds: STEADY.user_id, options: { whenNotFound: 'empty' }, ...more });
const option =
	(name: string, more: INodeParameters = {}) =>
	(given: string) =>
		bloodPressureOf(steady, { ...more, options: { [name]: given } });
const teamOption = (name: string, more: INodeParameters = {}) => option(name, { userScope: 'all', ...more });

const EMPTY = ['an empty text', 'a blank text'] as const;
const NUMBERS = ['a number', 'a number as a text'] as const;
const YES = ['true', '"True"'] as const;
const NO = ['false', '"false"'] as const;
const each = (given: readonly Given[], meaning: unknown) => Object.fromEntries(given.map((one) => [one, meaning]));

const slug = {
	...each(EMPTY, undefined),
	'a number': '3',
	'a number as a text': '3',
	'half a number': '2.5',
	'a number below all': '-1',
	'a word': 'nonsense',
	'"True"': 'True',
	'"false"': 'false',
};
const identifiers = {
	'a number': 1,
	'a number as a text': 1,
	'half a number': 1,
	'a number below all': 1,
	'a word': 1,
	'"True"': 1,
	'"false"': 1,
};

const NODE: Field[] = [
	{ name: 'Users', at: (userScope) => bloodPressureOf(steady, { userScope }), shows: count, isOfNewKind: true },
	{ name: 'User', at: (user) => bloodPressureOf(user), shows: count, isOfNewKind: true },
	{ name: 'User', at: (value) => bloodPressureOf(byUserId(value)), shows: count, isOfNewKind: true },
	{ name: 'User', at: (value) => bloodPressureOf(locator('list')(value)), shows: count },
	{
		name: 'Client User ID',
		at: (value) => bloodPressureOf(byClientId(value), { options: { whenNotFound: 'empty' } }),
		shows: resolved,
		means: identifiers,
	},
	{ name: 'Identified By', at: (usersBy) => listed({ usersBy }), shows: count },
	{ name: 'User IDs', at: (userIds) => listed({ userIds }), shows: users, isOfNewKind: true },
	{
		name: 'User IDs',
		at: (userIds) => listed({ userIds, usersBy: 'clientUserId' }),
		shows: resolved,
		means: { ...identifiers, 'a list': 1, 'a list of texts': 1 },
	},
	{
		name: 'When Not Found',
		at: option('whenNotFound', { userScope: 'listed', userIds: STEADY.user_id }),
		shows: count,
	},
	{ name: 'Date Range', at: (dateRange) => bloodPressureOf(steady, { dateRange }), shows: count },
	...['days', 'times'].flatMap((dateRange): Field[] => [
		{
			name: 'Start Date',
			at: (startDate) => bloodPressureOf(steady, { dateRange, startDate }),
			shows: count,
			isOfNewKind: dateRange === 'days',
		},
		{
			name: 'End Date',
			at: (endDate) => bloodPressureOf(steady, { dateRange, endDate }),
			shows: query('end_date'),
			means: each(EMPTY, undefined),
			isOfNewKind: dateRange === 'days',
		},
	]),
	{ name: 'Provider', at: (provider) => bloodPressureOf(steady, { provider }), shows: query('provider'), means: slug },
	{
		name: 'Provider',
		at: (value) => bloodPressureOf(steady, { provider: locator('slug')(value) }),
		shows: query('provider'),
		means: slug,
		isOfNewKind: true,
	},
	{
		name: 'Provider',
		at: (value) => bloodPressureOf(steady, { provider: locator('list')(value) }),
		shows: query('provider'),
		means: slug,
	},
	{
		name: 'Return All',
		at: (returnAll) => bloodPressureOf(steady, { returnAll, limit: 2 }),
		shows: count,
		means: { ...each(YES, 61), ...each(NO, 2) },
		isOfNewKind: true,
	},
	{
		name: 'Limit',
		at: (limit) => bloodPressureOf(steady, { returnAll: false, limit }),
		shows: count,
		means: each(NUMBERS, 3),
		isOfNewKind: true,
	},
	{ name: 'Output', at: (output) => bloodPressureOf(steady, { output }), shows: count },
	{
		name: 'Concurrent Requests',
		at: option('concurrency'),
		shows: count,
		means: each(NUMBERS, 61),
		isOfNewKind: true,
	},
	{
		name: 'Requests per Second',
		at: option('requestsPerSecond'),
		shows: count,
		means: each([...NUMBERS, 'half a number'], 61),
	},
	{
		name: 'Time Zone',
		at: option('timeZone'),
		shows: query('start_date'),
		means: each(EMPTY, '2026-03-01T00:00:00.000+05:30'),
	},
	{ name: 'When Not Found', at: option('whenNotFound'), shows: count },
	{ name: 'Max Users', at: teamOption('userLimit'), shows: users, means: each(NUMBERS, 3) },
	{ name: 'Skip First Users', at: teamOption('userOffset'), shows: users, means: each(NUMBERS, 1) },
	{
		name: 'Only Connected Users',
		at: teamOption('onlyConnected', { provider: locator('slug')('withings') }),
		shows: users,
		means: { ...each(YES, 1), ...each(NO, 4) },
	},
	{
		name: 'Return All',
		at: (returnAll) => listUsers({ returnAll, limit: 2 }),
		shows: count,
		means: { ...each(YES, 4), ...each(NO, 2) },
	},
	{ name: 'Limit', at: (limit) => listUsers({ limit }), shows: count, means: each(NUMBERS, 3) },
	{
		name: 'Connected Provider',
		at: (provider) => listUsers({ returnAll: true, options: { provider } }),
		shows: count,
		means: { ...each(EMPTY, 4), ...each(Object.keys(identifiers) as Given[], 0) },
	},
	{
		name: 'Skip First Users',
		at: (offset) => listUsers({ options: { offset } }),
		shows: count,
		means: each(NUMBERS, 1),
	},
	{
		name: 'Client User ID',
		at: (id) => resolve(id, { whenNotFound: 'empty' }),
		shows: resolved,
		means: identifiers,
		isOfNewKind: true,
	},
	{ name: 'When Not Found', at: (whenNotFound) => resolve('steady', { whenNotFound }), shows: count },
];

/** Two values that no field takes, and the first and the last that this one does. */
const givenTo = ({ means = {}, isOfNewKind }: Field) => {
	if (isOfNewKind) return Object.keys(GIVEN) as Given[];
	const meant = Object.keys(means) as Given[];
	return [...new Set<Given>(['undefined', 'an object', ...meant.slice(0, 1), ...meant.slice(-1)])];
};

const isMeant = ({ means = {} }: Field, given: Given) => given in means;

/** Each field with each value that has a meaning. */
const meant = (fields: Field[]) =>
	fields.flatMap((field, place) =>
		givenTo(field)
			.filter((given) => isMeant(field, given))
			.map((given) => {
				const meaning = field.means![given];
				return [`${field.name} (${place})`, given, JSON.stringify(meaning) ?? 'open', field, meaning] as const;
			}),
	);

/** Each field with the values that it refuses. */
const refused = (fields: Field[]) =>
	fields.map((field, place) => {
		const given = givenTo(field).filter((one) => !isMeant(field, one));
		return [`${field.name} (${place})`, given.join(', '), field, given] as const;
	});

/** An expression that gives each input item another of these values: one run, because each run of an isolate takes a while. */
const eachItem = (given: Given[]) => `={{ [${given.map((one) => GIVEN[one].slice(3, -2)).join(', ')}][$itemIndex] }}`;

describe('the node {{ }}', () => {
	it.each(meant(NODE))('%s filled with %s: %s', async (_, given, __, { at, shows }, meaning) => {
		const { rows, error } = await runNode({
			credential: used.credential,
			parameters: at(GIVEN[given]),
			timezone: 'Asia/Kolkata',
		});
		// An identifier may be unknown.
		expect(error?.httpCode ?? '404').toBe('404');
		expect(shows({ rows, requests: used.sandbox.requests })).toEqual(meaning);
	});

	it.each(refused(NODE))('%s is refused when filled with %s', async (_, __, { name, at }, given) => {
		const { rows } = await runNode({
			credential: used.credential,
			input: given.map(() => ({})),
			parameters: at(eachItem(given)),
			onError: 'continueRegularOutput',
		});
		expect(rows).toHaveLength(given.length);
		for (const { error, details } of rows) {
			expect(error).toMatch(`'${name}' is `);
			expect(details).toMatch(/\S/);
		}
		// Each item had a value of its own.
		expect(new Set(rows.map(({ details }) => details)).size).toBeGreaterThan(1);
		expect(used.sandbox.requests).toEqual([]);
	});

	it('accepts an identifier as a number only up to its exact range', async () => {
		const { error } = await runNode({
			credential: used.credential,
			parameters: resolve('={{ 12345678901234567890 }}'),
		});
		expect(error?.message).toBe("'Client User ID' is not a text");
		expect(used.sandbox.requests).toEqual([]);
	});
});

it.each(['mode', 'value'])(
	'refuses a locator without its %s where that widens or changes what is read',
	async (part) => {
		const whole: IDataObject = { __rl: true, mode: 'slug', value: 'omron' };
		delete whole[part];
		const { rows, error } = await runNode({
			credential: used.credential,
			parameters: bloodPressureOf(steady, { provider: whole as INodeParameters }),
		});
		if (part === 'mode') expect(rows.every(({ provider }) => provider === 'omron')).toBe(true);
		else expect(error?.message).toMatch("'Provider' is ");
	},
);

describe('Simplify', () => {
	const answer = async (parameters: INodeParameters, args: IDataObject = {}) =>
		(await runAgent(used.credential, { Tool: parameters }, [['Tool', args]])).answers[0];
	const raw = async (parameters: INodeParameters) => (await runNode({ credential: used.credential, parameters })).rows;
	const operations: Array<[string, INodeParameters]> = [
		['readings', bloodPressureOf(steady)],
		['users', listUsers()],
		['a user', resolve('steady')],
	];

	it.each(operations)('has no effect in a workflow, with any saved value: %s', async (_, parameters) => {
		for (const simplify of [true, 'true', '={{ true }}', '={{ undefined }}', '={{ "nonsense" }}']) {
			expect(await raw({ ...parameters, simplify })).toEqual(await raw(parameters));
		}
	});

	it.each(operations)('has its meaning for a tool {{ }}: %s', async (_, parameters) => {
		const simple = await answer(parameters);
		const whole = JSON.stringify(await raw(parameters));
		expect(simple.length).toBeLessThan(whole.length);
		for (const yes of [true, '={{ true }}', '={{ " TRUE " }}'])
			expect(await answer({ ...parameters, simplify: yes })).toBe(simple);
		for (const no of [false, '={{ false }}', '={{ "False" }}'])
			expect(JSON.parse(await answer({ ...parameters, simplify: no }))).toEqual(JSON.parse(whole));
		for (const wrong of [
			'={{ undefined }}',
			'={{ null }}',
			'={{ "" }}',
			'={{ [1] }}',
			'={{ ({}) }}',
			'={{ 1 }}',
			'={{ "nonsense" }}',
		]) {
			used.sandbox.requests.length = 0;
			expect(await answer({ ...parameters, simplify: wrong })).toContain("'Simplify' is not true or false");
			expect(used.sandbox.requests).toEqual([]);
		}
	});

	it('has no effect where a tool gives one item per user, however that is chosen {{ }}', async () => {
		const grouped = bloodPressureOf(steady, { output: 'grouped' });
		for (const output of ['grouped', '={{ "grouped" }}', fromAI('Output')]) {
			expect(JSON.parse(await answer({ ...grouped, output }, { Output: 'grouped' }))).toEqual(await raw(grouped));
		}
	});
});

describe('the trigger', () => {
	const watch = (more: INodeParameters): INodeParameters => ({ event: 'bloodPressure', user: steady, ...more });
	const watchList = (more: INodeParameters) => watch({ userScope: 'listed', userIds: STEADY.user_id, ...more });
	const poll = async (
		parameters: INodeParameters,
	): Promise<Seen & { error?: { message: string; description?: string } }> => {
		const n8n = new PollingHost(used.credential, parameters);
		let error: { message: string; description?: string } | undefined;
		await n8n.start().catch((thrown: Error) => (error = thrown));
		return { rows: [], requests: used.sandbox.requests, error };
	};
	const asked = ({ requests }: Seen) => requests.length;
	const watching =
		(name: string, more: INodeParameters = {}) =>
		(given: string) =>
			watch({ ...more, options: { [name]: given } });
	const TRIGGER: Field[] = [
		{ name: 'Users', at: (userScope) => watch({ userScope }), shows: count },
		{ name: 'User', at: (user) => watch({ user }), shows: count },
		{ name: 'User', at: (value) => watch({ user: byUserId(value) }), shows: count },
		{ name: 'User', at: (value) => watch({ user: locator('list')(value) }), shows: count },
		{ name: 'Identified By', at: (usersBy) => watchList({ usersBy }), shows: count },
		{ name: 'User IDs', at: (userIds) => watchList({ userIds }), shows: count },
		{ name: 'Provider', at: (provider) => watch({ provider }), shows: query('provider'), means: slug },
		{
			name: 'Provider',
			at: (value) => watch({ provider: locator('slug')(value) }),
			shows: query('provider'),
			means: slug,
		},
		{
			name: 'Lookback Hours',
			at: (lookback) => watch({ options: { lookback } }),
			shows: ({ requests }) => requests.length,
			means: each(NUMBERS, 1),
		},
		{ name: 'Concurrent Requests', at: watching('concurrency'), shows: asked, means: each(NUMBERS, 1) },
		{
			name: 'Requests per Second',
			at: watching('requestsPerSecond'),
			shows: asked,
			means: each([...NUMBERS, 'half a number'], 1),
		},
		{
			name: 'Only Connected Users',
			at: watching('onlyConnected', { userScope: 'all', provider: locator('slug')('withings') }),
			shows: users,
			means: { ...each(YES, 1), ...each(NO, 4) },
		},
		...[
			['Minimum Systolic', 'minSystolic', 'bloodPressure'],
			['Minimum Diastolic', 'minDiastolic', 'bloodPressure'],
			['Minimum Minutes', 'minValue', 'mindfulnessMinutes'],
		].map(
			([name, option, event]): Field => ({
				name,
				at: watching(option, { event }),
				shows: asked,
				means: each([...NUMBERS, 'half a number'], 1),
			}),
		),
	];

	it.each(meant(TRIGGER))('%s filled with %s {{ }}: %s', async (_, given, __, { at, shows }, meaning) => {
		const { error, ...seen } = await poll(at(GIVEN[given]));
		expect(error).toBeUndefined();
		expect(shows(seen)).toEqual(meaning);
	});

	it.each(refused(TRIGGER))('%s is refused when filled with %s {{ }}', async (_, __, { name, at }, given) => {
		for (const one of given) {
			const { error, requests } = await poll(at(GIVEN[one]));
			expect([one, error?.message]).toEqual([one, expect.stringContaining(`'${name}' is `)]);
			expect(error?.description).toMatch(/\S/);
			expect(requests).toEqual([]);
		}
	});

	// n8n evaluates no expression in this field.
	it.each([
		['an unknown event', 'nonsense'],
		['an expression', '={{ "bloodPressure" }}'],
	])('refuses %s in Trigger On', async (_, event) => {
		const { error, requests } = await poll(watch({ event }));
		expect(error?.message).toMatch("'Trigger On' is ");
		expect(requests).toEqual([]);
	});

	it('accepts a client user ID that is a number, and no list {{ }}', async () => {
		await poll(watch({ user: byClientId('={{ 42 }}') }));
		expect(used.sandbox.requests[0]).toBe('/v2/user/resolve/42');
		expect((await poll(watch({ user: byClientId('={{ [42] }}') }))).error?.message).toBe(
			"'Client User ID' is not a text",
		);
	});

	it('reads no further back than its field allows {{ }}', async () => {
		expect((await poll(watch({ options: { lookback: '={{ 721 }}' } }))).error?.message).toBe(
			"'Lookback Hours' is not a whole number from 1 to 720",
		);
		expect((await poll(watch({ options: { lookback: '={{ 720 }}' } }))).error).toBeUndefined();
	});

	it('watches all users without anything in User when an expression says so {{ }}', async () => {
		expect((await poll({ event: 'bloodPressure', userScope: '={{ "all" }}' })).error).toBeUndefined();
		expect(used.sandbox.requests.length).toBeGreaterThan(1);
	});
});

/** The first item must not decide for all. */
describe('two items that differ in {{ }}', () => {
	const other = { ...bloodPressureOf(steady), dateRange: 'days' };
	const FIELDS: Array<[string, unknown, unknown, (value: string) => INodeParameters]> = [
		['Users', 'one', 'all', (userScope) => ({ ...other, userScope })],
		['User', STEADY.user_id, BERLIN.user_id, (value) => bloodPressureOf(byUserId(value))],
		[
			'User and nothing else, by client user ID',
			STEADY.client_user_id,
			SPECIAL.client_user_id,
			(value) => bloodPressureOf(byClientId(value)),
		],
		['Identified By', 'userId', 'clientUserId', (usersBy) => listed({ usersBy })],
		['User IDs', [STEADY.user_id], [BERLIN.user_id, STEADY.user_id], (userIds) => listed({ userIds })],
		[
			'User IDs and nothing else, by client user ID',
			'steady',
			'berlin, steady',
			(userIds) => listed({ userIds, usersBy: 'clientUserId' }),
		],
		['Date Range', 'days', 'today', (dateRange) => ({ ...other, dateRange })],
		['Start Date', '2026-03-05', '2026-03-09', (startDate) => ({ ...other, startDate })],
		['End Date', '2026-03-05', '2026-03-09', (endDate) => ({ ...other, endDate })],
		['Provider', 'omron', 'withings', (value) => ({ ...other, provider: locator('slug')(value) })],
		['Return All', true, 'false', (returnAll) => ({ ...other, returnAll, limit: 2 })],
		['Limit', 3, 5, (limit) => ({ ...other, returnAll: false, limit })],
		['Output', 'readings', 'grouped', (output) => ({ ...other, output })],
		[
			'Time Zone',
			'Asia/Tokyo',
			'America/New_York',
			(timeZone) => ({ ...other, startDate: '2026-03-03', endDate: '2026-03-04', options: { timeZone } }),
		],
		['Max Users', 1, 3, (userLimit) => all({ options: { userLimit } })],
		['Skip First Users', 0, 2, (userOffset) => all({ options: { userOffset } })],
		[
			'Only Connected Users',
			true,
			false,
			(onlyConnected) => all({ provider: locator('slug')('withings'), options: { onlyConnected } }),
		],
		['Limit of List', 1, 3, (limit) => listUsers({ limit })],
		['Return All of List', false, true, (returnAll) => listUsers({ returnAll, limit: 2 })],
		['Connected Provider', 'omron', 'withings', (provider) => listUsers({ options: { provider } })],
		['Skip First Users of List', 1, 3, (offset) => listUsers({ options: { offset } })],
		['Client User ID', 'steady', 'berlin', (id) => resolve(id)],
		['When Not Found', 'empty', 'error', (whenNotFound) => resolve('unknown', { whenNotFound })],
	];

	it.each(FIELDS)('%s each get the result that they would get alone', async (_, first, second, at) => {
		jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 2, 20, 12));
		const run = async (...values: unknown[]) => {
			used.sandbox.requests.length = 0;
			const input = values.map((value) => ({ value }) as IDataObject);
			const { items } = await runNode({
				credential: used.credential,
				input,
				parameters: at('={{ $json.value }}'),
				onError: 'continueRegularOutput',
			});
			const rows = values.map((__, index) =>
				items.filter(({ pairedItem }) => (pairedItem as { item: number }).item === index).map(({ json }) => json),
			);
			// Whether the Base URL is right is asked once for both.
			const requests = used.sandbox.requests.filter((url) => !url.endsWith('/v2/user?limit=1'));
			return { rows, requests: requests.sort() };
		};
		const [alone, others] = [await run(first), await run(second)];
		const together = await run(first, second);
		jest.restoreAllMocks();

		expect([alone.rows[0], alone.requests]).not.toEqual([others.rows[0], others.requests]);
		expect(together.rows).toEqual([...alone.rows, ...others.rows]);
		expect(together.requests).toEqual([...alone.requests, ...others.requests].sort());
	});
});
