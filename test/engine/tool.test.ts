/** The node as a tool of an AI agent: the description for the model, the results, and the error messages. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { fromAI, runAgent, type Call } from '../helpers/agent';
import { runNode } from '../helpers/engine';
import { BERLIN, people, readingsOf, SPECIAL_ID, STEADY } from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, listUsers, queryOf, resolve, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const used = useSandbox();
useVirtualTime();
const agent = async (tools: Record<string, INodeParameters>, calls: Call[]) =>
	await runAgent(used.credential, tools, calls);
const call = async (parameters: INodeParameters, args?: IDataObject) =>
	(await agent({ Tool: parameters }, [['Tool', args]])).answers[0];
const answer = async (parameters: INodeParameters, args?: IDataObject) =>
	JSON.parse(await call(parameters, args)) as IDataObject[];

/** Everything that the editor lets a model fill. */
const open: INodeParameters = bloodPressureOf(byUserId(fromAI('User')), {
	startDate: fromAI('Start Date'),
	endDate: fromAI('End Date'),
	provider: { __rl: true, mode: 'slug', value: fromAI('Provider') },
	returnAll: fromAI('Return All', 'boolean'),
	limit: fromAI('Limit', 'number'),
});
const args = {
	User: BERLIN.user_id,
	Start_Date: '2026-03-28',
	End_Date: '2026-03-29',
	Provider: '',
	Return_All: false,
	Limit: 50,
};

describe('texts for a model', () => {
	it.each([
		['Get blood pressure readings in Health Data Service', bloodPressureOf('')],
		['Get mindfulness minutes in Health Data Service', { ...bloodPressureOf(''), operation: 'mindfulnessMinutes' }],
		['List users in Health Data Service', listUsers()],
		['Resolve user by client user ID in Health Data Service', resolve('')],
	])('%s', async (description, parameters) => {
		const { tools } = await agent({ Tool: parameters }, []);
		expect(tools[0].description).toBe(description);
	});

	it('the fields left to the model', async () => {
		const { tools } = await agent({ Readings: open }, []);
		expect(tools.map(({ name }) => name)).toEqual(['Readings']);
		expect(Object.keys(tools[0].schema.shape).join(' ')).toBe('User Start_Date End_Date Provider Return_All Limit');
	});
});

const cut = (advice: string) => ({ note: `Cut off after 2 rows ('Limit'): there may be more. ${advice}` });
const CUT = cut('Ask for fewer users or fewer days');

describe('results for a model', () => {
	it('readings with one identifier and without empty columns, in the range of the model {{ }}', async () => {
		const [first, ...others] = await answer(open, args);
		const [reading] = readingsOf(people(), BERLIN).slice(2);
		const { timestamp, ...values } = reading.point as IDataObject;
		const local_time = String(timestamp).slice(0, 19).replace('T', ' ');
		expect(first).toEqual({ user_id: BERLIN.user_id, local_time, ...values, provider: 'omron', source_type: 'cuff' });
		expect(others).toHaveLength(5);
		expect(queryOf(used.sandbox.requests[0])).toEqual({
			start_date: '2026-03-28T00:00:00.000Z',
			end_date: '2026-03-29T23:59:59.999999Z',
		});
	});

	it('the client user ID where that is known {{ }}', async () => {
		const [row] = await answer(bloodPressureOf(byClientId(fromAI('User'))), { User: SPECIAL_ID });
		expect(Object.keys(row).join(' ')).toBe('client_user_id local_time systolic diastolic unit provider source_type');
	});

	it.each([
		['readings', bloodPressureOf(byClientId('silent'))],
		['users', listUsers({ options: { offset: 4 } })],
	])('a note in place of nothing where there are no %s', async (_, parameters) => {
		expect(await answer(parameters)).toEqual([{ note: 'There is no data for this. It is not an error' }]);
	});

	it('no other fields of the service, and no empty ones {{ }}', async () => {
		Object.assign(used.sandbox.switches, { extraFields: true, oddValues: true, bareSources: true });
		const [row] = await answer(open, args);
		expect(row).toEqual({
			user_id: BERLIN.user_id,
			local_time: expect.any(String),
			systolic: 122,
			unit: 'mm[Hg]',
			provider: 'omron',
		});
	});

	it('users with both identifiers, and the slugs of their providers {{ }}', async () => {
		const expected = {
			user_id: STEADY.user_id,
			client_user_id: 'steady',
			created_on: STEADY.created_on,
			connected_providers: ['omron', 'withings'],
		};
		expect((await answer(listUsers()))[0]).toEqual(expected);
		expect(await answer(resolve(fromAI('Client User ID')), { Client_User_ID: 'steady' })).toEqual([expected]);
	});

	it('a note when Limit may have cut the result {{ }}', async () => {
		expect((await answer(open, { ...args, Limit: 2 }))[2]).toEqual(CUT);
		expect((await answer(listUsers({ limit: 2 })))[2]).toEqual(
			cut('Skip these users, or ask for those of one provider or for one user'),
		);
		expect(await answer(listUsers({ limit: 5 }))).toHaveLength(4);
	});

	it('no note beside the only row of One User', async () => {
		const parameters = bloodPressureOf(byClientId('steady'), { output: 'summary', returnAll: false, limit: 1 });
		expect(await answer(parameters)).toMatchObject([{ client_user_id: 'steady' }]);
	});

	it('a note that comes last, behind users who could not be read', async () => {
		used.sandbox.switches.users = { steady: 'refused' };
		const parameters = bloodPressureOf('', { userScope: 'all', output: 'summary', returnAll: false, limit: 2 });
		const onError = 'continueRegularOutput';
		const { answers } = await runAgent(used.credential, { Tool: parameters }, [['Tool']], {}, { onError });
		const rows = JSON.parse(answers[0]) as IDataObject[];
		expect(rows.map((row) => row.client_user_id ?? row)).toEqual([SPECIAL_ID, 'berlin', 'steady', CUT]);
	});
});

