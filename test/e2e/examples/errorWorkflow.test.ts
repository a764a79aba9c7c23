/**
 * The example "Error workflow" in a real n8n, called for failures of the trigger (`trigger.error`) and by runs (`execution.error`):
 * a refused key and a failed user each reach Slack with the node's own messages. A trigger's error
 * has its message only as a property: a copy of it has none.
 */
import type { INode, INodeTypeDescription } from 'n8n-workflow';
import { defaultSwitches } from '../../../dev/sandbox/switches';
import { fetchAlone } from '../../../dev/host/restClient';
import { until } from '../../../dev/host/process/until';
import { chain, CREDENTIAL_TYPE, node, NODE_TYPE } from '../../../dev/host/workflow';
import { EVERY_TWO_SECONDS, useHost } from '../n8n';
import { KEY, History } from '../../helpers/people';
import { startSlack } from './fakeSlack';
import { readExample } from './files';
import { prepare } from './run';

const SLACK = 'n8n-nodes-base.slack';
const SCHEDULE = 'n8n-nodes-base.scheduleTrigger';
const SOON = { rule: { interval: [{ field: 'cronExpression', expression: '*/2 * * * * *' }] } };
const history = new History();
history.addUser('app-user-0001');
const ben = history.addUser('app-user-0002');

const KEY_REFUSED = [
	'The service did not accept the API key (status 401)',
	"Check 'API Key' and 'Base URL' in the credential together: a key only works in the environment it was made for. A proxy that does not allow this host answers 403, too",
];
const USER_REFUSED = "The service refuses this user's data (status 403)";
const ASK =
	"The key itself is accepted. Ask the people who run the service whether your team may read this user's data.";

const host = useHost(history);
let slack: Awaited<ReturnType<typeof startSlack>>;
let webhook: string;
let errorWorkflow: string;
let types: INodeTypeDescription[];
beforeAll(async () => {
	slack = await startSlack();
	types = await host.rest.get('/types/nodes.json');
	const example = prepare(readExample('error-workflow.json'), types, {}, 'UTC', { [SLACK]: slack.url });
	// The shortest that n8n allows, so that no test waits.
	for (const one of example.nodes) if (one.retryOnFail) one.waitBetweenTries = 1;
	const imported = await host.rest.importWorkflow(example);
	errorWorkflow = imported.id;
	expect(await host.rest.activate(imported)).toMatchObject({ status: 'published' });

	const credential = await host.credential(KEY);
	const put = async (name: string, nodes: INode[]) => {
		const workflow = await host.rest.importWorkflow(chain(name, nodes, { errorWorkflow }));
		expect(await host.rest.activate(workflow)).toMatchObject({ status: 'published' });
	};
	const pressure = { resource: 'timeseries', operation: 'bloodPressure', userScope: 'all', returnAll: true };
	await put('Night', [
		node('Start', 'n8n-nodes-base.webhook', 2, { path: 'night', httpMethod: 'POST' }),
		node('Blood Pressure', NODE_TYPE, 1, pressure, credential),
	]);
	webhook = `${host.url}/webhook/night`;
	const watched = { event: 'bloodPressure', userScope: 'all', pollTimes: EVERY_TWO_SECONDS };
	await put('Watch', [
		node('Trigger', `${NODE_TYPE}Trigger`, 1, watched, credential),
		node('Nothing', 'n8n-nodes-base.noOp', 1, {}),
	]);
});
afterAll(async () => await slack?.close());
afterEach(async () => {
	Object.assign(host.sandbox.switches, defaultSwitches());
	// Polls that began before that have ended once a whole one is through.
	const polls = () => host.sandbox.requests.filter((url) => url.includes(ben.user_id)).length;
	const before = polls();
	await until('polls that work again', async () => polls() >= before + 2);
	slack.messages.length = 0;
});

/** The lines of the message that is about the workflow, once it is there. */
async function toldOf(workflow: string): Promise<string[]> {
	const about = () => slack.messages.find((text) => text.startsWith(`"${workflow}"`));
	await until(`a message about ${workflow}`, async () => about() !== undefined);
	return about()!.trim().split('\n');
}

const failed = (workflow: string, message: string) => `"${workflow}" failed: ${message}`;

/** Both, side by side: a run, and the poll that comes next. */
async function bothFail() {
	await fetchAlone(webhook, { method: 'POST' });
	return { run: await toldOf('Night'), poll: await toldOf('Watch') };
}

const link = () =>
	expect.stringMatching(new RegExp(`^${host.url.replace('127.0.0.1', '[\\w.]+')}/workflow/\\w+/executions/\\d+$`));

it('says that the key is refused, also to a Slack that fails for a moment', async () => {
	slack.refuses = () => slack.refused.length < 2;
	host.sandbox.switches.fault = () => ({ status: 401 });
	const { run, poll } = await bothFail();
	expect(run).toEqual([failed('Night', KEY_REFUSED[0]), KEY_REFUSED[1], link()]);
	expect(poll).toEqual([failed('Watch', KEY_REFUSED[0]), KEY_REFUSED[1]]);
});

it('names the failed user, and says that the others can be read', async () => {
	host.sandbox.switches.users = { [ben.user_id]: 'refused' };
	const { run, poll } = await bothFail();
	expect(run).toEqual([
		failed('Night', `The readings of the user ${ben.user_id} could not be read. ${USER_REFUSED}`),
		expect.stringMatching(
			/^The key itself is accepted\. .* To go on without users who cannot be read, set 'On Error' to Continue in the settings of this node$/,
		),
		link(),
	]);
	expect(poll).toEqual([
		failed('Watch', `The readings of 1 user could not be read. ${USER_REFUSED}.`),
		expect.stringMatching(
			new RegExp(
				`^Not read: ${ben.user_id} since [\\d: -]+ \\(times in [\\w/]+\\)\\. ${ASK} New readings of all other users go out\\. .* once an hour at most\\.?$`,
			),
		),
	]);
});

it('a failed run of morning-table.json is reported, and its readings are not saved', async () => {
	const has = { [CREDENTIAL_TYPE]: await host.credential(KEY) };
	const { nodes, settings, ...rest } = prepare(readExample('morning-table.json'), types, has, 'UTC');
	const soon = nodes.map((one) => (one.type === SCHEDULE ? { ...one, parameters: SOON } : one));
	host.sandbox.switches.users = { [ben.user_id]: 'refused' };
	const workflow = await host.rest.importWorkflow({ ...rest, nodes: soon, settings: { ...settings, errorWorkflow } });
	await host.rest.activate(workflow);
	const lines = await toldOf(rest.name);
	await host.rest.deactivate(workflow);
	expect(lines[0]).toContain(`Could not be read: ${ben.user_id}`);
	const saved = async () => await host.rest.executions(workflow.id);
	await until('the end of all runs', async () => (await saved()).every(({ status }) => status !== 'running'));
	expect(await saved()).toEqual([]);
});
