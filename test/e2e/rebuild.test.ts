/** `npm run dev`: what is changed in the code of the node is on the screen, without a restart of n8n. */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RELOADS, rebuildOnChange } from '../../dev/demo/rebuild';
import { startN8n } from '../../dev/host/n8n';
import { ROOT } from '../../dev/paths';
import { emptyFolder, removeFolder } from '../helpers/folder';
import { folderWithPackage } from '../helpers/folderWithPackage';
import { openEditor } from './editor';

const PACKAGE = 'n8n-nodes-health-data-service';
const ends: Array<() => Promise<void> | void> = [];
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

it('shows a changed label in an open editor', async () => {
	const sources = copySources();
	const folder = await folderWithPackage();
	ends.push(() => removeFolder(folder));
	const n8n = await startN8n({ folder, env: RELOADS });
	ends.push(n8n.stop);
	ends.push(rebuildOnChange(sources, join(folder, '.n8n', 'nodes', 'node_modules', PACKAGE)));
	const editor = await openEditor(n8n.baseUrl);
	ends.push(editor.close);
	await editor.logIn();
	await editor.addNode('Health Data Service', 'Get blood pressure readings');
	await editor.seeLabel('Date Range');

	const file = join(sources, 'nodes/HealthDataService/resources/timeseries/dateRange.ts');
	writeFileSync(file, readFileSync(file, 'utf8').replace("displayName: 'Date Range'", "displayName: 'Period'"));
	await expect(editor.seeLabel('Period')).resolves.toBeUndefined();
});
