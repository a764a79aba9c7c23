/** Every workflow of examples/ in a real n8n: what it is made of, and what comes out of it up to the nodes of others. */
import type { IDataObject, INode, INodeTypeDescription } from 'n8n-workflow';
import { defaultSwitches } from '../../../dev/sandbox/switches';
import { KEY } from '../../helpers/people';
import { checkExample } from './checks';
import { exampleFiles, isNamedIn, readExample } from './files';
import { EVALUATED, prepare, type Credentials, type Example } from './run';
import { FIRST, LAST_MONDAY, pressureRows, SECOND, TODAY, weekRow, world, ZONE } from './exampleWorld';
import { calls, says, startModel } from './fakeModel';
import { chain, node, NODE_TYPE, START } from '../../../dev/host/workflow';
import { describeNode } from '../../../dev/host/nodeTypes';
import { textOf } from '../../helpers/pages';
import { useHost } from '../n8n';

/** Examples that need more than this n8n, and the test that runs them. All others are run here. */
const RUN_ELSEWHERE: Record<string, string> = {
	'nightly-plan.json': 'test/queue/nightly.ts',
	'nightly-shards.json': 'test/queue/nightly.ts',
	'nightly-table-postgres.json': 'test/queue/tables.test.ts',
	'backfill-and-follow.json': 'test/queue/tables.test.ts',
	'high-blood-pressure-alert.json': 'test/e2e/examples/slackMessages.test.ts',
	'new-reading-alert.json': 'test/e2e/examples/slackMessages.test.ts',
	'users-without-readings.json': 'test/e2e/examples/slackMessages.test.ts',
	'error-workflow.json': 'test/e2e/examples/errorWorkflow.test.ts',
	'weekly-letter.json': 'test/e2e/examples/letter.test.ts',
	'mcp-server.json': 'test/e2e/examples/mcpServer.test.ts',
};
const RUN_HERE = exampleFiles().filter((file) => !(file in RUN_ELSEWHERE));

const host = useHost(world);
let types: INodeTypeDescription[];
let credentials: Credentials;
let model: Awaited<ReturnType<typeof startModel>>;
beforeAll(async () => {
	model = await startModel();
	types = await host.rest.get('/types/nodes.json');
	credentials = {
		healthDataServiceApi: await host.credential(KEY),
		openAiApi: await host.rest.createCredential({
			name: 'model',
			type: 'openAiApi',
			data: { apiKey: 'none', url: model.url },
		}),
	};
});
// Readings come in several pages, and the last one of a page comes again on the next.
beforeEach(() => void Object.assign(host.sandbox.switches, defaultSwitches(), { pageSize: 3, overlap: true }));
afterAll(async () => await model?.close());

describe.each(exampleFiles())('%s', (file) => checkExample(readExample(file), () => types));

/** Imports an example. */
const put = async (file: string, has = credentials, more: Partial<Example> = {}) =>
	await host.rest.importWorkflow({ ...prepare(readExample(file), types, has, ZONE), ...more });

const isTrigger = (node: INode) => describeNode(types, node)!.group.includes('trigger');
const hasRun = new Set<string>();

/** Runs an example from its first trigger, or from the one that is named. */
async function run(file: string, has = credentials, more: Partial<Example> = {}, from?: string) {
	hasRun.add(file);
	const { id, nodes } = await put(file, has, more);
	const { status, error, runData } = await host.rest.runWorkflow(id, from ?? nodes.find(isTrigger).name);
	const rows = (name: string): IDataObject[] =>
		(runData[name]?.[0]?.data?.main?.[0] ?? []).map(({ json }: { json: IDataObject }) => json);
	return { status, message: error?.message as string | undefined, rows, hasRun: (name: string) => name in runData };
}

/** The evaluated fields of a third-party node, for each item that reaches it. */
const evaluated = (rows: IDataObject[]) => rows.map((row) => row[EVALUATED]);
const byId = (rows: IDataObject[]) => [...rows].sort((a, b) => (String(a.row_id) < String(b.row_id) ? -1 : 1));

