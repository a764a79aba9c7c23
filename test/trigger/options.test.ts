/** Options of the trigger: filters of readings and users, and the requests. */
import type { User } from '../../dev/sandbox/schemas';
import type { Reading } from '../../dev/sandbox/world';
import { bloodPressure, History, mindfulness } from '../helpers/people';
import { type HostOptions, PollingHost } from '../helpers/pollingHost';
import { byUserId, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';
import { MINUTE } from '../helpers/watch';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

const history = new History();
const used = useSandbox(() => ({ world: history }));
useVirtualTime();
let anna: User;
let clock: number;

const at = (minutes: number) => new Date(clock + minutes * MINUTE).toISOString().replace('.000', '');
const reading = (systolic: unknown, diastolic: unknown, minutes = 0) =>
	bloodPressure(at(minutes), systolic as number, diastolic as number);
const valuesOf = (rows: IDataObject[] = []) =>
	rows.map(({ systolic, diastolic, change }) => [systolic, diastolic, change]);

beforeEach(() => {
	clock = Date.UTC(2026, 5, 1, 12);
	jest.spyOn(Date, 'now').mockImplementation(() => clock);
	used.sandbox.switches.now = () => clock;
	history.entries = [];
	history.team.users = [];
	anna = history.addUser('anna');
});
afterEach(() => (used.sandbox.load.mostInFlight = 0));

const high = (systolic: unknown, diastolic: unknown = null) => ({ high: { systolic, diastolic } }) as INodeParameters;

describe.each(['memory', 'durable'] as const)('limits (%s)', (scheduler: HostOptions['scheduler']) => {
	const trigger = async (limits: INodeParameters, event = 'bloodPressure') => {
		const n8n = new PollingHost(used.credential, { event, userScope: 'all', limits }, { scheduler });
		await n8n.start();
		return n8n;
	};
	const change = (entry: ReturnType<History['add']>, to: Reading) => {
		history.remove(entry);
		return history.add(anna, to);
	};

	it('one of them: readings that reach it are emitted, the value itself included', async () => {
		const n8n = await trigger(high(140));
		for (const [index, systolic] of [139, 140, 141, 139.9, 200].entries())
			history.add(anna, reading(systolic, 95, index));
		clock += 10 * MINUTE;
		expect(valuesOf(await n8n.tick()).map(([systolic]) => systolic)).toEqual([140, 141, 200]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('a pair: either is enough', async () => {
		const n8n = await trigger(high(140, 90));
		history.add(anna, reading(150, 80, 0));
		history.add(anna, reading(120, 95, 1));
		history.add(anna, reading(130, 85, 2));
		clock += 5 * MINUTE;
		expect(valuesOf(await n8n.tick())).toEqual([
			[150, 80, 'created'],
			[120, 95, 'created'],
		]);
	});

	it('low ones: readings at or below, beside those that are high', async () => {
		const n8n = await trigger({ ...high(180), low: { systolic: 90, diastolic: 50 } });
		const entries = [
			[91, 51],
			[90, 51],
			[89.9, 60],
			[120, 50],
			[120, 80],
			[180, 80],
		].map(([systolic, diastolic], index) => history.add(anna, reading(systolic, diastolic, index)));
		clock += 10 * MINUTE;
		expect(valuesOf(await n8n.tick())).toEqual([
			[90, 51, 'created'],
			[89.9, 60, 'created'],
			[120, 50, 'created'],
			[180, 80, 'created'],
		]);
		change(entries[0], reading(88, 51, -10));
		change(entries[1], reading(92, 51, -9));
		expect(valuesOf(await n8n.tick())).toEqual([
			[88, 51, 'created'],
			[92, 51, 'updated'],
		]);
	});

	it('numbers as text count, null and words do not', async () => {
		used.sandbox.switches.oddValues = true;
		const n8n = await trigger(high(140));
		for (let index = 0; index < 12; index++) history.add(anna, reading(index % 2 ? 130 : 150, 80, index));
		clock += 20 * MINUTE;
		const rows = (await n8n.tick())!;
		expect(rows.length).toBeGreaterThan(0);
		expect(rows.map(({ systolic }) => systolic)).toEqual(rows.map(() => 150));
	});

	it('mindfulness has its own; those of the other metric have no effect', async () => {
		const n8n = await trigger({ high: { minutes: 12.5, systolic: 1 } }, 'mindfulnessMinutes');
		for (const [index, minutes] of [5, 12.5, 20].entries())
			history.add(anna, mindfulness(at(index), minutes), { metric: 'mindfulness_minutes' });
		clock += 30 * MINUTE;
		expect((await n8n.tick())!.map(({ value }) => value)).toEqual([12.5, 20]);
	});

	it('do not apply to new users', async () => {
		const n8n = await trigger(high(140, 'nonsense'), 'user');
		history.addUser('ben', at(1));
		clock += 5 * MINUTE;
		expect(await n8n.tick()).toHaveLength(1);
	});

	it('a reading that reaches it after a correction goes out as new; then each correction goes out', async () => {
		const n8n = await trigger(high(140));
		let entry = history.add(anna, reading(120, 80));
		expect(await n8n.tick()).toBeUndefined();
		entry = change(entry, reading(130, 80));
		expect(await n8n.tick()).toBeUndefined();
		entry = change(entry, reading(150, 80));
		expect(valuesOf(await n8n.tick())).toEqual([[150, 80, 'created']]);
		// The alarm is taken back.
		entry = change(entry, reading(120, 80));
		expect(valuesOf(await n8n.tick())).toEqual([[120, 80, 'updated']]);
		expect(await n8n.tick()).toBeUndefined();
		change(entry, reading(151, 80));
		expect(valuesOf(await n8n.tick())).toEqual([[151, 80, 'updated']]);
	});

	it('of a reading that was old at the first read, a correction goes out only if it reaches', async () => {
		let entry = history.add(anna, reading(150, 80, -60));
		const n8n = await trigger(high(140));
		entry = change(entry, reading(130, 80, -60));
		expect(await n8n.tick()).toBeUndefined();
		change(entry, reading(160, 80, -60));
		expect(valuesOf(await n8n.tick())).toEqual([[160, 80, 'updated']]);
	});

	it.each<[string, INodeParameters]>([
		['lower', high(100)],
		['gone', {}],
		['another one', high(null, 10)],
	])('a change of it (%s): what of the lookback reaches the new one goes out once, nothing else', async (_, limits) => {
		history.add(anna, reading(125, 80, -60));
		const n8n = await trigger(high(140));
		history.add(anna, reading(120, 80, 0));
		history.add(anna, reading(150, 80, 1));
		clock += 2 * MINUTE;
		expect(valuesOf(await n8n.tick())).toEqual([[150, 80, 'created']]);
		n8n.parameters = { ...n8n.parameters, limits };
		history.add(anna, reading(145, 80, -0.5));
		expect(valuesOf(await n8n.start())).toEqual([
			[120, 80, 'created'],
			[145, 80, 'created'],
		]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('a test event is one that would be emitted', async () => {
		history.add(anna, reading(150, 80, -20));
		history.add(anna, reading(120, 80, -10));
		const n8n = await trigger(high(140));
		expect(valuesOf(await n8n.fetchTestEvent())).toEqual([[150, 80, 'created']]);
		n8n.parameters = {
			...n8n.parameters,
			userScope: 'one',
			user: byUserId(anna.user_id),
			limits: high(160),
		};
		await expect(n8n.fetchTestEvent()).rejects.toMatchObject({
			message: "The test found no blood pressure reading that reaches 'Limits'",
			description: expect.stringContaining('their last 90 days'),
		});
	});
});

describe('Only Connected Users', () => {
	const provider = { __rl: true, mode: 'slug', value: 'withings' };
	const asked = () => used.sandbox.requests.filter((url) => url.includes('/timeseries/'));
	const trigger = (more: INodeParameters) =>
		new PollingHost(used.credential, { event: 'bloodPressure', userScope: 'all', ...more });
	const connect = (user: User, created_on = user.connected_sources[0].created_on) =>
		user.connected_sources.push({
			...user.connected_sources[0],
			created_on,
			source: { ...user.connected_sources[0].source, slug: 'withings' },
		});

	it('requests users with the provider connected now, and no others', async () => {
		const ben = history.addUser('ben');
		connect(ben);
		const n8n = trigger({ provider, options: { onlyConnected: true } });
		await n8n.start();
		expect(asked()).toHaveLength(1);
		expect(asked()[0]).toContain(ben.user_id);
		connect(anna);
		used.sandbox.requests.length = 0;
		clock += MINUTE;
		history.add(anna, bloodPressure(at(0), 120, 80, 'withings'));
		expect(await n8n.tick()).toHaveLength(1);
		expect(asked()).toHaveLength(2);
	});

	it('a user who connects after publication brings nothing that was measured before it', async () => {
		const ben = history.addUser('ben');
		connect(ben);
		const n8n = trigger({ provider, options: { onlyConnected: true } });
		const add = (user: User, systolic: number, minutes: number) =>
			history.add(user, bloodPressure(at(minutes), systolic, 80, 'withings'));
		await n8n.start();
		clock += 10 * MINUTE;
		for (const minutes of [-20, -10, -5]) add(anna, 120 + minutes, minutes);
		connect(anna, at(-1));
		// It comes late from a user who was connected at publication.
		add(ben, 120, -20);
		const systolics = async () => (await n8n.tick())?.map(({ systolic }) => systolic);
		expect(await systolics()).toEqual([120, 115]);
		expect(await systolics()).toBeUndefined();

		clock += 71 * 60 * MINUTE;
		add(ben, 121, 0);
		expect(await systolics()).toEqual([121]);
		const late = add(anna, 122, -72 * 60);
		expect(await systolics()).toBeUndefined();
		history.remove(late);
		clock += 2 * 60 * MINUTE;
		add(ben, 123, 0);
		expect(await systolics()).toEqual([123]);
	});

	it.each<[string, INodeParameters]>([
		['off', { provider, options: { onlyConnected: false } }],
		['not added', { provider }],
		['without a provider', { options: { onlyConnected: true } }],
	])('requests all users: %s', async (_, more) => {
		connect(history.addUser('ben'));
		await trigger(more).start();
		expect(asked()).toHaveLength(2);
	});
});
