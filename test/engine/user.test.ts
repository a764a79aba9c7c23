import { startSandbox, type Sandbox } from '../../sandbox/server';
import { runNode } from '../helpers/engine';
let sandbox: Sandbox;
beforeAll(async () => { sandbox = await startSandbox(); });
afterAll(async () => await sandbox.close());
it('lists', async () => {
	const r = await runNode({ credential: { baseUrl: sandbox.baseUrl, apiKey: 'sandbox-key-studio' }, parameters: { resource: 'user', operation: 'list' }, input: [{a:1},{b:2}] });
	expect(r.error).toBeUndefined();
	expect(r.rows).toHaveLength(24);
	expect(r.items[0].pairedItem).toEqual({ item: 0 });
	const t = await runNode({ credential: { baseUrl: sandbox.baseUrl, apiKey: 'sandbox-key-studio' }, parameters: { resource: 'timeseries', operation: 'bloodPressure', user: {__rl: true, mode: 'clientUserId', value: 'app-user-0001'} }, timezone: 'Europe/Berlin' });
	expect(t.error).toBeUndefined();
	expect(t.rows).toEqual([]);
});