describe('morning-table.json', () => {
	it('gives a row for each reading of the last 7 days, each once, and the same ids when it runs again', async () => {
		const { status, rows } = await run('morning-table.json');
		expect(status).toBe('success');
		const table = rows('Table in Google Sheets');
		expect(table).toHaveLength(4 + 8);
		expect(rows('Blood Pressure').length).toBeGreaterThan(table.length);
		expect(byId(table)).toEqual(byId([FIRST, SECOND].flatMap(pressureRows)));

		const again = await run('morning-table.json');
		expect(byId(again.rows('Table in Google Sheets'))).toEqual(byId(table));
	});

	it('writes the readings of the others, and ends as failed with the failed users', async () => {
		host.sandbox.switches.users = { [SECOND.user_id]: 'refused' };
		const { status, message, rows } = await run('morning-table.json');
		expect([status, message]).toEqual(['error', REFUSED]);
		expect(byId(rows('Table in Google Sheets'))).toEqual(byId(pressureRows(FIRST)));
	});

	it('ends as failed with an error that concerns all users, and writes nothing', async () => {
		const wrong = { healthDataServiceApi: await host.credential('wrong') };
		const { status, message, hasRun } = await run('morning-table.json', wrong);
		expect(status).toBe('error');
		expect(message).toMatch(/^Could not be read: The service did not accept the API key \(status 401\)\. [A-Z]/);
		expect(hasRun('Table in Google Sheets')).toBe(false);
	});
});

/** How a run ends that could not read the second user. */
const REFUSED = `Could not be read: ${SECOND.user_id} (The service refuses this user's data (status 403))`;

describe('weekly-mindfulness-report.json', () => {
	const table = 'Report in Google Sheets';

	it('adds up the minutes of each user from last Monday to Sunday, under a key of user and week', async () => {
		const { status, rows } = await run('weekly-mindfulness-report.json');
		expect(status).toBe('success');
		expect(weekRow(FIRST)).toMatchObject({ sessions: 4, minutes: 32.8 });
		expect(rows(table)).toMatchObject([FIRST, SECOND].map(weekRow));
		const keys = rows(table).map(({ row_id: key }) => key);
		expect(new Set(keys).size).toBe(2);
		const again = await run('weekly-mindfulness-report.json');
		expect(again.rows(table).map(({ row_id: key }) => key)).toEqual(keys);
	});

	it('fails, and writes nothing, when the step before fails as a whole', async () => {
		const gone = await host.credential(KEY);
		await host.rest.delete(`/rest/credentials/${gone}`);
		const { status, hasRun } = await run('weekly-mindfulness-report.json', { healthDataServiceApi: gone });
		expect([status, hasRun(table)]).toEqual(['error', false]);
	});

	it('writes the others, and ends as failed with those that could not be read', async () => {
		host.sandbox.switches.users = { [SECOND.user_id]: 'refused' };
		const { status, message, rows } = await run('weekly-mindfulness-report.json');
		expect([status, message]).toEqual(['error', REFUSED]);
		expect(rows(table)).toMatchObject([weekRow(FIRST)]);
	});
});

describe('error-handling.json', () => {
	it('reads the known users and reports the unknown ones to operations', async () => {
		const { status, rows, hasRun } = await run('error-handling.json');
		expect(status).toBe('success');
		expect(byId(rows('Table in Google Sheets'))).toEqual(byId([FIRST, SECOND].flatMap(pressureRows)));
		const text = expect.stringMatching(
			/^No blood pressure for `app-user-9999`: There is no user with this 'Client User ID'\. Check .*[^.]\.$/,
		);
		expect(evaluated(rows('Tell Operations'))).toEqual([{ text }]);
		expect(hasRun('End as Failed')).toBe(false);
	});

	it('reports an unknown user whose identifier is a number', async () => {
		const pinData = { 'Users to Read': [{ json: { client_user_id: [9999] } }] };
		const { status, rows } = await run('error-handling.json', credentials, { pinData });
		expect(status).toBe('success');
		const text = expect.stringMatching(/^No blood pressure for `9999`: There is no user/);
		expect(evaluated(rows('Tell Operations'))).toEqual([{ text }]);
	});

	it('writes what arrived before it ends as failed for an error that is not about the list', async () => {
		host.sandbox.switches.fault = (_, url) => (url.includes('app-user-0002') ? { status: 400 } : undefined);
		const { status, message, rows } = await run('error-handling.json');
		expect([status, message]).toEqual([
			'error',
			'Blood pressure of a user on the list: The service did not accept the request',
		]);
		expect(byId(rows('Table in Google Sheets'))).toEqual(byId(pressureRows(FIRST)));
		expect(rows('Tell Operations')).toHaveLength(1);
	});
});

