/**
 * Options of the trigger: filters of readings and users, and the requests. Its outputs: one item per reading, one per user with the
 * readings that go out in this poll, or one message for people.
 */
import type { User } from '../../dev/sandbox/schemas';
import type { Reading } from '../../dev/sandbox/world';
import { bloodPressure, History, mindfulness } from '../helpers/people';
import { type HostOptions, PollingHost } from '../helpers/pollingHost';
import { byUserId, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';
import { allUsers, MINUTE, onBothSchedulers, watch } from '../helpers/watch';
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
			description: expect.stringContaining('the last 90 days'),
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

const perUser = (limits: INodeParameters = {}): INodeParameters => ({ ...allUsers, output: 'users', limits });
const HIGH = { high: { systolic: 180, diastolic: 110 } };

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

	it('one item per user: in the order of their oldest readings, with the newest reading of the user', async () => {
		const n8n = w.trigger(perUser(HIGH));
		await n8n.start();
		w.history.add(w.ben, w.reading(1, 190));
		w.history.add(w.anna, w.reading(2, 185));
		w.history.add(w.anna, w.reading(3, 182));
		w.history.add(w.anna, w.reading(4, 141));
		w.pass(5 * MINUTE);
		expect(await n8n.tick()).toMatchObject([
			{ client_user_id: 'ben', reached: 'high', readings: 1, corrected: 0, latest: '190/80' },
			{
				client_user_id: 'anna',
				reached: 'high',
				readings: 2,
				systolic_min: 182,
				systolic_max: 185,
				latest: '141/80',
			},
		]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('`latest` is a reading that is dated ahead only when that goes out', async () => {
		// The service gives what a device measured in the future.
		w.used.sandbox.switches.now = () => Date.UTC(2100, 0, 1);
		w.used.sandbox.switches.date = () => w.clock;
		w.history.add(w.anna, w.reading(365 * 24 * 60, 118));
		const n8n = w.trigger(perUser(HIGH));
		await n8n.start();
		w.history.add(w.anna, w.reading(1, 195));
		w.history.add(w.anna, w.reading(2, 141));
		w.pass(5 * MINUTE);
		expect(await n8n.tick()).toMatchObject([{ systolic_max: 195, latest: '141/80' }]);
		w.history.add(w.anna, w.reading(3, 190));
		expect(await n8n.tick()).toMatchObject([{ systolic_max: 190, latest: '190/80' }]);
	});

	it('a correction that reaches nothing is in `corrected`', async () => {
		const n8n = w.trigger(perUser(HIGH));
		await n8n.start();
		const entry = w.history.add(w.anna, w.reading(0, 210));
		await n8n.tick();
		w.history.remove(entry);
		w.history.add(w.anna, w.reading(0, 120));
		expect(await n8n.tick()).toMatchObject([{ reached: '', readings: 1, corrected: 1, systolic_max: 120 }]);
	});

	it('a change of Output starts nothing over, and a test event has its shape', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		n8n.parameters = perUser();
		expect(await n8n.start()).toMatchObject([{ client_user_id: 'anna', readings: 1, latest: '121/80' }]);
		expect(await n8n.fetchTestEvent()).toMatchObject([{ client_user_id: 'anna', readings: 1 }]);
		n8n.parameters = { ...allUsers, output: 'nonsense' };
		await expect(n8n.start()).rejects.toThrow("'Output'");
	});

	describe('One Message per Poll', () => {
		const LIMITS = { high: { systolic: 180, diastolic: 110 }, low: { systolic: 90, diastolic: 50 } };
		const parameters: INodeParameters = { ...allUsers, output: 'message', limits: LIMITS };
		/** Readings of a user, "systolic/diastolic" and minutes from now. */
		const measure = (user: User, ...readings: Array<[string, number, object?]>) =>
			readings.map(([values, minutes, more]) => {
				const reading = w.reading(minutes);
				const [systolic, diastolic] = values.split('/').map((one) => (Number(one) ? Number(one) : one));
				Object.assign(reading.point, { systolic, diastolic }, more);
				return w.history.add(user, reading);
			});
		const linesOf = ({ text }: IDataObject) => String(text).split('\n');
		const lineOf = (item: IDataObject, name: string) => linesOf(item).find((line) => line.startsWith(`• ${name}`));
		const published = async (more: INodeParameters = {}) => {
			const n8n = w.trigger({ ...parameters, ...more });
			await n8n.start();
			return n8n;
		};

		it('has every reading that goes out, newest first, also beside a higher one', async () => {
			const n8n = await published();
			measure(w.anna, ['192/110', 1], ['185/100', 6], ['180/95', 11]);
			measure(w.ben, ['88/60', 2], ['120/45', 3], ['150/118', 4], ['182/90', 5], ['121/80', 7]);
			w.pass(12 * MINUTE);
			const [item, ...more] = (await n8n.tick())!;
			expect(more).toEqual([]);
			expect(linesOf(item)).toEqual([
				'Blood pressure: 1 person high and low, 1 person high',
				'Limits: at or above 180/110, or at or below 90/50.',
				'Times in UTC, values in mmHg.',
				'',
				'High and low: 1',
				'• ben: 182/90 Mon 1 Jun 12:05 high, 150/118 12:04 high, 120/45 12:03 low, 88/60 12:02 low; latest 121/80 Mon 1 Jun 12:07; by cuff',
				'',
				'High: 1',
				'• anna: 180/95 Mon 1 Jun 12:11 high, 185/100 12:06 high, 192/110 12:01 high; by cuff',
			]);
			expect(item).toMatchObject({
				...{ subject: linesOf(item)[0], people: 2, readings: 7, corrected: 0, reached: 2 },
				row_id: expect.stringMatching(/^bloodPressure-alert-[0-9a-f]{32}$/),
			});
			expect(item.html).toContain('150/118 12:04 high');
			expect(await n8n.tick()).toBeUndefined();
		});

		it('a correction does not hide what is high; one that reaches nothing is no alarm', async () => {
			const n8n = await published();
			const [wrong] = measure(w.anna, ['190/90', 0]);
			const [alarm] = measure(w.ben, ['200/100', 0]);
			await n8n.tick();
			w.history.remove(wrong);
			w.history.remove(alarm);
			measure(w.anna, ['165/88', 0], ['150/115', 1], ['128/80', 2]);
			measure(w.ben, ['120/80', 0]);
			w.pass(5 * MINUTE);
			const [item] = (await n8n.tick())!;
			expect(linesOf(item)).toEqual([
				'Blood pressure: 1 person high, 1 person corrected, no longer beyond the limits',
				...linesOf(item).slice(1, 4),
				'High: 1',
				'• anna: 150/115 Mon 1 Jun 12:01 high, 165/88 12:00 corrected; latest 128/80 Mon 1 Jun 12:02; by cuff',
				'',
				'Corrected, no longer beyond the limits: 1',
				'• ben: 120/80 Mon 1 Jun 12:00 corrected; by cuff',
			]);
			expect(item).toMatchObject({ people: 2, readings: 3, corrected: 2, reached: 1 });
		});

		it('a correction to values that cannot be right takes no alarm back', async () => {
			const n8n = await published();
			const [alarm] = measure(w.anna, ['200/100', 0]);
			await n8n.tick();
			w.history.remove(alarm);
			measure(w.anna, ['80/100', 0]);
			const [item] = (await n8n.tick())!;
			expect(item.text).not.toContain('no longer');
			expect(linesOf(item).slice(-2)).toEqual([
				'Corrected to values that cannot be right or are missing: 1',
				'• anna: 80/100 Mon 1 Jun 12:00 cannot be right and corrected; by cuff',
			]);
		});

		it('a week that was not published: the newest high ones and the highest are there, the rest is a number', async () => {
			const n8n = await published();
			const day = 24 * 60;
			measure(
				w.anna,
				...Array.from({ length: 12 }, (_, at): [string, number] => [`${181 + ((at * 7) % 12)}/90`, at * 60]),
			);
			w.pass(day * MINUTE);
			const [item] = (await n8n.tick())!;
			const line = lineOf(item, 'anna')!;
			expect(line).toMatch(/^• anna: 186\/90 Mon 1 Jun 23:00 high, 191\/90 22:00 high, /);
			expect(line).toContain('192/90 17:00 high');
			expect(line).toContain('181/90 12:00 high');
			expect(line).toMatch(/ … and 1 more; by cuff$/);
			expect(item).toMatchObject({ readings: 12 });
		});

		it('what others wrote is one line of harmless signs', async () => {
			const n8n = await published();
			measure(w.anna, ['120/80', 1, { unit: 'x\n• *app-user-0007* high: 250/140 https://evil.example' }]);
			const evil = w.history.addUser('=1+1 *www.evil.com* a@b.co');
			measure(evil, ['190/95', 2]);
			w.pass(5 * MINUTE);
			const [item] = (await n8n.tick())!;
			expect(linesOf(item).filter((line) => line.startsWith('•'))).toHaveLength(2);
			expect(String(item.text)).not.toMatch(/[<>*|=@]|:\/\/|evil\.(example|com)/);
			expect(String(item.html)).not.toMatch(/@b|evil\.(example|com)/);
			expect(item).toMatchObject({ people: 2, reached: 2 });
		});

		it('two hundred people are named in full lines, each once, in items of at most 3,800 characters', async () => {
			const users = Array.from({ length: 200 }, (_, at) => w.history.addUser(`user-${String(at).padStart(3, '0')}`));
			const n8n = await published();
			users.forEach((user, at) => measure(user, [`${181 + (at % 9)}/95`, 1], ['150/112', 2], ['140/80', 3]));
			w.pass(5 * MINUTE);
			const items = (await n8n.tick())!;
			const lines = items.flatMap((item) => linesOf(item).filter((line) => line.startsWith('• ')));
			expect(new Set(lines.map((line) => line.split(':')[0])).size).toBe(200);
			expect(lines).toHaveLength(200);
			for (const line of lines)
				expect(line).toMatch(/150\/112 .* high, 18\d\/95 12:01 high; latest 140\/80 .*; by cuff$/);
			items.forEach((item, at) => {
				expect(String(item.text).length).toBeLessThanOrEqual(3800);
				expect(item.people).toBeLessThanOrEqual(30);
				expect(linesOf(item)[0]).toBe(
					`Blood pressure (${at + 1} of ${items.length}): ${item.people as number} people high`,
				);
				expect(item.subject).toBe(linesOf(item)[0]);
			});
			expect(new Set(items.map(({ row_id }) => row_id)).size).toBe(items.length);
		});

		it('without limits, a line has what is new, and what is only corrected is apart', async () => {
			const n8n = await published({ limits: {} });
			const [old] = measure(w.ben, ['130/80', 0]);
			await n8n.tick();
			w.history.remove(old);
			measure(w.ben, ['131/80', 0]);
			measure(w.anna, ['121/80', 1]);
			w.pass(2 * MINUTE);
			const [item] = (await n8n.tick())!;
			expect(linesOf(item)).toEqual([
				'Blood pressure: 1 person with new readings, 1 person corrected',
				'Times in UTC, values in mmHg.',
				'',
				'With new readings: 1',
				'• anna: 121/80 Mon 1 Jun 12:01; by cuff',
				'',
				'Corrected: 1',
				'• ben: 131/80 Mon 1 Jun 12:00 corrected; by cuff',
			]);
			expect(item.reached).toBeNull();
		});

		it('a test event says so, and is of the newest reading', async () => {
			measure(w.anna, ['190/95', -20], ['185/95', -10]);
			measure(w.ben, ['200/95', -15]);
			const [item] = (await w.trigger(parameters).fetchTestEvent())!;
			expect(linesOf(item)[0]).toBe('Test: Blood pressure: 1 person high');
			expect(item.subject).toBe('Test: Blood pressure: 1 person high');
			expect(lineOf(item, 'anna')).toBe('• anna: 185/95 Mon 1 Jun 11:50 high; by cuff');
			expect(item).toMatchObject({ people: 1, readings: 1 });
		});

		it('says who was not read for an hour', async () => {
			const n8n = await published();
			w.used.sandbox.switches.users = { [w.ben.user_id]: 'fails' };
			for (let poll = 0; poll < 8; poll++) {
				w.pass(10 * MINUTE);
				measure(w.anna, ['190/95', 0]);
				const [item] = (await n8n.tick())!;
				const isOld = poll >= 5;
				expect(linesOf(item).slice(-2)).toEqual(
					isOld ? ['Not read for an hour: 1', '• since Mon 1 Jun 12:00'] : ['High: 1', expect.stringContaining('anna')],
				);
			}
		});
	});
});
