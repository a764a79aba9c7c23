/**
 * The trigger in the engine's own PollContext, against the sandbox.
 */
import type { INodeParameters } from 'n8n-workflow';
import type { User } from '../../dev/sandbox/schemas';
import { History } from '../helpers/history';
import { bloodPressure, mindfulness } from '../helpers/people';
import { PollingHost, type HostOptions } from '../helpers/pollingHost';
import { outputInReadme } from '../helpers/readme';
import { byClientId, byUserId, queryOf, useSandbox } from '../helpers/requests';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.UTC(2026, 5, 1, 12);

const history = new History();
const used = useSandbox(() => ({ world: history }));
let anna: User;
let ben: User;
let clock: number;

const everybody: INodeParameters = { event: 'bloodPressure', userScope: 'all' };
const scheduler: HostOptions['scheduler'] = 'memory';
const trigger = (parameters: INodeParameters = everybody) =>
	new PollingHost(used.credential, parameters, { scheduler });
const iso = (time: number) => new Date(time).toISOString();
/** A reading that is measured, and reaches the service, so many minutes from now. */
const reading = (minutes: number, systolic = 120, provider = 'omron', type = 'cuff') =>
	bloodPressure(iso(clock + minutes * MINUTE).replace('.000', ''), systolic, 80, provider, type);
const pass = (ms: number) => {
	clock += ms;
};

beforeEach(() => {
	clock = NOON;
	jest.spyOn(Date, 'now').mockImplementation(() => clock);
	used.sandbox.switches.now = () => clock;
	history.entries = [];
	history.team.users = [];
	anna = history.addUser('anna');
	ben = history.addUser('ben');
});
afterEach(() => jest.restoreAllMocks());