/** Only the model is played here: agent, memory and tools are n8n's, the readings are the sandbox's. */
describe('ai-coach.json', () => {
	const days = { start_date: LAST_MONDAY, end_date: TODAY };
	const chat = async (chatInput: string) => {
		const message = { json: { sessionId: 'session', action: 'sendMessage', chatInput } };
		return await run('ai-coach.json', credentials, { pinData: { 'When Chat Message Received': [message] } });
	};

	it('lets the model read with its tools, and returns its answer', async () => {
		host.sandbox.switches.overlap = false;
		const given = { client_user_id: SECOND.client_user_id, ...days };
		model.answers.push(calls({ Blood_Pressure: given, Mindfulness_Minutes: given }), says('Well done.'));
		const { status, rows } = await chat('How did app-user-0002 do?');
		expect(status).toBe('success');
		expect(rows('AI Coach')).toEqual([{ output: 'Well done.' }]);

		const [first, second] = model.asked.splice(0);
		const [instructions, question] = first.messages;
		expect(instructions.content).toMatch(new RegExp(`Today is \\w+day, ${TODAY}\\.`));
		expect(question).toMatchObject({ role: 'user', content: 'How did app-user-0002 do?' });
		const required = Object.fromEntries(
			first.tools.map((tool) => [tool.function.name, tool.function.parameters.required]),
		);
		const ofOne = ['Blood_Pressure', 'Blood_Pressure_Summary', 'Mindfulness_Minutes'];
		const ofAll = ['High_Means_of_All_Users', 'Single_Readings_of_All_Users'];
		expect(required).toEqual({
			...Object.fromEntries(ofOne.map((name) => [name, Object.keys(given)])),
			...Object.fromEntries(ofAll.map((name) => [name, Object.keys(days)])),
		});

		const resultOf = (tool: string) =>
			JSON.parse(second.messages.find(({ tool_call_id: id }) => id === `call-${tool}`)!.content!);
		const systolics = resultOf('Blood_Pressure').map(({ systolic }: IDataObject) => systolic);
		expect(systolics.sort()).toEqual([110, 111, 112, 113, 114, 115, 116, 117]);
		expect(resultOf('Mindfulness_Minutes')).toMatchObject([{ value: 8 }]);
	});
});

/** Run elsewhere, without their triggers. */
const NOT_PUBLISHED_THERE = [
	...['high-blood-pressure-alert.json', 'users-without-readings.json', 'weekly-letter.json'],
	...['nightly-table-postgres.json', 'backfill-and-follow.json'],
];
it.each([...RUN_HERE, ...NOT_PUBLISHED_THERE])('%s can be published', async (file) => {
	const workflow = await put(file);
	const { status, triggers } = await host.rest.activate(workflow);
	await host.rest.deactivate(workflow);
	expect(status).toBe('published');
	expect(triggers.map((trigger: IDataObject) => trigger.status)).toEqual(
		workflow.nodes.filter(isTrigger).map(() => 'activated'),
	);
});

/** Our node in a recipe's workflow. */
const bloodPressure = (parameters: INode['parameters']) => {
	const all = { resource: 'timeseries', operation: 'bloodPressure', returnAll: true };
	return node('Blood Pressure', NODE_TYPE, 1, { ...all, ...parameters }, credentials.healthDataServiceApi);
};

it("the recipe of a table inside n8n: n8n's data table, with the columns that it names, has each reading once", async () => {
	const [, recipe] = /\*\*A table inside n8n\.\*\* ([^\n]+)/.exec(textOf('docs/examples.md'))!;
	const [, asText, asNumbers] = /these columns: (.*?) as text, (.*?) as numbers/.exec(recipe)!;
	const columnsIn = (text: string, type: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => ({ name, type }));
	const columns = { column: [...columnsIn(asText, 'string'), ...columnsIn(asNumbers, 'number')] };
	const dataTable = (name: string, parameters: INode['parameters']) =>
		node(name, 'n8n-nodes-base.dataTable', 1.1, { resource: 'row', ...parameters });
	const runChain = async (...nodes: INode[]) => {
		const { id } = await host.rest.importWorkflow(chain('Table', [START, ...nodes], { timezone: ZONE }));
		const { status, error, runData } = await host.rest.runWorkflow(id);
		expect([status, error?.message]).toEqual(['success', undefined]);
		return runData[nodes.at(-1)!.name][0].data.main[0].map(({ json }: { json: IDataObject }) => json) as IDataObject[];
	};

	await runChain(dataTable('Make', { resource: 'table', operation: 'create', tableName: 'readings', columns }));
	const dataTableId = { __rl: true, mode: 'name', value: 'readings' };
	const filters = { conditions: [{ keyName: 'row_id', condition: 'eq', keyValue: '={{ $json.row_id }}' }] };
	const mapped = { columns: { mappingMode: 'autoMapInputData', value: {}, matchingColumns: [], schema: [] } };
	const write = [
		bloodPressure({ userScope: 'all', dateRange: 'last7Days' }),
		node('Each Reading Once', 'n8n-nodes-base.removeDuplicates', 2, {
			...{ operation: 'removeDuplicateInputItems', compare: 'selectedFields', fieldsToCompare: 'row_id' },
		}),
		dataTable('Write', { operation: 'upsert', dataTableId, matchType: 'anyCondition', filters, ...mapped }),
	];
	await runChain(...write);
	await runChain(...write);
	const kept = await runChain(dataTable('Kept', { operation: 'get', dataTableId, returnAll: true }));
	// Beside them are the columns that every data table has.
	expect(byId(kept)).toMatchObject(byId([FIRST, SECOND].flatMap(pressureRows)));
});

