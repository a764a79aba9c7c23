/**
 * Provider and Source Types. A slug is sent as typed, without blanks around it, and a provider that no user has is in n8n's log;
 * Source Types give every Output, and Limit, as if the other readings were not there. Limit with several users: the log of an
 * unattended run says that users were not read.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { fromAI, runAgent } from '../helpers/agent';
import { runNode, type RunOptions } from '../helpers/engine';
import { useLogLines } from '../helpers/logLines';
import { people, SILENT, SPECIAL, SPECIAL_ID, STEADY } from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, listUsers, queryOf, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

describe('Provider', () => {
	const used = useSandbox();
	useVirtualTime();
	const log = useLogLines();

	const slug = (value: string) => ({ provider: { __rl: true, mode: 'slug', value } });
	const all = (more: INodeParameters) => bloodPressureOf('', { userScope: 'all', ...more });
	const run = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) => {
		const { rows, error } = await runNode({ credential: used.credential, parameters, ...more });
		expect(error).toBeUndefined();
		return rows;
	};
	const providersSent = () => [
		...new Set(used.sandbox.requests.filter((url) => url.includes('timeseries')).map((url) => queryOf(url).provider)),
	];

	describe('as typed, but for blanks around it', () => {
		it.each([
			['omron', 'omron'],
			[' omron ', 'omron'],
			['Omron', 'Omron'],
		])('%j is sent as %j', async (typed, sent) => {
			const rows = await run(all({ output: 'summary', ...slug(typed) }));
			expect(providersSent()).toEqual([sent]);
			expect(rows.some(({ readings }) => Number(readings) > 0)).toBe(sent === 'omron');
		});

		it('User → List keeps the users who have it', async () => {
			const rows = await run(listUsers({ options: { provider: ' omron ' } }));
			expect(rows.map((row) => row.client_user_id)).toEqual(['steady', SPECIAL.client_user_id, 'berlin']);
		});

		it('no line where no record shows the slugs', async () => {
			expect(await run(bloodPressureOf(byUserId(STEADY.user_id), slug('Omron')))).toEqual([]);
			expect(log).toEqual([]);
		});
	});

	describe('a provider that no user has', () => {
		const line =
			'Workflow "Test", node "Node": No user who was read has the provider "apple health" connected, and no reading has it. ' +
			"'Provider' takes the service's slug, in the same upper and lower case: User → List shows the slugs under connected_sources.";

		it.each<[string, INodeParameters]>([
			['All Users', all(slug('apple health'))],
			['a summary', all({ output: 'summary', ...slug('apple health') })],
			['one user', bloodPressureOf(byClientId('steady'), slug('apple health'))],
			['User → List', listUsers({ options: { provider: 'apple health' } })],
		])('%s: one line of the log, no error', async (_, parameters) => {
			await run(parameters);
			expect(log).toEqual([line]);
		});

		it('of many items, one line', async () => {
			await run(all(slug('apple health')), { input: Array.from({ length: 5 }, () => ({})) });
			expect(log).toEqual([line]);
		});

		it('no line where another item has such a user {{ }}', async () => {
			const parameters = bloodPressureOf(byClientId('={{ $json.user }}'), slug('omron'));
			used.sandbox.switches.fault = (_, url) => (url.endsWith('/steady') ? { delayMs: 1000 } : undefined);
			const input: IDataObject[] = [{ user: 'silent' }, { user: 'steady' }, { user: 'silent' }];
			expect(await run(parameters, { input })).not.toEqual([]);
			expect(log).toEqual([]);
		});

		it('no line where it was disconnected, and readings have it', async () => {
			const sources = STEADY.connected_sources;
			STEADY.connected_sources = [];
			expect(await run(bloodPressureOf(byClientId('steady'), slug('omron')))).not.toEqual([]);
			STEADY.connected_sources = sources;
			expect(log).toEqual([]);
		});
	});

	describe('Limit that ends a read of several users', () => {
		const line = (users: string) =>
			`Workflow "Test", node "Node": 'Limit' (5) ended the read after ${users}: those further down the list were not read. ` +
			"Turn on 'Return All' to read all users.";
		const limited = { returnAll: false, limit: 5 };
		const listed = (userIds: string) => bloodPressureOf('', { userScope: 'listed', userIds, ...limited });

		it.each<[string, INodeParameters]>([
			['All Users', all(limited)],
			['one after the other', all({ ...limited, options: { concurrency: 1 } })],
			['Listed Users', listed(`${STEADY.user_id}, ${SPECIAL.user_id}`)],
		])('%s: one line of the log', async (_, parameters) => {
			expect(await run(parameters, { mode: 'trigger', input: [{}, {}] })).toHaveLength(10);
			expect(log).toEqual([line('1 user')]);
		});

		it('counts the users who were read', async () => {
			await run(listed(`${SILENT.user_id}, ${SPECIAL.user_id}, ${STEADY.user_id}, ${SPECIAL.user_id}`), {
				mode: 'trigger',
			});
			expect(log).toEqual([]);
			await run(listed(`${SILENT.user_id}, ${STEADY.user_id}, ${SPECIAL.user_id}`), { mode: 'trigger' });
			expect(log).toEqual([line('2 users')]);
		});

		it.each<[string, INodeParameters]>([
			['the last user', listed(`${SPECIAL.user_id}, ${STEADY.user_id}`)],
			['one user', bloodPressureOf(byUserId(STEADY.user_id), limited)],
			['Return All', all({})],
		])('no line for %s', async (_, parameters) => {
			await run(parameters, { mode: 'trigger' });
			expect(log).toEqual([]);
		});

		it('no line in the editor, which shows a hint', async () => {
			await run(all(limited));
			expect(log).toEqual([]);
		});
	});
});

describe('Source Types', () => {
	/** Pages of which some have none of the type. */
	const used = useSandbox(() => ({ world: people(), switches: { pageSize: 2 } }));

	const run = async (output: string, sourceTypes?: INodeParameters[string], more: INodeParameters = {}) => {
		const options = sourceTypes === undefined ? {} : { sourceTypes };
		const parameters = bloodPressureOf('', { userScope: 'all', output, options, ...more });
		return await runNode({ credential: used.credential, parameters });
	};

	it.each(['readings', 'daily'])('Output %s: exactly the rows of these types, with the same id', async (output) => {
		const { rows } = await run(output);
		const phones = rows.filter(({ source_type: type }) => type === 'phone');
		expect(phones.length).toBeGreaterThan(10);
		expect(phones.length).toBeLessThan(rows.length);
		expect((await run(output, ' PHONE, ring')).rows).toEqual(phones);
		expect((await run(output, ['Cuff', 'phone'])).rows).toEqual(rows);
		expect((await run(output, '')).rows).toEqual(rows);
	});

	it('Output summary: counts and averages only these', async () => {
		const readings = (await run('readings', 'phone')).rows.filter(({ user_id: id }) => id === STEADY.user_id);
		const { rows } = await run('summary', 'phone');
		expect(rows.map(({ client_user_id: name, readings: count }) => [name, count])).toEqual([
			['steady', readings.length],
			[SPECIAL_ID, 1],
			['berlin', 0],
			['silent', 0],
		]);
		const mean = readings.reduce((sum, { systolic }) => sum + Number(systolic), 0) / readings.length;
		expect(rows[0].systolic_mean).toBeCloseTo(mean, 1);
		expect(rows[0]).toMatchObject({ providers: 'omron', source_types: 'phone' });
	});

	it('Output grouped: the groups of these types', async () => {
		const { rows } = await run('grouped', 'phone');
		const groups = rows.map(({ groups: all }) => all as Record<string, Array<{ data: object[]; source: IDataObject }>>);
		expect(groups.map((one) => Object.values(one).flatMap((list) => list.map(({ source }) => source.type)))).toEqual([
			['phone'],
			['phone'],
			[],
			[],
		]);
		expect(groups[0].omron[0].data).toHaveLength(20);
	});

	it('Limit counts only these', async () => {
		const { rows } = await run('readings', 'phone');
		const limited = await run('readings', 'phone', { returnAll: false, limit: 5 });
		expect(limited.rows).toEqual(rows.slice(0, 5));
		expect(limited.rows.map(({ source_type: type }) => type)).toEqual(Array(5).fill('phone'));
	});

	it('a reading without a type is of none', async () => {
		used.sandbox.switches.bareSources = true;
		expect((await run('readings', 'cuff, null, undefined')).rows).toEqual([]);
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
		expect(JSON.parse(answers[1])).toEqual([{ note: expect.stringContaining("'Source Types'") }]);
	});
});
