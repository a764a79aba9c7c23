/** `npm run dev`: what is changed in the code of the node is on the screen, without a restart of n8n. */
const { cpSync, readFileSync, symlinkSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { RELOADS, rebuildOnChange } = require('../../dev/demo/rebuild');
const { PACKAGE } = require('../../dev/host/workflow');
const { ROOT } = require('../../dev/paths');
const { emptyFolder, removeFolder } = require('../helpers/folder');
const { people } = require('../helpers/people');
const { openEditor } = require('./editor');
const { startHost } = require('./n8n');

/** @type {Array<() => Promise<void> | void>} */
const ends = [];
afterAll(async () => {
	for (const end of ends.reverse()) await end();
});

/** The code alone: this test must not change the clone's. */
function copySources() {
	const sources = emptyFolder();
	ends.push(() => removeFolder(sources));
	for (const name of ['credentials', 'nodes', 'tsconfig.json'])
		cpSync(join(ROOT, name), join(sources, name), { recursive: true });
	symlinkSync(join(ROOT, 'node_modules'), join(sources, 'node_modules'));
	return sources;
}

it('shows a changed label in an open node', async () => {
	const sources = copySources();
	const host = await startHost(people(), { env: RELOADS });
	ends.push(host.stop);
	ends.push(rebuildOnChange(sources, join(host.folder, '.n8n', 'nodes', 'node_modules', PACKAGE)));
	const editor = await openEditor(host.url);
	ends.push(editor.close);
	await editor.logIn();
	await editor.addNode('Health Data Service', 'Get blood pressure readings');
	await editor.seeLabel('Date Range');

	const file = join(sources, 'nodes/HealthDataService/resources/timeseries/dateRange.ts');
	writeFileSync(file, readFileSync(file, 'utf8').replace("displayName: 'Date Range'", "displayName: 'Period'"));
	await expect(editor.seeLabel('Period')).resolves.toBeUndefined();
});
