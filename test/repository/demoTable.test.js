/** What the demo shows of an example, without a running n8n: which steps it switches off, and how it prints their rows. */
const { exampleForDemo, exampleNames, NEEDS, switchedOff } = require('../../dev/demo/examples');
const { table } = require('../../dev/demo/table');

const credentials = { healthDataServiceApi: { id: '1', name: 'Sandbox' } };
/** As n8n describes nodes: those of others ask for an account, always or when a field says so. */
const types = /** @type {import('n8n-workflow').INodeTypeDescription[]} */ (
	/** @type {unknown[]} */ ([
		nodeType('slack', [1, 2.3], [{ name: 'slackApi', required: true }]),
		nodeType('googleSheets', [4.7], [{ name: 'googleSheetsOAuth2Api', required: true }]),
		{
			...nodeType('ours', [1], [{ name: 'healthDataServiceApi', required: true }]),
			name: 'n8n-nodes-health-data-service.healthDataService',
		},
		nodeType('httpRequest', [4.2], [{ name: 'httpHeaderAuth' }]),
		nodeType('scheduleTrigger', [1.2], []),
		nodeType('set', [3.4], [{ name: 'never', displayOptions: { show: { mode: ['raw'] } } }]),
	])
);

/** @param {string} name @param {number[]} version @param {object[]} asked */
function nodeType(name, version, asked) {
	return { name: `n8n-nodes-base.${name}`, version, properties: [], credentials: asked };
}

/** @param {string} name */
const offIn = (name) =>
	exampleForDemo(name, types, credentials)
		.nodes.filter((node) => 'disabled' in node)
		.map((node) => node.name);

it('switches off what needs an account, and the table that remembers what that has done', () => {
	expect(offIn('high-blood-pressure-alert')).toEqual(['Slack', 'Remember']);
	expect(offIn('morning-table')).toEqual(['Table in Google Sheets']);
	expect(offIn('weekly-mindfulness-report')).toEqual(['Report in Google Sheets']);
});

it('leaves on later steps that have an effect of their own', () => {
	/** @param {string} name @param {string} type */
	const node = (name, type) => ({
		id: name,
		name,
		type,
		typeVersion: 1,
		position: /** @type {[number, number]} */ ([0, 0]),
		parameters: {},
	});
	/** @param {string} to */
	const leads = (to) => ({ main: [[{ node: to, type: /** @type {const} */ ('main'), index: 0 }]] });
	const nodes = [
		node('Tell', 'n8n-nodes-base.slack'),
		node('Read', 'n8n-nodes-health-data-service.healthDataService'),
		node('Keep', 'n8n-nodes-base.dataTable'),
	];
	expect(switchedOff({ nodes, connections: { Tell: leads('Read'), Read: leads('Keep') } }, types)).toEqual(['Tell']);
});

it('leaves whole what it does not run', () => {
	for (const name of Object.keys(NEEDS)) {
		expect(exampleNames()).toContain(name);
		expect(offIn(name)).toEqual([]);
	}
});

it.each(exampleNames())('gives only our nodes in %s the credential of the sandbox', (name) => {
	for (const node of exampleForDemo(name, types, credentials).nodes) {
		const isOurs = node.type.startsWith('n8n-nodes-health-data-service.');
		expect([node.name, node.credentials]).toEqual([node.name, isOurs ? credentials : undefined]);
	}
});

describe('the table', () => {
	const row = { row_id: 'x', user_id: 'y', client_user_id: 'app-user-0001' };
	const early = { ...row, timestamp: '2026-03-01T23:30:00.000000+00:00', systolic: 120, more: null };
	const late = { ...row, timestamp: '2026-03-02T01:00:00.000000+00:00', systolic: 98, more: { a: 'z'.repeat(60) } };

	it('has the newest first, in the zone of the reader, without what only machines read', () => {
		const more = `{"a":"${'z'.repeat(33)}…`;
		expect(table([early, late], 'Asia/Tokyo').split('\n')).toEqual([
			'client_user_id  timestamp         systolic  more',
			`──────────────  ────────────────  ────────  ${'─'.repeat(more.length)}`,
			`app-user-0001   2026-03-02 10:00  98        ${more}`,
			'app-user-0001   2026-03-02 08:30  120',
		]);
	});

	it('is the messages alone where there are some', () => {
		const messages = [early, late].map((one) => ({
			...one,
			text: `at ${one.timestamp} and much longer than a cell may be`,
		}));
		expect(table(messages, 'UTC')).toBe(`${messages[1].text}\n${messages[0].text}`);
	});

	it('keeps the order of rows without a time, and stops after 20 lines', () => {
		const rows = Array.from({ length: 23 }, (_, at) => ({ number: at }));
		const lines = table(rows, 'UTC').split('\n');
		expect(lines).toHaveLength(2 + 20 + 1);
		expect(lines.slice(2, 4)).toEqual(['0', '1']);
		expect(lines.at(-1)).toBe('… and 3 more');
	});
});