it('the recipe of limits per patient: each has their own, and a patient who cannot be read is kept', async () => {
	const [, recipe] = /\*\*Limits per patient\.\*\* ([^\n]+)/.exec(textOf('docs/examples.md'))!;
	const [user, systolic, diastolic, filter, name, text] = [...recipe.matchAll(/\{\{ .*? \}\}/g)].map(
		([one]) => `=${one}`,
	);
	expect(recipe).toContain(`Slack with \`${name.slice(1)}: ${text.slice(1)}\``);
	const message = bloodPressure({
		...{ userScope: 'one', user: { __rl: true, mode: 'userId', value: user }, dateRange: 'last24Hours' },
		...{ output: 'message', limits: { high: { systolic, diastolic } } },
	});
	const nodes: INode[] = [
		START,
		node('Patients', 'n8n-nodes-base.noOp', 1, {}),
		{ ...message, onError: 'continueRegularOutput' },
		node('Filter', 'n8n-nodes-base.filter', 2.2, {
			conditions: {
				...{ combinator: 'and', options: { caseSensitive: true, typeValidation: 'strict', version: 2 } },
				conditions: [{ leftValue: filter, operator: { type: 'boolean', operation: 'true', singleValue: true } }],
			},
		}),
		node('Slack', 'n8n-nodes-base.set', 3.4, {
			...{ mode: 'manual', includeOtherFields: true, include: 'all', options: {} },
			assignments: { assignments: [{ id: 'text', name: 'text', type: 'string', value: `${name}: ${text.slice(1)}` }] },
		}),
	];
	// The first has 135/70 and 120/85 in these hours, the second 117/70.
	const rows = [
		{ user_id: FIRST.user_id, name: 'First', systolic: 135, diastolic: null },
		{ user_id: FIRST.user_id, systolic: 136, diastolic: '' },
		{ user_id: SECOND.user_id, systolic: 180, diastolic: 110 },
		{ user_id: 'no user ID', name: 'Broken', systolic: 180, diastolic: 110 },
	];
	const workflow = { ...chain('Limits', nodes), pinData: { Patients: rows.map((json) => ({ json })) } };
	const { id } = await host.rest.importWorkflow(workflow);
	const { runData } = await host.rest.runWorkflow(id);
	const kept: IDataObject[] = runData.Slack[0].data.main[0].map(({ json }: { json: IDataObject }) => json);
	expect(kept.map(({ reached, text: posted }) => [reached, posted])).toEqual([
		[1, expect.stringMatching(/^First: Blood pressure, /)],
		[null, expect.stringMatching(/^Broken: Blood pressure: could not be read\n/)],
	]);
});

/** The report that n8n shows before an upgrade, over all examples and a workflow that the upgrade breaks. */
it("n8n's own rules for version 3 accept each example", async () => {
	const broken = { ...readExample('error-workflow.json'), name: 'Broken', settings: { callerPolicy: 'any' } };
	for (const example of [broken, ...exampleFiles().map(readExample)]) await host.rest.importWorkflow(example);
	const { report } = await host.rest.post('/rest/breaking-changes/report/refresh?version=v3');
	const affected: string[] = [];
	for (const { ruleId } of report.workflowResults) {
		const { affectedWorkflows } = await host.rest.get(`/rest/breaking-changes/report/${ruleId}`);
		affected.push(...affectedWorkflows.map(({ name }: { name: string }) => `${ruleId}: ${name}`));
	}
	expect(affected).toEqual(['caller-policy-any-removed-v3: Broken']);
});

it('every example is run, here or by the test that the table names', () => {
	expect([...hasRun].sort()).toEqual(RUN_HERE);
	for (const [file, testFile] of Object.entries(RUN_ELSEWHERE))
		expect([file, isNamedIn(testFile, file)]).toEqual([file, true]);
});
