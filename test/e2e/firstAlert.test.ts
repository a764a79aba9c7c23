/**
 * README.md's "Your first table" and "Your first alert" in n8n's editor, click by click: each word for a button, a menu or a field
 * is taken from the page, and n8n has it.
 */
import { until } from '../../dev/host/process/until';
import { History, bloodPressure, KEY } from '../helpers/people';
import { sectionOf, textOf } from '../helpers/pages';
import { openEditor, soon, type Editor } from './editor';
import { startHost, type Host } from './n8n';

const HOUR = 3_600_000;
const stepsOf = (heading: string) => sectionOf(textOf('README.md'), heading);
const TABLE = stepsOf('Your first table');
const ALERT = stepsOf('Your first alert');
const history = new History();
const anna = history.addUser('anna');
history.addUser('ben');
for (const [systolic, hoursAgo] of [
	[118, 1],
	[181, 2],
]) {
	history.add(anna, bloodPressure(new Date(Date.now() - hoursAgo * HOUR).toISOString(), systolic, 80));
}

let host: Host;
let editor: Editor;
beforeAll(async () => {
	host = await startHost(history);
	await host.credential(KEY);
	await host.rest.createCredential({ name: 'Slack account', type: 'slackApi', data: { accessToken: 'none' } });
	editor = await openEditor(host.url);
	await editor.logIn();
	await editor.look({ height: 1000 });
});
afterAll(async () => {
	await editor?.close();
	await host?.stop();
});

/** What the page calls it. */
function said(words: string, steps = ALERT) {
	if (!new RegExp(`[*\`]${words.replace(/[{}.$+]/g, '\\$&')}[*\`]`).test(steps))
		throw new Error(`README.md does not say ${words}`);
	return words;
}

it('leads from an empty canvas to a table with each user, also without readings', async () => {
	const inTable = (words: string) => said(words, TABLE);
	expect(TABLE.match(/^\d+\. /gm)).toHaveLength(5);

	inTable('+');
	await editor.openNodesPanel(inTable('Add first step…'));
	await editor.searchNodes(inTable('blood pressure'));
	await editor.pickNode(inTable('Health Data Service'));
	inTable('Actions');
	await editor.openActions();
	await editor.pickAction(inTable('Get blood pressure readings'));
	for (const label of ['Users', 'Date Range', 'Output', 'Return All']) await editor.seeLabel(inTable(label));
	await soon(() => editor.valueOf('userScope'), inTable('All Users'));
	await soon(() => editor.valueOf('dateRange'), inTable('Last 7 Days'));
	await editor.chooseOption('output', inTable('Summary per User'));
	await editor.switchOn('returnAll');
	await editor.clickExecute(inTable('Execute step'));
	const { columns, rows } = await editor.outputTable();
	const cells = rows.map((row) => Object.fromEntries(row.map((cell, at) => [columns[at], cell])));
	expect(cells).toMatchObject([
		{ client_user_id: 'anna', readings: '2', systolic_mean: '149.5' },
		{ client_user_id: 'ben', readings: '0', systolic_mean: 'null' },
	]);
	expect(await editor.optionsOf('output')).toContainEqual(expect.stringContaining(inTable('One Item per Reading')));
});

it('leads from an empty canvas to a published alert', async () => {
	expect(ALERT.match(/^\d+\. /gm)).toHaveLength(10);

	said('+');
	await editor.openNodesPanel(said('Add first step…'));
	await editor.searchNodes(said('blood pressure'));
	await editor.pickNode(said('Health Data Service'));
	await editor.pickAction(said('On new blood pressure reading'));
	await editor.chooseOption('mode', said('Every X'));
	await editor.enterText('value', said('10'));
	await editor.chooseOption('unit', said('Minutes'));
	await soon(() => editor.valueOf('userScope'), said('All Users'));
	await editor.chooseOption('output', said('One Message per Poll'));
	await editor.addLimit(said('Limits → Add limit → Reading At or Above').split(' → ')[2]);
	await soon(() => editor.valueOf('systolic'), said('180'));
	await soon(() => editor.valueOf('diastolic'), said('110'));
	await editor.fetchTestEvent();
	const { rows } = await editor.outputTable();
	expect(rows).toEqual([expect.arrayContaining([expect.stringContaining(said('Test:'))])]);
	await editor.closeNode();

	await editor.openNextStepPanel();
	await editor.searchNodes(said('slack'));
	await editor.pickNode(said('Slack'));
	await editor.pickAction(said('Send a message'));
	await editor.seeLabel(said('Send Message To'));
	await editor.chooseOption('select', said('Channel'));
	await editor.chooseMode('channelId', 'By Name');
	await editor.enterText('channelId', '#health-alerts');
	await editor.pasteExpression('text', said('{{ $json.text }}'), 'anna: 181/80');
	await editor.closeNode();
	await editor.publish(said('Publish'));

	const isPublished = async () => {
		const workflows: Array<{ id: string }> = await host.rest.get('/rest/workflows');
		const answers = workflows.map(async ({ id }) => await host.rest.get(`/rest/workflows/${id}/publication-status`));
		return (await Promise.all(answers)).some(({ status }) => status === 'published');
	};
	await until('a published workflow', isPublished);
});
