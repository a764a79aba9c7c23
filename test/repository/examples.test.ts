/**
 * Examples, without running them: no code, few nodes and short fields; poll times, schedules and limits are those that
 * their notes and prompts name; a run that fails says how many users could not be read.
 */
import { Workflow, type IDataObject, type INode, type INodeExecutionData, type INodeTypes } from 'n8n-workflow';
import { HealthDataService } from '../../nodes/HealthDataService/HealthDataService.node';
import { exampleFiles, readExample } from '../e2e/examples/files';
import { textOf } from '../helpers/pages';

const nodesOf = (file: string): INode[] => readExample(file).nodes;
const ofType = (nodes: INode[], type: string) => nodes.filter((node) => node.type.endsWith(`.${type}`));
/** The nightly read of a large team has tests of its own (test/queue). */
const files = exampleFiles().filter((file) => !['nightly-plan.json', 'nightly-shards.json'].includes(file));
const notesOf = (nodes: INode[]) => ofType(nodes, 'stickyNote').map(({ parameters }) => String(parameters.content));
/** The nodes of an example of which one holds such a node, with its file. */
const having = (type: string) =>
	files.flatMap((file) => ofType(nodesOf(file), type).map((node) => [file, node] as const));

/** What n8n makes of a field when these items come in. */
async function evaluated(node: INode, expression: string, items: IDataObject[]) {
	const nodeTypes = { getByNameAndVersion: () => new HealthDataService() } as unknown as INodeTypes;
	const workflow = new Workflow({ nodes: [{ ...node, parameters: {} }], connections: {}, active: false, nodeTypes });
	const input: INodeExecutionData[] = items.map((json) => ({ json }));
	return await workflow.expression.withIsolate(
		async () =>
			await Promise.resolve(
				workflow.expression.getParameterValue(expression, null, 0, 0, node.name, input, 'manual', {}),
			),
	);
}

/** All texts of the fields of a node, but for fields of these names. */
function textsOf({ parameters }: INode, ignored: string[]): string[] {
	const texts: string[] = [];
	JSON.stringify(parameters, (name, value: unknown) => {
		if (typeof value === 'string' && !ignored.includes(name)) texts.push(value);
		return value;
	});
	return texts;
}

/** What may be longer: instructions for a model, and SQL. */
const LONG_FIELDS = ['systemMessage', 'instructions', 'query'];
const expressionsIn = (text: string) => text.match(/\{\{[^]*?\}\}(?!\})/g) ?? [];

it.each(exampleFiles())('%s has no Code node, no eleventh node, and no field that nobody reads', (file) => {
	const steps = nodesOf(file).filter(({ type }) => !type.endsWith('.stickyNote'));
	const unreadable = steps
		.flatMap((step) => textsOf(step, LONG_FIELDS))
		.filter((text) => text.startsWith('=') && (expressionsIn(text).length > 3 || text.length > 250));
	expect(steps.filter(({ type }) => /\.(code|function|functionItem|aiTransform)$/.test(type))).toEqual([]);
	expect(steps.length).toBeLessThanOrEqual(10);
	expect(unreadable).toEqual([]);
});

