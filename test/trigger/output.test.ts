/** Outputs of the trigger: one item per reading, one per user with the readings that go out in this poll, or one message for people. */
import type { User } from '../../dev/sandbox/schemas';
import { allUsers, MINUTE, onBothSchedulers, watch } from '../helpers/watch';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

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
				'• anna: 80/100 Mon 1 Jun 12:00 not counted and corrected; by cuff',
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
			const carl = w.history.addUser('carl');
			const { switches } = w.used.sandbox;
			switches.users = { [carl.user_id]: 'fails' };
			for (const count of [0, 0, 0, 0, 0, 1, 2, 2]) {
				w.pass(10 * MINUTE);
				measure(w.anna, ['190/95', 0]);
				const [item] = (await n8n.tick())!;
				// Ben later: the oldest time counts.
				switches.users[w.ben.user_id] = 'fails';
				expect(linesOf(item).slice(-2)).toEqual(
					count > 0
						? [`Not read for an hour: ${count}`, '• since Mon 1 Jun 12:00']
						: ['High: 1', expect.stringContaining('anna')],
				);
			}
		});
	});
});
