/**
 * Provider by slug: it is sent as typed, without blanks around it, and a provider that no user has is in n8n's
 * log. Limit with several users: the log of an unattended run says that users were not read.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode, type RunOptions } from '../helpers/engine';
import { useLogLines } from '../helpers/logLines';
import { SILENT, SPECIAL, STEADY } from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, listUsers, queryOf, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const used = useSandbox();
useVirtualTime();
const log = useLogLines();

const slug = (value: string) => ({ provider: { __rl: true, mode: 'slug', value } });
const all = (more: INodeParameters) => bloodPressureOf('', { userScope: 'all', ...more });
const run = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) => {
	const { rows, error } = await runNode({ credential: used.credential, parameters, ...more });
	expect(error).toBeUndefined();
	return rows;
};
const providersSent = () => [
	...new Set(used.sandbox.requests.filter((url) => url.includes('timeseries')).map((url) => queryOf(url).provider)),
];

describe('as typed, but for blanks around it', () => {
	it.each([
		['omron', 'omron'],
		[' omron ', 'omron'],
		['Omron', 'Omron'],
	])('%j is sent as %j', async (typed, sent) => {
		const rows = await run(all({ output: 'summary', ...slug(typed) }));
		expect(providersSent()).toEqual([sent]);
		expect(rows.some(({ readings }) => Number(readings) > 0)).toBe(sent === 'omron');
	});

	it('User → List keeps the users who have it', async () => {
		const rows = await run(listUsers({ options: { provider: ' omron ' } }));
		expect(rows.map((row) => row.client_user_id)).toEqual(['steady', SPECIAL.client_user_id, 'berlin']);
	});

	it('no line where no record shows the slugs', async () => {
		expect(await run(bloodPressureOf(byUserId(STEADY.user_id), slug('Omron')))).toEqual([]);
		expect(log).toEqual([]);
	});
});

describe('a provider that no user has', () => {
	const line =
		'Workflow "Test", node "Node": No user who was read has the provider "apple health" connected, and no reading has it. ' +
		"'Provider' takes the service's slug, in the same upper and lower case: User → List shows the slugs under connected_sources.";

	it.each<[string, INodeParameters]>([
		['All Users', all(slug('apple health'))],
		['a summary', all({ output: 'summary', ...slug('apple health') })],
		['one user', bloodPressureOf(byClientId('steady'), slug('apple health'))],
		['User → List', listUsers({ options: { provider: 'apple health' } })],
	])('%s: one line of the log, no error', async (_, parameters) => {
		await run(parameters);
		expect(log).toEqual([line]);
	});

	it.each<[string, INodeParameters]>([
		['All Users', all(slug('Omron'))],
		['User → List', listUsers({ options: { provider: 'Omron' } })],
	])('%s, in capitals: the same', async (_, parameters) => {
		expect(await run(parameters)).toEqual([]);
		expect(log).toEqual([line.replace('apple health', 'Omron')]);
	});

	it('of many items, one line', async () => {
		await run(all(slug('apple health')), { input: Array.from({ length: 5 }, () => ({})) });
		expect(log).toEqual([line]);
	});

	it('no line where another item has such a user {{ }}', async () => {
		const parameters = bloodPressureOf(byClientId('={{ $json.user }}'), slug('omron'));
		used.sandbox.switches.fault = (_, url) => (url.endsWith('/steady') ? { delayMs: 1000 } : undefined);
		const input: IDataObject[] = [{ user: 'silent' }, { user: 'steady' }, { user: 'silent' }];
		expect(await run(parameters, { input })).not.toEqual([]);
		expect(log).toEqual([]);
	});

	it('no line where it was disconnected, and readings have it', async () => {
		const sources = STEADY.connected_sources;
		STEADY.connected_sources = [];
		expect(await run(bloodPressureOf(byClientId('steady'), slug('omron')))).not.toEqual([]);
		STEADY.connected_sources = sources;
		expect(log).toEqual([]);
	});

	it('no line without a provider', async () => {
		await run(bloodPressureOf(byClientId(SILENT.client_user_id)));
		expect(log).toEqual([]);
	});
});

describe('Limit that ends a read of several users', () => {
	const line = (users: string) =>
		`Workflow "Test", node "Node": 'Limit' (5) ended the read after ${users}: those further down the list were not read. ` +
		"Turn on 'Return All' to read all users.";
	const limited = { returnAll: false, limit: 5 };
	const listed = (userIds: string) => bloodPressureOf('', { userScope: 'listed', userIds, ...limited });

	it.each<[string, INodeParameters]>([
		['All Users', all(limited)],
		['one after the other', all({ ...limited, options: { concurrency: 1 } })],
		['Listed Users', listed(`${STEADY.user_id}, ${SPECIAL.user_id}`)],
	])('%s: one line of the log', async (_, parameters) => {
		expect(await run(parameters, { mode: 'trigger', input: [{}, {}] })).toHaveLength(10);
		expect(log).toEqual([line('1 user')]);
	});

	it('counts the users who were read', async () => {
		await run(listed(`${SILENT.user_id}, ${SPECIAL.user_id}, ${STEADY.user_id}, ${SPECIAL.user_id}`), {
			mode: 'trigger',
		});
		expect(log).toEqual([]);
		await run(listed(`${SILENT.user_id}, ${STEADY.user_id}, ${SPECIAL.user_id}`), { mode: 'trigger' });
		expect(log).toEqual([line('2 users')]);
	});

	it.each<[string, INodeParameters]>([
		['the last user', listed(`${SPECIAL.user_id}, ${STEADY.user_id}`)],
		['one user', bloodPressureOf(byUserId(STEADY.user_id), limited)],
		['Return All', all({})],
	])('no line for %s', async (_, parameters) => {
		await run(parameters, { mode: 'trigger' });
		expect(log).toEqual([]);
	});

	it('no line in the editor, which shows a hint', async () => {
		await run(all(limited));
		expect(log).toEqual([]);
	});
});