describe('what is new', () => {
	it('is nothing that was there at activation', async () => {
		history.add(anna, reading(-60));
		const n8n = trigger();
		expect(await n8n.start()).toBeUndefined();
		expect(await n8n.tick()).toBeUndefined();
	});

	it('comes as a row with an id and how it changed, the oldest first', async () => {
		const n8n = trigger();
		await n8n.start();
		history.add(ben, reading(2, 125));
		history.add(anna, reading(1, 145));
		pass(5 * MINUTE);

		const rows = (await n8n.tick())!;
		expect(rows.map(({ client_user_id, systolic, change }) => [client_user_id, systolic, change])).toEqual([
			['anna', 145, 'created'],
			['ben', 125, 'created'],
		]);
		expect(Object.keys(rows[0])).toEqual([
			...[
				'id',
				'change',
				'user_id',
				'client_user_id',
				'timestamp',
				'systolic',
				'diastolic',
				'unit',
				'provider',
				'source_type',
			],
		]);
		expect(rows[0].id).toMatch(/^bloodPressure-[0-9a-f]{20}$/);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('is a reading that was measured before the last poll and arrives after it', async () => {
		const n8n = trigger();
		await n8n.start();
		history.add(anna, reading(-47 * 60), { late: 47 * HOUR + MINUTE });
		history.add(anna, reading(1));
		pass(2 * MINUTE);
		expect(await n8n.tick()).toHaveLength(2);
	});

	it('is not a reading that is later than the lookback', async () => {
		const n8n = trigger({ ...everybody, options: { lookback: 2 } });
		history.add(anna, reading(0));
		await n8n.start();
		history.add(anna, reading(-119), { late: 120 * MINUTE });
		history.add(anna, reading(-121), { late: 122 * MINUTE });
		pass(5 * MINUTE);
		expect(await n8n.tick()).toHaveLength(1);
	});

	it('is a corrected reading, once more, under the same id', async () => {
		const n8n = trigger();
		await n8n.start();
		const entry = history.add(anna, reading(0, 120));
		const [created] = (await n8n.tick())!;
		history.remove(entry);
		history.add(anna, reading(0, 130));

		expect(await n8n.tick()).toEqual([{ ...created, systolic: 130, change: 'updated' }]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('is not a reading that is only written in another way', async () => {
		const n8n = trigger({ event: 'mindfulnessMinutes', userScope: 'all' });
		await n8n.start();
		history.add(anna, mindfulness(iso(clock), 10), { metric: 'mindfulness_minutes' });
		expect(await n8n.tick()).toHaveLength(1);
		for (const timestamps of ['z', 'offset', 'noZone'] as const) {
			used.sandbox.switches.timestamps = timestamps;
			expect(await n8n.tick()).toBeUndefined();
		}
	});

	it.each([
		['another provider', () => reading(0, 120, 'withings')],
		['another kind of source', () => reading(0, 120, 'omron', 'phone')],
		['a microsecond later', () => bloodPressure('2026-06-01T12:00:00.000001Z', 120, 80)],
	])('are two readings of the same moment when one is %s', async (_, other) => {
		const n8n = trigger();
		await n8n.start();
		history.add(anna, reading(0));
		history.add(anna, other());
		const rows = (await n8n.tick())!;
		expect(rows).toHaveLength(2);
		expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
	});

	it('is one reading when a moment of a source comes with two values: the last one, and not again', async () => {
		const n8n = trigger();
		await n8n.start();
		history.add(anna, reading(0, 120));
		history.add(anna, reading(0, 130));
		expect(await n8n.tick()).toMatchObject([{ systolic: 130, change: 'created' }]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('is one reading when pages overlap', async () => {
		Object.assign(used.sandbox.switches, { pageSize: 2, overlap: true });
		const n8n = trigger();
		await n8n.start();
		for (let i = 0; i < 7; i++) history.add(anna, reading(i));
		pass(HOUR);
		expect(await n8n.tick()).toHaveLength(7);
	});

	it('keeps a field of the service that is called like one of ours', async () => {
		used.sandbox.switches.extraFields = true;
		const n8n = trigger();
		await n8n.start();
		history.add(anna, reading(0));
		const [row] = (await n8n.tick())!;
		expect(row.id).toMatch(/^bloodPressure-/);
		expect(row).toHaveProperty('id_raw');
	});
});

describe('whose', () => {
	it.each([
		['By Client User ID', () => byClientId('anna')],
		['By User ID', () => byUserId(anna.user_id)],
	])('one user, %s', async (_, user) => {
		const n8n = trigger({ event: 'bloodPressure', userScope: 'one', user: user() });
		await n8n.start();
		history.add(anna, reading(0, 121));
		history.add(ben, reading(0, 122));
		expect((await n8n.tick())!.map(({ systolic }) => systolic)).toEqual([121]);
	});

	it('asks for one provider', async () => {
		const n8n = trigger({ ...everybody, provider: { __rl: true, mode: 'slug', value: ' withings ' } });
		await n8n.start();
		history.add(anna, reading(0, 121));
		history.add(anna, reading(0, 122, 'withings'));
		expect((await n8n.tick())!.map(({ systolic }) => systolic)).toEqual([122]);
		expect(queryOf(used.sandbox.requests.at(-1)!).provider).toBe('withings');
	});

	it('somebody who joins, and nobody who left', async () => {
		const n8n = trigger();
		await n8n.start();
		const carl = history.addUser('carl');
		history.add(carl, reading(-60), { late: 60 * MINUTE });
		history.add(ben, reading(0));
		history.removeUser(ben);
		expect((await n8n.tick())!.map(({ client_user_id }) => client_user_id)).toEqual(['carl']);
	});

	it('new users', async () => {
		const n8n = trigger({ event: 'user' });
		expect(await n8n.start()).toBeUndefined();
		pass(HOUR);
		const carl = history.addUser('carl', iso(clock));
		const [row] = (await n8n.tick())!;
		expect(row).toMatchObject({ ...carl, id: expect.stringMatching(/^user-/), change: 'created' });
		carl.connected_sources.pop();
		expect(await n8n.tick()).toBeUndefined();
	});
});

describe('n8n', () => {
	it('may be killed after any poll', async () => {
		const n8n = trigger();
		await n8n.start();
		for (let i = 0; i < 3; i++) {
			pass(HOUR);
			history.add(anna, reading(-1, 120 + i));
			expect(await n8n.tick()).toHaveLength(1);
			n8n.kill();
			expect(await n8n.start('init')).toBeUndefined();
		}
	});

	it('may be down for much longer than the lookback', async () => {
		const n8n = trigger();
		history.add(anna, reading(-60));
		await n8n.start();
		n8n.kill();
		for (let day = 0; day < 10; day++) history.add(anna, reading(day * 24 * 60));
		pass(240 * HOUR);
		expect(await n8n.start('init')).toHaveLength(10);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('may have its clock set forward and back', async () => {
		const n8n = trigger();
		history.add(anna, reading(-60));
		await n8n.start();
		const service = clock;
		used.sandbox.switches.now = () => service + MINUTE;
		for (const wrong of [NOON + 1000 * HOUR, NOON + 1001 * HOUR, NOON - 1000 * HOUR, NOON]) {
			clock = wrong;
			expect(await n8n.tick()).toBeUndefined();
		}
		history.add(anna, { ...reading(0), time: service, arrived: service });
		expect(await n8n.tick()).toHaveLength(1);
	});

	it('is not led astray by a device whose clock is ahead', async () => {
		used.sandbox.switches.now = () => clock + 1000 * HOUR;
		history.add(anna, reading(500 * 60));
		const n8n = trigger();
		expect(await n8n.start()).toBeUndefined();
		pass(MINUTE);
		history.add(anna, reading(600 * 60));
		expect(await n8n.tick()).toHaveLength(1);
		history.add(ben, reading(-60));
		expect(await n8n.tick()).toHaveLength(1);
	});

	it('forgets what has left the window', async () => {
		const n8n = trigger({ ...everybody, options: { lookback: 2 } });
		await n8n.start();
		for (let i = 0; i < 50; i++) {
			pass(HOUR);
			history.add(anna, reading(0));
			await n8n.tick();
		}
		expect(n8n.executions.flat()).toHaveLength(50);
		const { seen } = JSON.parse(n8n.saved)['node:Node'].state;
		expect(Object.keys(seen)).toHaveLength(3);
	});

	it('holds no reading and no name in what it saves', async () => {
		const n8n = trigger();
		await n8n.start();
		history.add(anna, reading(0, 187));
		await n8n.tick();
		expect(n8n.saved).not.toMatch(/187|anna|omron|cuff/);
		expect(n8n.saved).not.toContain(anna.user_id);
	});

	it('polls again while a poll still runs: the second does nothing', async () => {
		const n8n = trigger();
		await n8n.start();
		history.add(anna, reading(0));
		used.sandbox.switches.latencyMs = 50;
		const polls = await Promise.all([n8n.tick(), n8n.tick(), n8n.tick()]);
		expect(polls.filter((rows) => rows !== undefined)).toEqual([[expect.objectContaining({ systolic: 120 })]]);
	});
});

describe('a changed field', () => {
	it.each<[string, () => INodeParameters]>([
		['Trigger On', () => ({ event: 'mindfulnessMinutes', userScope: 'all' })],
		['Users', () => ({ ...everybody, userScope: 'one', user: byUserId(anna.user_id) })],
		['Provider', () => ({ ...everybody, provider: { __rl: true, mode: 'slug', value: 'omron' } })],
	])('%s starts afresh', async (_, parameters) => {
		const n8n = trigger();
		await n8n.start();
		n8n.parameters = parameters();
		history.add(anna, reading(0));
		history.add(anna, mindfulness(iso(clock), 10), { metric: 'mindfulness_minutes' });
		expect(await n8n.start()).toBeUndefined();
		expect(await n8n.tick()).toBeUndefined();
	});

	it('Lookback goes on', async () => {
		const n8n = trigger();
		await n8n.start();
		history.add(anna, reading(0));
		n8n.parameters = { ...everybody, options: { lookback: 100 } };
		expect(await n8n.start()).toHaveLength(1);
	});
});

describe('a poll that fails', () => {
	const wrongKey = () => ({ ...used.credential, apiKey: 'wrong' });
	const outage = () => ({ status: 503 });

	it.each([1, 2, 3])('at request %i loses nothing', async (failing) => {
		const n8n = trigger();
		await n8n.start();
		history.add(anna, reading(0));
		history.add(ben, reading(0));
		const before = used.sandbox.requests.length;
		used.sandbox.switches.fault = (number) => (number >= before + failing ? { status: 500 } : undefined);
		await expect(n8n.tick()).rejects.toMatchObject({
			message: 'The service could not answer (status 500)',
			httpCode: '500',
		});
		used.sandbox.switches.fault = () => undefined;
		expect(await n8n.tick()).toHaveLength(2);
	});

	it('for a wrong key says so at activation', async () => {
		const n8n = trigger();
		n8n.credential = wrongKey();
		await expect(n8n.start()).rejects.toMatchObject({ message: 'The service did not accept the API key (status 401)' });
	});

	it.each<[string, 'activate' | 'init']>([
		['an outage at activation', 'activate'],
		['an outage when n8n starts', 'init'],
	])('for %s leaves the trigger alive', async (_, mode) => {
		const n8n = trigger();
		await n8n.start();
		history.add(anna, reading(0));
		used.sandbox.switches.fault = outage;
		expect(await n8n.start(mode)).toBeUndefined();
		await expect(n8n.tick()).rejects.toMatchObject({ httpCode: '503' });
		used.sandbox.switches.fault = () => undefined;
		expect(await n8n.tick()).toHaveLength(1);
	});

	it('for a wrong key when n8n starts leaves the trigger alive, and the next poll says so', async () => {
		const n8n = trigger();
		await n8n.start();
		history.add(anna, reading(0));
		n8n.credential = wrongKey();
		expect(await n8n.start('init')).toBeUndefined();
		await expect(n8n.tick()).rejects.toMatchObject({ httpCode: '401' });
		n8n.kill();
		n8n.credential = used.credential;
		expect(await n8n.start('init')).toHaveLength(1);
	});

	it('from the first one on does not make old what is measured after activation', async () => {
		history.add(anna, reading(-1));
		used.sandbox.switches.fault = outage;
		const n8n = trigger();
		await n8n.start();
		history.add(ben, reading(30, 131));
		pass(HOUR);
		await expect(n8n.tick()).rejects.toThrow();
		used.sandbox.switches.fault = () => undefined;
		expect(await n8n.tick()).toMatchObject([{ systolic: 131 }]);
	});

	it('from the first one on, and then brings nothing new: what was seen is saved all the same', async () => {
		history.add(anna, reading(-1));
		used.sandbox.switches.fault = outage;
		const n8n = trigger();
		await n8n.start();
		used.sandbox.switches.fault = () => undefined;
		pass(HOUR);
		expect(await n8n.tick()).toEqual([]);
		n8n.kill();
		history.add(ben, reading(-90), { late: 90 * MINUTE });
		history.add(ben, reading(0));
		expect(await n8n.start('init')).toHaveLength(2);
		expect(await n8n.tick()).toBeUndefined();
	});

	it.each<[string, INodeParameters, string]>([
		['a user ID', { event: 'bloodPressure', user: byUserId('anna') }, "'User' is not a user ID"],
		['a lookback', { ...everybody, options: { lookback: 0 } }, "'Lookback Hours' is not a whole number from 1 to 720"],
		[
			'an unknown user',
			{ event: 'bloodPressure', user: byClientId('nobody') },
			"There is no user with this 'Client User ID'",
		],
	])('for %s says so in terms of the fields', async (_, parameters, message) => {
		await expect(trigger(parameters).start()).rejects.toMatchObject({ message });
	});
});

describe('a test event', () => {
	it('is the newest reading, and nothing is remembered', async () => {
		history.add(anna, reading(-120, 121));
		history.add(ben, reading(-60, 122));
		const n8n = trigger();
		await n8n.start();
		const { saved } = n8n;
		expect(await n8n.fetchTestEvent()).toMatchObject([{ client_user_id: 'ben', systolic: 122, change: 'created' }]);
		expect(n8n.saved).toBe(saved);
	});

	it('may be older than the lookback', async () => {
		history.add(anna, reading(-80 * 24 * 60));
		expect(await trigger().fetchTestEvent()).toHaveLength(1);
	});

	it('is the newest user', async () => {
		history.addUser('carl', '2025-06-01T00:00:00Z');
		history.addUser('dora', '2025-03-01T00:00:00Z');
		expect(await trigger({ event: 'user' }).fetchTestEvent()).toMatchObject([{ client_user_id: 'carl' }]);
	});

	it('says what to do when there is none', async () => {
		await expect(trigger().fetchTestEvent()).rejects.toMatchObject({
			message: 'There is no blood pressure reading to show',
			description: expect.stringContaining('Only the first 50 users'),
		});
	});
});

it('gives what README shows', async () => {
	const n8n = trigger();
	await n8n.start();
	history.add(anna, bloodPressure('2026-06-01T11:58:20Z', 151, 93));
	expect(await n8n.tick()).toEqual(outputInReadme('trigger'));
});