it.each(files)('%s remembers nothing that a test run would change, or a copy would share', (file) => {
	expect(JSON.stringify(nodesOf(file))).not.toMatch(/InPreviousExecutions|\.dataTable"|StaticData/);
});

const WORDS: Record<string, number> = { one: 1, two: 2, three: 3, four: 4, five: 5, ten: 10 };
const toNumber = (text: string) => WORDS[text.toLowerCase()] ?? Number(text.replaceAll(',', ''));

it.each(having('healthDataServiceTrigger'))('%s looks every few minutes', (file, { parameters }) => {
	const { item } = parameters.pollTimes as { item: unknown[] };
	expect(item).toEqual([{ mode: 'everyX', value: expect.any(Number), unit: 'minutes' }]);
	const [{ value }] = item as Array<{ value: number }>;
	// The README has the same in the words of the screen.
	const [, steps] = /\*\*Every X\*\*, \*(\d+)\*, \*Minutes\*/.exec(textOf('README.md')) ?? [];
	expect(value).toBe(Number(steps));
	// Where a note says how long to wait, every user has been looked at by then.
	const notes = notesOf(nodesOf(file)).join();
	for (const [, wait] of notes.matchAll(/\*\*Wait (\w+) minutes\*\*/g)) expect(toNumber(wait)).toBe(value);
});

it.each(having('scheduleTrigger'))('%s runs when its name and its note say', (file, { name, parameters }) => {
	const { interval } = parameters.rule as { interval: IDataObject[] };
	const [, every, time] = /^Every (Day|Night|Monday) at (\d\d:\d\d)$/.exec(name) ?? [];
	const defaults = { daysInterval: 1, weeksInterval: 1, triggerAtDay: [], triggerAtMinute: 0 };
	const [triggerAtHour, triggerAtMinute] = time.split(':').map(Number);
	const at = every === 'Monday' ? { field: 'weeks', triggerAtDay: [1] } : { field: 'days' };
	const expected = { ...defaults, ...at, triggerAtHour, triggerAtMinute };
	expect(interval.map((one) => ({ ...defaults, ...one }))).toEqual([expected]);
	expect(notesOf(nodesOf(file)).join()).toContain(time);
});

it('every node names its users, so that no default decides whose readings are read', () => {
	const ours = exampleFiles()
		.flatMap((file) => nodesOf(file).map((node) => ({ file, ...node })))
		.filter(({ type }) => type.includes('.healthDataService'))
		.filter(({ parameters }) => parameters.resource !== 'user' && parameters.event !== 'user');
	const silent = ours.filter(({ parameters }) => !parameters.userScope);
	expect(silent.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

it('nightly-shards.json runs every 5 seconds in the hours that its note and the page name, every minute in the others', () => {
	const nodes = nodesOf('nightly-shards.json');
	const { interval } = ofType(nodes, 'scheduleTrigger')[0].parameters.rule as { interval: IDataObject[] };
	expect(interval.map(({ expression }) => expression)).toEqual(['*/5 * 2-5 * * *', '0 * 0-1,6-23 * * *']);
	for (const text of [notesOf(nodes)[0], textOf('docs/queue-mode.md')]) expect(text).toContain('rom 02:00 to 06:00');
});

/** One Message always has everybody. */
const withRows = having('healthDataService').filter(([, { parameters }]) => parameters.output !== 'message');
it.each(withRows)('%s reads everything, since it matches by row or counts users', (_, { parameters }) => {
	expect(parameters.returnAll).toBe(true);
});

it.each(having('healthDataService').filter(([, { parameters }]) => parameters.output === 'message'))(
	'%s posts that nobody could be read, in place of its message',
	(_, { onError }) => {
		expect(onError).toBe('continueRegularOutput');
	},
);

describe('what a model is told', () => {
	const tools = having('healthDataServiceTool');
	const [agent] = ofType(nodesOf('ai-coach.json'), 'agent');
	const [server] = ofType(nodesOf('mcp-server.json'), 'mcpTrigger');
	const { systemMessage } = agent.parameters.options as IDataObject;
	const prompts = [
		['ai-coach.json', String(systemMessage)],
		['mcp-server.json', String(server.parameters.instructions)],
	];

	it.each(prompts)(
		'%s: what should not wait first, means of several days, no joined pair, no diagnosis',
		(_, prompt) => {
			expect(prompt).toContain("Today is {{ $now.toFormat('cccc, yyyy-MM-dd') }}.");
			expect(prompt).toContain('the time zone {{ $now.zoneName }}');
			expect(prompt).toContain('at or above 180/110, or at or below 90/50, say that first');
			expect(prompt).toContain('fewer than twelve readings or three days');
			expect(prompt).toContain('Never join the highest');
			expect(prompt).toContain('do not diagnose');
		},
	);

	it.each(tools.filter(([, { parameters }]) => parameters.output === 'summary'))(
		'%s: a tool with a summary says what it counts',
		(_, { parameters }) => {
			for (const fact of ['The means are of all', 'counts once', '0 readings means', 'are one reading each'])
				expect(parameters.toolDescription).toContain(fact);
		},
	);
});

const MEAN = { mean: { systolic: 135, diastolic: 85 } };
const ENOUGH = { enough: { readings: 12, days: 3 } };
const ONE_READING = { high: { systolic: 180, diastolic: 110 }, low: { systolic: 90, diastolic: 50 } };

it('all texts that name limits of blood pressure name the same', () => {
	const named = files.flatMap((file) =>
		[...JSON.stringify(nodesOf(file)).matchAll(/at or (?:above|below) (\d+\/\d+)/gi)].map(([, limits]) => limits),
	);
	expect(new Set(named)).toEqual(new Set(['135/85', '180/110', '90/50']));
});

it.each([
	['new-reading-alert.json', [ONE_READING]],
	['high-blood-pressure-alert.json', [{ ...MEAN, ...ONE_READING, ...ENOUGH }]],
	['weekly-letter.json', [{ ...MEAN, ...ONE_READING, ...ENOUGH }]],
	['mcp-server.json', [{ ...MEAN, ...ONE_READING, ...ENOUGH }, { ...MEAN, ...ENOUGH }, ONE_READING]],
	['ai-coach.json', [{ ...MEAN, ...ONE_READING, ...ENOUGH }, { ...MEAN, ...ENOUGH }, ONE_READING]],
])('%s: the limits are those that the texts name', (file, expected) => {
	const limits = nodesOf(file).flatMap(({ type, parameters }) =>
		type.includes('.healthDataService') && parameters.limits ? [parameters.limits] : [],
	);
	expect(limits).toEqual(expected);
});

const failing = having('stopAndError').filter(([, { parameters }]) =>
	String(parameters.errorMessage).includes('$input.all()'),
);
const user = (index: number): IDataObject => ({ error: 'Refused', details: { user_id: `u${index}` } });
const users = (count: number) => Array.from({ length: count }, (_, index) => user(index + 1));

it.each(failing)('{{ }}: %s that fails says how many users could not be read', async (_, node) => {
	expect(failing).toHaveLength(4);
	const say = async (items: IDataObject[]) =>
		String(await evaluated(node, String(node.parameters.errorMessage), items));
	for (const count of [1, 2, 10, 11, 35]) {
		const said = await say(users(count));
		expect(said).toContain('u1');
		expect(said).toContain('Refused');
		const listed = new Set(said.match(/\bu\d+\b/g)).size;
		const [, more = '0'] = /\sand (\d+) more$/.exec(said) ?? [];
		const [, all = listed + Number(more)] = /could not be read: (\d+),/.exec(said) ?? [];
		expect(Number(all)).toBe(count);
		expect(listed).toBeLessThanOrEqual(10);
	}
	// An error that concerns all users is one item without a user.
	expect(await say([{ error: 'The key is refused', details: 'Check it' }])).toContain('The key is refused');
	expect(await say([{ error: 'The key is refused', details: 'Check it' }])).not.toMatch(/undefined|\d/);
});

it.each(failing)('{{ }}: of ten users that %s names, the error workflow leaves out none', async (_, node) => {
	const refused = Array.from({ length: 10 }, (_one, index) => ({
		error: "The service refuses this user's data (status 403)",
		details: { user_id: `0b1d5e7c-9a3f-4c2e-8d6b-10000000000${index}` },
	}));
	const message = String(await evaluated(node, String(node.parameters.errorMessage), refused));
	const slack = nodesOf('error-workflow.json').find(({ name }) => name === 'Slack')!;
	const failed = { workflow: { name: 'Table' }, execution: { error: { message } } };
	const text = String(await evaluated(slack, String(slack.parameters.text), [failed]));
	expect(refused.filter(({ details }) => !text.includes(details.user_id))).toEqual([]);
});

it.each(exampleFiles())('%s: the first note begins with what to do, and names the green notes', (file) => {
	const notes = notesOf(nodesOf(file));
	expect(notes[0]).toMatch(/^##? .*\n\*\*To use it:\*\* /);
	expect(notes.join()).not.toMatch(/green steps|set up the (two )?green/);
});

it.each(exampleFiles())(
	'%s: n8n keeps no execution that succeeded or was started by hand, and its note says so',
	(file) => {
		const { settings } = readExample(file);
		expect(settings).toMatchObject({ saveDataSuccessExecution: 'none', saveManualExecutions: false });
		const savesFailed = settings.saveDataErrorExecution !== 'none';
		const saved = savesFailed ? 'n8n saves only failed executions' : 'n8n saves no run of this workflow';
		expect(notesOf(nodesOf(file))[0]).toContain(saved);
	},
);

it.each(having('googleSheets'))('%s: a sheet gets the columns that the example names', (file, { name }) => {
	const { connections } = readExample(file);
	const [before] = nodesOf(file).filter((node) => connections[node.name]?.main.flat()[0]?.node === name);
	const { includeOtherFields = false, include } = before.parameters;
	expect([before.type, includeOtherFields ? include : 'named']).toEqual([
		'n8n-nodes-base.set',
		expect.stringMatching(/^(named|selected)$/),
	]);
});

it.each(having('stopAndError'))(
	'%s: no client user ID in an error, since n8n sends them to its maker',
	(_, { parameters }) => {
		expect(String(parameters.errorMessage)).not.toContain('client_user_id');
	},
);

it.each([
	['Connection refused', `Failed query: ${'SELECT '.repeat(1000)}`, 'Connection refused'],
	['Refused (status 403).', 'Not read: u1. Ask <!channel>', 'Refused (status 403).\nNot read: u1. Ask ‹!channel>'],
	['Out of memory', undefined, 'Out of memory'],
])(
	'error-workflow.json posts whole sentences, but no statement of a database {{ }}: %s',
	async (message, description, said) => {
		const [node] = ofType(nodesOf('error-workflow.json'), 'slack');
		for (const failed of ['execution', 'trigger']) {
			const item = { workflow: { name: 'Night' }, [failed]: { error: { message, description } } };
			const text = await evaluated(node, String(node.parameters.text), [item]);
			expect(String(text).trim()).toBe(`"Night" failed: ${said}`);
		}
	},
);

it.each(having('slack'))('%s: no link to the n8n of the team in a message', (_, { parameters }) => {
	expect(parameters.otherOptions).toEqual({ includeLinkToWorkflow: false });
});

it.each(having('googleSheets'))('%s: Google Sheets takes no formula', (_, { parameters }) => {
	expect(parameters.options).toMatchObject({ cellFormat: 'RAW' });
});
