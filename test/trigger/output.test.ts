/** Outputs of the trigger: one item per reading, one per user with the readings that go out in this poll, or one message for people. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { allUsers, MINUTE, watch } from '../helpers/watch';

const LIMITS = { high: { systolic: 180, diastolic: 110 }, low: { systolic: 90, diastolic: 50 } };
const perUser: INodeParameters = { ...allUsers, output: 'users', limits: LIMITS };
const message: INodeParameters = { ...allUsers, output: 'message', limits: LIMITS };

const w = watch('durable');

it('one item per user: in the order of their oldest readings, with the newest reading of the user', async () => {
	const n8n = await w.started(perUser);
	w.history.add(w.ben, w.reading(1, 190));
	for (const [minutes, systolic] of [
		[2, 185],
		[3, 182],
		[4, 141],
	]) {
		w.history.add(w.anna, w.reading(minutes, systolic));
	}
	w.pass(5 * MINUTE);
	expect(await n8n.tick()).toMatchObject([
		{ client_user_id: 'ben', reached: 'high', readings: 1, corrected: 0, latest: '190/80' },
		{ client_user_id: 'anna', reached: 'high', readings: 2, systolic_min: 182, systolic_max: 185, latest: '141/80' },
	]);
	expect(await n8n.tick()).toBeUndefined();
});

it('`latest` is a reading that is dated ahead only when that goes out', async () => {
	// The service gives what a device measured in the future.
	w.switches.now = () => Date.UTC(2100, 0, 1);
	w.switches.date = () => w.clock;
	w.history.add(w.anna, w.reading(365 * 24 * 60, 118));
	const n8n = await w.started(perUser);
	w.history.add(w.anna, w.reading(1, 195));
	w.history.add(w.anna, w.reading(2, 141));
	w.pass(5 * MINUTE);
	expect(await n8n.tick()).toMatchObject([{ systolic_max: 195, latest: '141/80' }]);
});

it('a change of Output starts nothing over, and a test event has its shape', async () => {
	const n8n = await w.started();
	w.measure(w.anna, 121);
	n8n.parameters = { ...perUser, limits: {} };
	expect(await n8n.start()).toMatchObject([{ client_user_id: 'anna', readings: 1, latest: '121/80' }]);
	expect(await n8n.fetchTestEvent()).toMatchObject([{ client_user_id: 'anna', readings: 1 }]);
	n8n.parameters = { ...allUsers, output: 'nonsense' };
	await expect(n8n.start()).rejects.toThrow("'Output'");
});

describe('One Message per Poll', () => {
	const linesOf = ({ text }: IDataObject) => String(text).split('\n');

	it('has every reading that goes out, and what is corrected beside what is high', async () => {
		const n8n = await w.started(message);
		const wrong = w.history.add(w.anna, w.reading(0, 190));
		const alarm = w.history.add(w.ben, w.reading(0, 200));
		await n8n.tick();
		for (const one of [wrong, alarm]) w.history.remove(one);
		for (const [minutes, systolic] of [165, 192, 185, 128].entries())
			w.history.add(w.anna, w.reading(minutes, systolic));
		w.history.add(w.ben, w.reading(0, 120));
		w.pass(5 * MINUTE);
		const [item, ...more] = (await n8n.tick())!;
		expect(more).toEqual([]);
		expect(linesOf(item)).toEqual([
			'Blood pressure: 1 person high, 1 person corrected, no longer beyond the limits',
			'Limits: at or above 180/110, or at or below 90/50.',
			'Times in UTC, values in mmHg.',
			'',
			'High: 1',
			'• anna: 185/80 Mon 1 Jun 12:02 high, 192/80 12:01 high, 165/80 12:00 corrected; latest 128/80 Mon 1 Jun 12:03; by cuff',
			'',
			'Corrected, no longer beyond the limits: 1',
			'• ben: 120/80 Mon 1 Jun 12:00 corrected; by cuff',
		]);
		expect(item).toMatchObject({ subject: linesOf(item)[0], people: 2, readings: 4, corrected: 2, reached: 1 });
		expect(item.row_id).toMatch(/^bloodPressure-alert-[0-9a-f]{32}$/);
		expect(item.html).toContain('192/80 12:01 high');
		expect(await n8n.tick()).toBeUndefined();
	});

	it('a correction to values that cannot be right takes no alarm back', async () => {
		const n8n = await w.started(message);
		const alarm = w.history.add(w.anna, w.reading(0, 200));
		await n8n.tick();
		w.history.remove(alarm);
		w.history.add(w.anna, w.reading(0, 70));
		const [item] = (await n8n.tick())!;
		expect(linesOf(item).slice(-2)).toEqual([
			'Corrected to values that cannot be right or are missing: 1',
			'• anna: 70/80 Mon 1 Jun 12:00 not counted and corrected; by cuff',
		]);
	});

	it('without limits, what is new and what is only corrected are apart', async () => {
		const n8n = await w.started({ ...message, limits: {} });
		const old = w.history.add(w.ben, w.reading(0, 130));
		await n8n.tick();
		w.history.remove(old);
		w.history.add(w.ben, w.reading(0, 131));
		w.history.add(w.anna, w.reading(1, 121));
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
		w.measure(w.anna, 190, 20 * MINUTE);
		w.measure(w.anna, 185, 10 * MINUTE);
		w.measure(w.ben, 200, 15 * MINUTE);
		const [item] = (await w.trigger(message).fetchTestEvent())!;
		expect(linesOf(item)[0]).toBe('Test: Blood pressure: 1 person high');
		expect(linesOf(item).at(-1)).toBe('• anna: 185/80 Mon 1 Jun 11:50 high; by cuff');
		expect(item).toMatchObject({ subject: 'Test: Blood pressure: 1 person high', people: 1, readings: 1 });
	});

	it('says who was not read for an hour', async () => {
		const n8n = await w.started(message);
		const carl = w.history.addUser('carl');
		w.switches.users = { [carl.user_id]: 'fails' };
		for (const count of [0, 0, 0, 0, 0, 1, 2, 2]) {
			w.pass(10 * MINUTE);
			w.measure(w.anna, 190);
			const [item] = (await n8n.tick())!;
			// Ben later: the oldest time counts.
			w.switches.users[w.ben.user_id] = 'fails';
			expect(linesOf(item).slice(-2)).toEqual(
				count > 0
					? [`Not read for an hour: ${count}`, '• since Mon 1 Jun 12:00']
					: ['High: 1', expect.stringContaining('anna')],
			);
		}
	});
});
