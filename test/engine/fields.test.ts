/**
 * Fields filled by expressions: an error that names the field, before any request, never a wider read. test/unit/fields/fields.test.ts
 * shows what a field makes of any value.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { fromAI, runAgent } from '../helpers/agent';
import { runNode } from '../helpers/engine';
import { STEADY } from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, listUsers, resolve, useSandbox } from '../helpers/requests';

const used = useSandbox();

/** Parameters with the field filled. */
type Fill = (given: string) => INodeParameters;

const steady = byUserId(STEADY.user_id);
const locator = (mode: string) => (value: string) => ({ __rl: true, mode, value });
const slug = locator('slug');
const listed = (more: INodeParameters) =>
	bloodPressureOf('', { userScope: 'listed', userIds: STEADY.user_id, options: { whenNotFound: 'empty' }, ...more });
const option =
	(name: string, more: INodeParameters = {}): Fill =>
	(given) =>
		bloodPressureOf(steady, { ...more, options: { [name]: given } });

/** Every field of the node. */
const FIELDS: Array<[name: string, at: Fill]> = [
	['Users', (userScope) => bloodPressureOf(steady, { userScope })],
	['User', (user) => bloodPressureOf(user)],
	['User', (value) => bloodPressureOf(byUserId(value))],
	['User', (value) => bloodPressureOf(locator('list')(value))],
	['Client User ID', (value) => bloodPressureOf(byClientId(value), { options: { whenNotFound: 'empty' } })],
	['Identified By', (usersBy) => listed({ usersBy })],
	['User IDs', (userIds) => listed({ userIds })],
	['User IDs', (userIds) => listed({ userIds, usersBy: 'clientUserId' })],
	['When Not Found', option('whenNotFound', { userScope: 'listed', userIds: STEADY.user_id })],
	['Date Range', (dateRange) => bloodPressureOf(steady, { dateRange })],
	['Start Date', (startDate) => bloodPressureOf(steady, { startDate })],
	['Start Date', (startDate) => bloodPressureOf(steady, { dateRange: 'times', startDate })],
	['End Date', (endDate) => bloodPressureOf(steady, { endDate })],
	['End Date', (endDate) => bloodPressureOf(steady, { dateRange: 'times', endDate })],
	['Provider', (provider) => bloodPressureOf(steady, { provider })],
	['Provider', (value) => bloodPressureOf(steady, { provider: slug(value) })],
	['Provider', (value) => bloodPressureOf(steady, { provider: locator('list')(value) })],
	['Output', (output) => bloodPressureOf(steady, { output })],
	['Return All', (returnAll) => bloodPressureOf(steady, { returnAll })],
	['Limit', (limit) => bloodPressureOf(steady, { returnAll: false, limit })],
	['Concurrent Requests', option('concurrency')],
	['Requests per Second', option('requestsPerSecond')],
	['Time Zone', option('timeZone')],
	['When Not Found', option('whenNotFound')],
	['Max Users', option('userLimit', { userScope: 'all' })],
	['Skip First Users', option('userOffset', { userScope: 'all' })],
	['Only Connected Users', option('onlyConnected', { userScope: 'all', provider: slug('withings') })],
	['Return All', (returnAll) => listUsers({ returnAll, limit: 2 })],
	['Limit', (limit) => listUsers({ limit })],
	['Connected Provider', (provider) => listUsers({ returnAll: true, options: { provider } })],
	['Skip First Users', (offset) => listUsers({ options: { offset } })],
	['Client User ID', (id) => resolve(id, { whenNotFound: 'empty' })],
	['When Not Found', (whenNotFound) => resolve('steady', { whenNotFound })],
];

/** In one run, because each run of an isolate takes a while: nothing, null, an empty list and an object. */
const WRONG = '={{ [undefined, null, [], ({ a: 1 })][$itemIndex] }}';

describe('the node {{ }}', () => {
	it.each(FIELDS)('%s is refused when filled with what is no value of it', async (name, at) => {
		const { rows } = await runNode({
			credential: used.credential,
			input: [{}, {}, {}, {}],
			parameters: at(WRONG),
			onError: 'continueRegularOutput',
		});
		expect(rows).toHaveLength(4);
		for (const { error, details } of rows) {
			expect(error).toMatch(`'${name}' is `);
			expect(details).toMatch(/\S/);
		}
		// Each item had a value of its own.
		expect(new Set(rows.map(({ details }) => details)).size).toBeGreaterThan(1);
		expect(used.sandbox.requests).toEqual([]);
	});

	it('accepts an identifier as a number only up to its exact range', async () => {
		const { error } = await runNode({
			credential: used.credential,
			parameters: resolve('={{ 12345678901234567890 }}'),
		});
		expect(error?.message).toBe("'Client User ID' is not a text");
		expect(used.sandbox.requests).toEqual([]);
	});
});

it.each(['mode', 'value'])(
	'refuses a locator without its %s where that widens or changes what is read',
	async (part) => {
		const whole: IDataObject = { __rl: true, mode: 'slug', value: 'omron' };
		delete whole[part];
		const { rows, error } = await runNode({
			credential: used.credential,
			parameters: bloodPressureOf(steady, { provider: whole as INodeParameters }),
		});
		if (part === 'mode') expect(rows.every(({ provider }) => provider === 'omron')).toBe(true);
		else expect(error?.message).toMatch("'Provider' is ");
	},
);

describe('Simplify', () => {
	const answer = async (parameters: INodeParameters, args: IDataObject = {}) =>
		(await runAgent(used.credential, { Tool: parameters }, [['Tool', args]])).answers[0];
	const raw = async (parameters: INodeParameters) =>
		(await runNode({ credential: used.credential, parameters, timezone: 'UTC' })).rows;
	const operations: Array<[string, INodeParameters]> = [
		['readings', bloodPressureOf(steady)],
		['users', listUsers()],
		['a user', resolve('steady')],
	];

	it.each(operations)('has no effect in a workflow, with any saved value: %s', async (_, parameters) => {
		const rows = await raw(parameters);
		for (const simplify of [true, '={{ "nonsense" }}']) expect(await raw({ ...parameters, simplify })).toEqual(rows);
	});

	it.each(operations)('has its meaning for a tool {{ }}: %s', async (_, parameters) => {
		const simple = await answer(parameters);
		const whole = JSON.stringify(await raw(parameters));
		expect(simple.length).toBeLessThan(whole.length);
		expect(await answer({ ...parameters, simplify: '={{ " TRUE " }}' })).toBe(simple);
		expect(JSON.parse(await answer({ ...parameters, simplify: '={{ false }}' }))).toEqual(JSON.parse(whole));
		used.sandbox.requests.length = 0;
		for (const wrong of ['={{ undefined }}', '={{ "nonsense" }}'])
			expect(await answer({ ...parameters, simplify: wrong })).toContain("'Simplify' is not true or false");
		expect(used.sandbox.requests).toEqual([]);
	});

	it('leaves one identifier where a tool gives one item per user, however that is chosen {{ }}', async () => {
		const grouped = bloodPressureOf(steady, { output: 'grouped' });
		const [{ user_id, groups }] = await raw(grouped);
		for (const output of ['grouped', '={{ "grouped" }}', fromAI('Output')]) {
			expect(JSON.parse(await answer({ ...grouped, output }, { Output: 'grouped' }))).toEqual([{ user_id, groups }]);
		}
	});
});
