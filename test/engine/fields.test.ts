/**
 * Fields filled by expressions: for two items that differ, because the first item must not decide for all; an error that names
 * the field, before any request, never a wider read. A sample of each kind of field: test/unit/fields shows what each makes of any value.
 * Provider and Source Types: a slug that no user of the team has is an error, and so are types that no reading has.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { sourceTypesProblem } from '../../nodes/HealthDataService/service/users/provider';
import { fromAI, runAgent } from '../helpers/agent';
import { useRunner, type RunOptions } from '../helpers/engine';
import { BERLIN, people, SILENT, SPECIAL, SPECIAL_ID, STEADY } from '../helpers/people';
import { PollingHost } from '../helpers/pollingHost';
import { bloodPressureOf, byClientId, byUserId, listUsers, queryOf, resolve } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const used = useRunner();

/** Parameters with the field filled. */
type Fill = (given: string) => INodeParameters;

const steady = byUserId(STEADY.user_id);
const locator = (mode: string) => (value: string) => ({ __rl: true, mode, value });
const slug = locator('slug');
const ofSteady = (more: INodeParameters) => bloodPressureOf(steady, more);
const all = (options: INodeParameters) => ofSteady({ userScope: 'all', provider: slug('withings'), options });
const listed = (more: INodeParameters) =>
	ofSteady({ userScope: 'listed', userIds: STEADY.user_id, options: { whenNotFound: 'empty' }, ...more });

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** A field of each kind, and two values that read something different. */
const FIELDS: Array<[name: string, at: Fill, first: unknown, second: unknown]> = [
	['Users', (userScope) => ofSteady({ userScope }), 'one', 'all'],
	['User', (user) => bloodPressureOf(user), STEADY.user_id, BERLIN.user_id],
	['User', (value) => bloodPressureOf(locator('list')(value)), STEADY.user_id, BERLIN.user_id],
	[
		'Client User ID',
		(value) => bloodPressureOf(byClientId(value), { options: { whenNotFound: 'empty' } }),
		'steady',
		SPECIAL_ID,
	],
	['Identified By', (usersBy) => listed({ usersBy }), 'userId', 'clientUserId'],
	['User IDs', (userIds) => listed({ userIds }), [STEADY.user_id], [BERLIN.user_id, STEADY.user_id]],
	[
		'When Not Found',
		(whenNotFound) => bloodPressureOf(byUserId(UNKNOWN), { options: { whenNotFound } }),
		'empty',
		'error',
	],
	['Date Range', (dateRange) => ofSteady({ dateRange }), 'days', 'today'],
	['Start Date', (startDate) => ofSteady({ startDate }), '2026-03-05', '2026-03-09'],
	['End Date', (endDate) => ofSteady({ dateRange: 'times', endDate }), '2026-03-05T07:30', '2026-03-09'],
	['Provider', (value) => ofSteady({ provider: slug(value) }), 'omron', 'withings'],
	['Output', (output) => ofSteady({ output }), 'readings', 'grouped'],
	['Return All', (returnAll) => ofSteady({ returnAll, limit: 2 }), true, false],
	['Limit', (limit) => ofSteady({ returnAll: false, limit }), 3, ' 5 '],
	[
		'Time Zone',
		(timeZone) => ofSteady({ startDate: '2026-03-03', endDate: '2026-03-04', options: { timeZone } }),
		'Asia/Tokyo',
		'America/New_York',
	],
	['Max Users', (userLimit) => all({ userLimit }), 1, 3],
	['Only Connected Users', (onlyConnected) => all({ onlyConnected }), true, false],
	['Connected Provider', (provider) => listUsers({ returnAll: true, options: { provider } }), 'omron', 'withings'],
	['Skip First Users', (offset) => listUsers({ options: { offset } }), 1, 3],
	['Client User ID', (id) => resolve(id, { whenNotFound: 'empty' }), 'steady', 'berlin'],
];

/** In one run, because each run of an isolate takes a while: nothing, null, an empty list and an object. */
const WRONG = '={{ [undefined, null, [], ({ a: 1 })][$itemIndex] }}';

