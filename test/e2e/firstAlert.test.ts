/**
 * README.md's "Your first alert" in n8n's editor, click by click: each word for a button, a menu or a field is taken from the
 * page, and n8n has it.
 */
import { until } from '../../dev/host/process/until';
import { History } from '../helpers/history';
import { sectionOf, textOf } from '../helpers/pages';
import { bloodPressure, KEY } from '../helpers/people';
import { openEditor, type Editor } from './editor';
import { PATIENCE_MS } from './editorFields';
import { startHost, type Host } from './n8n';

const HOUR = 3_600_000;
const STEPS = sectionOf(textOf('README.md'), 'Your first alert');
const history = new History();
const anna = history.addUser('anna');
for (const [systolic, hoursAgo] of [
	[118, 1],
	[151, 2],
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
function said(words: string) {
	if (!new RegExp(`[*\`]${words.replace(/[{}.$]/g, '\\$&')}[*\`]`).test(STEPS))
		throw new Error(`README.md does not say ${words}`);
	return words;
}

it('leads from an empty canvas to a published alert', async () => {
	expect(STEPS.match(/^\d+\. /gm)).toHaveLength(10);

	await editor.openNodesPanel(said('Add first step…'));
	await editor.searchNodes(said('blood pressure'));
	await editor.pickNode(said('Health Data Service'));
	await editor.pickAction(said('On new blood pressure reading'));
	await editor.chooseOption('mode', said('Every X'));
	await editor.enterText('value', said('10'));
	await editor.chooseOption('unit', said('Minutes'));
	await editor.chooseOption('userScope', said('All Users'));
	await editor.addOption(said('Options → Add option → Minimum Systolic').split(' → ')[2]);
	await editor.enterText('minSystolic', said('135'));
	await editor.addOption(said('Minimum Diastolic'));
	await editor.enterText('minDiastolic', said('85'));
	await editor.fetchTestEvent();
	expect((await editor.outputTable()).rows).toEqual([expect.arrayContaining(['anna', '151', '80'])]);
	await editor.closeNode();

	await editor.openNextStepPanel();
	await editor.searchNodes(said('slack'));
	await editor.pickNode('Slack');
	await editor.pickAction(said('Send a message'));
	await editor.chooseOption('select', 'Channel');
	await editor.chooseMode('channelId', 'By Name');
	await editor.enterText('channelId', '#health-alerts');
	await editor.enterExpression(
		'text',
		said('{{ $json.client_user_id }}: {{ $json.systolic }}/{{ $json.diastolic }} {{ $json.unit }}'),
		'anna: 151/80 mmHg',
	);
	await editor.closeNode();
	await editor.publish(said('Publish'));

	const isPublished = async () => {
		const [{ id }] = await host.rest.get('/rest/workflows');
		return (await host.rest.get(`/rest/workflows/${id}/publication-status`)).status === 'published';
	};
	await until('a published workflow', isPublished, { timeoutMs: PATIENCE_MS });
});
