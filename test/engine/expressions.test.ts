/**
 * Expressions: what their evaluators give the node, and a sample of each kind in the fields. The isolated run repeats all with n8n's own
 * evaluator (test/jest.isolated.config.js). What a field makes of a value is in fields.test.ts.
 */
import { DateTime } from 'luxon';
import { type IDataObject, type INodeParameters } from 'n8n-workflow';
import { fromAI, runAgent } from '../helpers/agent';
import { useRunner } from '../helpers/engine';
import { BERLIN, expectedRows, people, readingsOf, SPECIAL, SPECIAL_ID, STEADY } from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, listUsers, queryOf } from '../helpers/requests';
import { valuesOf, watch } from '../helpers/watch';

const used = useRunner();
const { run } = used;
const steady = byUserId(STEADY.user_id);

describe('dates {{ }}', () => {
	const all = expectedRows(BERLIN, readingsOf(people(), BERLIN), null, 'Europe/Berlin');
	it.each([
		['Luxon', "={{ DateTime.fromISO('2026-03-29', { zone: 'Europe/Berlin' }) }}"],
		['a Luxon date of another zone', "={{ DateTime.fromISO('2026-03-28T19:30:00', { zone: 'America/New_York' }) }}"],
		// Still the 28th in UTC, and already the 30th where the tests run.
		['JS Date, early in the day', "={{ new Date('2026-03-28T23:30:00Z') }}"],
		['JS Date, late in the day', "={{ new Date('2026-03-29T20:00:00Z') }}"],
	])('%s', async (_, date) => {
		const { rows, error } = await run(bloodPressureOf(byUserId(BERLIN.user_id), { startDate: date, endDate: date }), {
			timezone: 'Europe/Berlin',
		});
		expect(error).toBeUndefined();
		expect(rows).toEqual(all.slice(3, 7));
	});

	it.each(['={{ $today }}', '={{ $now }}'])('%s is today in the zone of the workflow', async (date) => {
		// The isolate has a clock of its own, and the day may change on the way.
		for (const timezone of ['Pacific/Auckland', 'America/Los_Angeles']) {
			used.sandbox.requests.length = 0;
			const before = DateTime.now().setZone(timezone).toISODate();
			const { error } = await run(bloodPressureOf(steady, { startDate: date, endDate: date }), { timezone });
			const after = DateTime.now().setZone(timezone).toISODate();
			expect(error).toBeUndefined();
			const { start_date, end_date } = queryOf(used.sandbox.requests[0]);
			const [day] = start_date.split('T');
			expect([before, after]).toContain(day);
			expect([start_date, end_date].map((text) => text.slice(0, 16))).toEqual([`${day}T00:00`, `${day}T23:59`]);
		}
	});
});

describe('the user {{ }}', () => {
	it.each(['{{ $json.user }}', '{{ $json.nested.user }}', '{{ $json.user.trim() }}'])(
		'%s means the same in any spelling',
		async (expression) => {
			const input = [SPECIAL, BERLIN].map(({ client_user_id }) => ({
				user: client_user_id,
				nested: { user: client_user_id },
			}));
			const parameters = bloodPressureOf(byClientId(`=${expression}`));
			const { items, error } = await run(parameters, { input, timezone: 'Europe/Berlin' });
			expect(error).toBeUndefined();
			expect(items.map(({ json, pairedItem }) => [json.client_user_id, pairedItem])).toEqual([
				...Array(3).fill([SPECIAL_ID, { item: 0 }]),
				...Array(8).fill(['berlin', { item: 1 }]),
			]);
		},
	);

	it.each([
		['{{ $json.missing }}', 'empty'],
		['{{ $json.nested }}', 'not an identifier'],
	])('%s is %s', async (expression, what) => {
		const { error } = await run(bloodPressureOf(byClientId(`=${expression}`)), { input: [{ nested: {} }] });
		expect(error?.message).toBe(`'Client User ID' is ${what}`);
	});
});

const noUser = { __rl: true, mode: 'list', value: '' };

it.each<[string, INodeParameters, INodeParameters, string]>([
	[
		'Users, without anything in User',
		bloodPressureOf(noUser, { userScope: '={{ "all" }}' }),
		{ userScope: '={{ "one" }}' },
		"'User' is empty",
	],
	[
		'Users, a list, without anything in User',
		bloodPressureOf(noUser, { userScope: '={{ "listed" }}', userIds: STEADY.user_id }),
		{ userIds: '' },
		"'User IDs' is empty",
	],
	[
		'Date Range, without anything in Start Date',
		bloodPressureOf(steady, { dateRange: '={{ "last7Days" }}', startDate: '', endDate: '' }),
		{ dateRange: '={{ "days" }}' },
		"'Start Date' is empty",
	],
])('a choice {{ }}: %s', async (_, parameters, other, message) => {
	expect((await run(parameters)).error).toBeUndefined();
	expect(used.sandbox.requests.some((url) => url.includes('/timeseries/'))).toBe(true);
	expect((await run({ ...parameters, ...other })).error?.message).toBe(message);
});

it.each(['={{ $json.ids }}', '={{ $input.all().flatMap((item) => item.json.ids) }}'])(
	'the users of a list: %s',
	async (userIds) => {
		const ids = [BERLIN.user_id, STEADY.user_id];
		const { rows, error } = await run(bloodPressureOf('', { userScope: 'listed', userIds }), { input: [{ ids }] });
		expect(error).toBeUndefined();
		expect([...new Set(rows.map(({ user_id }) => user_id))]).toEqual(ids);
		expect(rows).toHaveLength(8 + 61);
	},
);

it('{{ }} that n8n cannot evaluate is an error, and nothing is sent', async () => {
	const { error } = await run(bloodPressureOf(byUserId("={{ $('Missing').item.json.x }}")));
	expect(error?.message).toMatch(/\S/);
	expect(used.sandbox.requests).toEqual([]);
});

describe('a tool of an agent {{ }}', () => {
	const answer = async (parameters: INodeParameters, args: IDataObject) =>
		(await runAgent(used.credential, { Tool: parameters }, [['Tool', args]])).answers[0];

	it("a field of the agent's own input, as any other tool does", async () => {
		const { answers } = await runAgent(
			used.credential,
			{ Tool: bloodPressureOf(byClientId('={{ $json.user }}')) },
			[['Tool']],
			{ user: SPECIAL_ID },
		);
		expect(JSON.parse(answers[0])).toHaveLength(3);
	});

	it('a limit in words, where it was left as text', async () => {
		expect(await answer(listUsers({ limit: fromAI('Limit') }), { Limit: 'ten' })).toContain(
			"'Limit' is not a whole number of 1 or more. Enter 'Limit' in digits, such as 50",
		);
		expect(JSON.parse(await answer(listUsers({ limit: fromAI('Limit') }), { Limit: '1' }))).toHaveLength(2);
	});
});

describe('the trigger {{ }}', () => {
	const w = watch();

	it('reads expressions in its fields', async () => {
		const n8n = w.trigger({
			event: 'bloodPressure',
			userScope: '={{ "o" + "ne" }}',
			user: byClientId('={{ "an" + "na" }}'),
			options: { lookback: '={{ 1 + 1 }}' },
		});
		w.history.add(w.anna, w.reading(0, 120));
		await n8n.start();
		w.history.add(w.anna, w.reading(-119, 121));
		w.history.add(w.ben, w.reading(-119, 122));
		w.history.add(w.anna, w.reading(-121, 123));
		expect(valuesOf(await n8n.tick())).toEqual([121]);
	});
});