describe('Simplify', () => {
	const raw = async (parameters: INodeParameters) =>
		(await runNode({ credential: used.credential, parameters, timezone: 'UTC' })).rows;
	const operations: Array<[string, INodeParameters]> = [
		['readings', bloodPressureOf(byUserId(STEADY.user_id))],
		['users', listUsers()],
		['a user', resolve('steady')],
	];

	it('has no effect in a workflow, with any saved value', async () => {
		const [[, parameters]] = operations;
		const rows = await raw(parameters);
		for (const simplify of [true, '={{ "nonsense" }}']) expect(await raw({ ...parameters, simplify })).toEqual(rows);
	});

	it.each(operations)('has its meaning for a tool {{ }}: %s', async (_, parameters) => {
		const simple = await call(parameters);
		const whole = JSON.stringify(await raw(parameters));
		expect(simple.length).toBeLessThan(whole.length);
		expect(await call({ ...parameters, simplify: '={{ true }}' })).toBe(simple);
		expect(JSON.parse(await call({ ...parameters, simplify: '={{ false }}' }))).toEqual(JSON.parse(whole));
		used.sandbox.requests.length = 0;
		for (const wrong of ['={{ undefined }}', '={{ "nonsense" }}'])
			expect(await call({ ...parameters, simplify: wrong })).toMatch(/'Simplify' is (empty|not true or false)/);
		expect(used.sandbox.requests).toEqual([]);
	});

	it('leaves one identifier where a tool gives one item per user, however that is chosen {{ }}', async () => {
		const grouped = bloodPressureOf(byClientId('steady'), { output: 'grouped' });
		const [{ client_user_id, groups }] = await raw(grouped);
		for (const output of ['grouped', '={{ "grouped" }}', fromAI('Output')]) {
			expect(JSON.parse(await call({ ...grouped, output }, { Output: 'grouped' }))).toEqual([
				{ client_user_id, groups },
			]);
		}
	});
});

it('sends requests again after a call that failed', async () => {
	used.sandbox.switches.fault = (number) => (number <= 7 ? { status: 503 } : undefined);
	const { answers } = await agent({ Tool: listUsers() }, [['Tool'], ['Tool']]);
	expect(answers[0]).toContain('The service could not answer (status 503). Tried 7 times');
	expect(JSON.parse(answers[1])).toHaveLength(4);
});

it('gives up before an assistant does, which waits a minute', async () => {
	used.sandbox.switches.fault = () => ({ status: 429, headers: { 'retry-after': '20' } });
	expect(await call(listUsers())).toContain('Tried 2 times in 20 s');
});

describe('errors for a model', () => {
	it.each<[string, IDataObject, string, string]>([
		[
			'a word for a date',
			{ Start_Date: 'yesterday' },
			"'Start Date' is not a date",
			'Enter a date such as 2026-06-01 (today)',
		],
		['a name for a user', { User: 'Anna' }, "'User' is not a user ID", 'User → List and User → Resolve give it'],
	])('%s {{ }}', async (_, wrong, message, advice) => {
		const text = await call(open, { ...args, ...wrong });
		// n8n's newest agent gives a model the message alone.
		expect(text).toContain(`${message}. `);
		expect(text).not.toContain('Details');
		expect(text).toContain(advice);
	});

	it('an unknown client user ID {{ }}', async () => {
		const text = await call(resolve(fromAI('Client User ID')), { Client_User_ID: 'Anna' });
		expect(text).toContain("There is no user with this 'Client User ID'. Check the identifier");
		expect(text).toContain('User → List shows both');
	});

	it('an unknown entry of a list: what a model can do, not a setting of the node {{ }}', async () => {
		const userIds = fromAI('User IDs');
		const tool = bloodPressureOf('', { userScope: 'listed', usersBy: 'clientUserId', userIds });
		const text = await call(tool, { User_IDs: 'steady, Anna' });
		expect(text).toContain("Entry 2 of 'User IDs' is an identifier that no user has");
		expect(text).toContain('To read the others, ask again without this user');
		expect(text).not.toContain('On Error');
	});
});