describe('the node {{ }}', () => {
	it.each(FIELDS)('%s is refused when filled with what is no value of it', async (name, at) => {
		const { rows } = await used.run(at(WRONG), { input: [{}, {}, {}, {}], onError: 'continueRegularOutput' });
		expect(rows).toHaveLength(4);
		for (const { error, details } of rows) {
			expect(error).toMatch(`'${name}' is `);
			expect(details).toMatch(/\S/);
		}
		// Each item had a value of its own.
		expect(new Set(rows.map(({ error }) => error)).size).toBeGreaterThan(1);
		expect(used.sandbox.requests).toEqual([]);
	});

	it.each(FIELDS)('%s of two items that differ: each gets what it would get alone', async (_, at, first, second) => {
		jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 2, 20, 12));
		const run = async (...values: unknown[]) => {
			used.sandbox.requests.length = 0;
			const input = values.map((value) => ({ value }) as IDataObject);
			const { items } = await used.run(at('={{ $json.value }}'), { input, onError: 'continueRegularOutput' });
			const rows = values.map((__, index) =>
				items.filter(({ pairedItem }) => (pairedItem as { item: number }).item === index).map(({ json }) => json),
			);
			// What both need, such as the list for the check of a provider, may be asked once.
			const requests = used.sandbox.requests.filter((url) => !url.endsWith('/v2/user?limit=1'));
			return { rows, requests: new Set(requests) };
		};
		const [alone, others] = [await run(first), await run(second)];
		const together = await run(first, second);
		jest.restoreAllMocks();

		expect([alone.rows[0], alone.requests]).not.toEqual([others.rows[0], others.requests]);
		expect(together.rows).toEqual([...alone.rows, ...others.rows]);
		expect(together.requests).toEqual(new Set([...alone.requests, ...others.requests]));
	});
});

it('refuses a locator without its value, which would widen what is read', async () => {
	const provider = { __rl: true, mode: 'slug' } as INodeParameters;
	const { error } = await used.run(bloodPressureOf(steady, { provider }));
	expect(error?.message).toMatch("'Provider' is ");
});

describe('the trigger', () => {
	const watch = (more: INodeParameters): INodeParameters => ({
		event: 'bloodPressure',
		userScope: 'one',
		user: steady,
		...more,
	});
	async function poll(parameters: INodeParameters) {
		let error: { message: string; description?: string } | undefined;
		await new PollingHost(used.credential, parameters).start().catch((thrown: Error) => (error = thrown));
		return { requests: used.sandbox.requests, error };
	}
	const watching =
		(name: string): Fill =>
		(given) =>
			watch({ options: { [name]: given } });
	const lookback = watching('lookback');
	const limit =
		(name: string, event = 'bloodPressure'): Fill =>
		(given) =>
			watch({ event, limits: { high: { [name]: given } } });

	const count = (requests: string[]) => requests.filter((url) => url.includes('timeseries')).length;
	it.each<[string, string, Fill]>([
		['Lookback Hours', '" 3 "', lookback],
		['High Systolic', '200', limit('systolic')],
	])('%s filled with {{ %s }} is read', async (_, given, at) => {
		const { requests, error } = await poll(at(`={{ ${given} }}`));
		expect(error).toBeUndefined();
		expect(count(requests)).toBe(1);
	});

	it.each<[string, Fill]>([
		['Users', (userScope) => watch({ userScope })],
		['User', (value) => watch({ user: byUserId(value) })],
		['User IDs', (userIds) => watch({ userScope: 'listed', userIds })],
		['Provider', (value) => watch({ provider: slug(value) })],
		['Lookback Hours', lookback],
		['Requests per Second', watching('requestsPerSecond')],
		[
			'Only Connected Users',
			(onlyConnected) => watch({ userScope: 'all', provider: slug('withings'), options: { onlyConnected } }),
		],
		['High Systolic', limit('systolic')],
		['Minutes', limit('minutes', 'mindfulnessMinutes')],
	])('%s is refused when filled with nothing or an object {{ }}', async (name, at) => {
		for (const one of ['={{ undefined }}', '={{ ({ a: 1 }) }}']) {
			const { error, requests } = await poll(at(one));
			expect(error?.message).toContain(`'${name}' is `);
			expect(error?.description).toMatch(/\S/);
			expect(requests).toEqual([]);
		}
	});

	// n8n evaluates no expression in this field.
	it('refuses an expression in Trigger On', async () => {
		const { error, requests } = await poll(watch({ event: '={{ "bloodPressure" }}' }));
		expect(error?.message).toMatch("'Trigger On' is ");
		expect(requests).toEqual([]);
	});

	it('reads no further back than its field allows {{ }}', async () => {
		expect((await poll(watch({ options: { lookback: '={{ 721 }}' } }))).error?.message).toMatch(
			"'Lookback Hours' is not a whole number from 1 to 720. ",
		);
		expect((await poll(watch({ options: { lookback: '={{ 720 }}' } }))).error).toBeUndefined();
	});
});

