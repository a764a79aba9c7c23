/**
 * Provider and Source Types. A slug is sent as typed, without blanks around it, and one that no user of the team has is an error;
 * Source Types give every Output, and Limit, as if the other readings were not there.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { sourceTypesProblem } from '../../nodes/HealthDataService/service/users/provider';
import { fromAI, runAgent } from '../helpers/agent';
import { useRunner, type RunOptions } from '../helpers/engine';
import { people, SILENT, SPECIAL, STEADY } from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, listUsers, queryOf } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

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