describe('Provider', () => {
	const used = useRunner();
	useVirtualTime();

	const slug = (value: string) => ({ provider: { __rl: true, mode: 'slug', value } });
	const all = (more: INodeParameters) => bloodPressureOf('', { userScope: 'all', ...more });
	const run = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) => {
		const { rows, error } = await used.run(parameters, more);
		expect(error).toBeUndefined();
		return rows;
	};
	it.each([
		[' omron ', 'omron'],
		['Omron', 'Omron'],
	])('as typed, but for blanks around it: %j is sent as %j', async (typed, sent) => {
		await used.run(all({ output: 'summary', ...slug(typed) }));
		const read = used.sandbox.requests.filter((url) => url.includes('timeseries'));
		expect([...new Set(read.map((url) => queryOf(url).provider))]).toEqual([sent]);
	});

	describe('a provider that no user has, without a reading', () => {
		const advice = (slugs: string) => `Enter the ID, in the same upper and lower case, such as ${slugs}`;
		const message = (field: string) => `'${field}' is not the ID of a provider that a user has connected`;
		const listed = (provider: string, options = {}) => listUsers({ options: { provider, ...options } });

		it.each<[string, INodeParameters]>([
			['readings', all(slug('apple health'))],
			['a summary with Limit', all({ output: 'summary', returnAll: false, limit: 1, ...slug('WITHINGS') })],
			['Only Connected Users', all({ ...slug('Omron'), options: { onlyConnected: true } })],
			['one user', bloodPressureOf(byClientId('steady'), slug('Omron'))],
			['listed users', bloodPressureOf('', { userScope: 'listed', userIds: [STEADY.user_id], ...slug('Omron') })],
			['a window of users', all({ ...slug('Omron'), options: { userLimit: 2 } })],
			['User → List without the first', listed('Omron', { offset: 1 })],
			['User → List with Limit', { ...listed('OMRON'), returnAll: false, limit: 1 }],
		])('%s: an error', async (_, parameters) => {
			const field = parameters.resource === 'user' ? 'Connected Provider' : 'Provider';
			const { error } = await used.run(parameters);
			expect([error?.message, error?.description]).toEqual([message(field), advice('omron, withings')]);
		});

		it('the list is asked once for all items with the key, and the error is that of each {{ }}', async () => {
			const { rows } = await used.run(bloodPressureOf(byUserId('={{ $json.id }}'), slug('Omron')), {
				input: [STEADY, SPECIAL, SILENT].map(({ user_id: id }) => ({ id })),
				onError: 'continueRegularOutput',
			});
			expect(rows.map(({ error }) => error)).toEqual(Array(3).fill(message('Provider')));
			expect(used.sandbox.requests.filter((url) => url.startsWith('/v2/user?'))).toHaveLength(2);
		});

		it.each<[string, INodeParameters]>([
			['one', bloodPressureOf(byClientId('steady'), slug('withings'))],
			['all', all(slug('withings'))],
		])('no error, and no further list, where a user who was read has it, and no reading: %s', async (_, parameters) => {
			expect(await run({ ...parameters, startDate: '2020-01-01', endDate: '2020-01-02' })).toEqual([]);
			const lists = used.sandbox.requests.filter((url) => url.startsWith('/v2/user?'));
			expect(lists.filter((url) => url.includes('offset=0'))).toHaveLength(parameters.userScope === 'all' ? 1 : 0);
		});

		it('no error where the list cannot be read', async () => {
			used.sandbox.switches.fault = (__, url) => (url.startsWith('/v2/user?') ? { status: 500 } : undefined);
			expect(await run(bloodPressureOf(byUserId(STEADY.user_id), slug('Omron')))).toEqual([]);
		});

		it('names ten slugs at most, and none that is more than a slug', async () => {
			const sources = STEADY.connected_sources!;
			const names = ['=1', 'a b', 'x'.repeat(65), ...Array.from({ length: 11 }, (_, i) => `p${i + 10}`)];
			STEADY.connected_sources = names.map((name) => ({
				...sources[0],
				source: { ...sources[0].source, slug: name, name },
			}));
			const { error } = await used.run(listed('P'));
			STEADY.connected_sources = sources;
			expect(error?.description).toBe(advice('omron, p10, p11, p12, p13, p14, p15, p16, p17, p18'));
		});

		it('a team without any says so', async () => {
			used.sandbox.switches.bareUsers = true;
			const { error } = await used.run(listed('omron'));
			expect(error?.description).toBe("Pick one from the list, or leave 'Connected Provider' empty for all");
		});

		it('no error where it was disconnected, and a reading has it', async () => {
			const users = used.sandbox.world.teams[0].users;
			const sources = users.map((user) => user.connected_sources);
			for (const user of users) user.connected_sources = [];
			// Source Types leaves out every reading.
			await run(all({ ...slug('omron'), options: { sourceTypes: 'fax' } }), { mode: 'trigger' });
			users.forEach((user, index) => (user.connected_sources = sources[index]));
		});

		it('no error where a user could not be read', async () => {
			used.sandbox.switches.users = { steady: 'fails' };
			const rows = await run(all(slug('Omron')), { onError: 'continueRegularOutput' });
			expect(rows).toMatchObject([{ client_user_id: 'steady', error: expect.stringMatching(/status 500/) }]);
		});

		it('no error for a team without users', async () => {
			const [team] = used.sandbox.world.teams;
			const users = team.users as unknown[];
			const before = users.splice(0);
			expect(await run(all(slug('Omron')))).toEqual([]);
			users.push(...before);
		});
	});
});

describe('Source Types', () => {
	/** Pages of which some have none of the type. */
	const used = useRunner(() => ({ world: people(), switches: { pageSize: 2 } }));

	const run = async (output: string, sourceTypes?: INodeParameters[string], more: INodeParameters = {}) => {
		const options = sourceTypes === undefined ? {} : { sourceTypes };
		return await used.run(bloodPressureOf('', { userScope: 'all', output, options, ...more }));
	};

	it('Output readings: exactly the rows of these types, with the same id', async () => {
		const output = 'readings';
		const { rows } = await run(output);
		const phones = rows.filter(({ source_type: type }) => type === 'phone');
		expect(phones.length).toBeGreaterThan(10);
		expect(phones.length).toBeLessThan(rows.length);
		expect((await run(output, ' PHONE, ring')).rows).toEqual(phones);
		expect((await run(output, ['Cuff', 'phone'])).rows).toEqual(rows);
		expect((await run(output, '')).rows).toEqual(rows);
	});

	describe('that no reading has, where readings came', () => {
		const message = "Readings came, but none is of the 'Source Types'";

		it.each(['readings', 'summary'])('in the editor an error names the types: %s', async (output) => {
			const { error } = await run(output, 'fax');
			expect([error?.message, error?.description]).toEqual([message, 'Their source types are: cuff, phone']);
		});

		it('unattended, and without any reading, the rows as they are', async () => {
			const parameters = bloodPressureOf('', {
				userScope: 'all',
				output: 'summary',
				options: { sourceTypes: 'fax' },
			});
			const unattended = await used.run(parameters, { mode: 'trigger' });
			expect(unattended.rows).toHaveLength(4);
			const none = await used.run({ ...parameters, startDate: '2020-01-01', endDate: '2020-01-02' });
			expect(none.rows).toHaveLength(4);
		});

		it('a group without readings has no type', async () => {
			const body = JSON.stringify({ groups: { omron: [{ data: [], source: { type: 'cuff' } }] } });
			used.sandbox.switches.fault = (_, url) =>
				url.includes('timeseries') ? { status: 200, body, type: 'application/json' } : undefined;
			expect((await run('summary', 'fax')).rows).toHaveLength(4);
		});

		it('readings without a type are not the ones meant', async () => {
			used.sandbox.switches.bareSources = true;
			const { error } = await run('readings', 'cuff, null, undefined');
			expect(error?.message).toBe(message);
		});

		it('are not said to be missing where each is more than a word', () => {
			expect(sourceTypesProblem(['cuff'], new Set(['', 'smart watch']))?.description).toBe(
				"Without 'Source Types', the column source_type shows those that they have",
			);
		});

		it('names ten at most, and none that is more than a word', () => {
			const types = ['a b', '\n', 'x'.repeat(65), '', ...Array.from({ length: 11 }, (_, i) => `t${i + 10}`)];
			expect(sourceTypesProblem(['cuff'], new Set(types))?.description).toBe(
				'Their source types are: t10, t11, t12, t13, t14, t15, t16, t17, t18, t19',
			);
			expect(sourceTypesProblem([], new Set(types))).toBeUndefined();
		});
	});

	it('a model fills it, without a picker {{ }}', async () => {
		const parameters = bloodPressureOf(byClientId('steady'), { options: { sourceTypes: fromAI('Source Types') } });
		const { answers } = await runAgent(used.credential, { Tool: parameters }, [
			['Tool', { Source_Types: '["phone"]' }],
			['Tool', { Source_Types: 'fax' }],
		]);
		const rows = JSON.parse(answers[0]) as IDataObject[];
		expect(rows).toHaveLength(20);
		expect(new Set(rows.map(({ source_type: type }) => type))).toEqual(new Set(['phone']));
		expect(answers[1]).toContain("none is of the 'Source Types'. Their source types are: cuff, phone");
	});
});
