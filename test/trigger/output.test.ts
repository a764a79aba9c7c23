/** Output of the trigger: one item per reading, or one per user with the readings that go out in this poll. */
import type { INodeParameters } from 'n8n-workflow';
import { allUsers, MINUTE, onBothSchedulers, watch } from '../helpers/watch';

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
				highest: '185/80',
				lowest: '182/80',
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
		expect(await n8n.tick()).toMatchObject([{ highest: '195/80', latest: '141/80' }]);
		w.history.add(w.anna, w.reading(3, 190));
		expect(await n8n.tick()).toMatchObject([{ highest: '190/80', latest: '190/80' }]);
	});

	it('a correction that reaches nothing is in `corrected`', async () => {
		const n8n = w.trigger(perUser(HIGH));
		await n8n.start();
		const entry = w.history.add(w.anna, w.reading(0, 210));
		await n8n.tick();
		w.history.remove(entry);
		w.history.add(w.anna, w.reading(0, 120));
		expect(await n8n.tick()).toMatchObject([{ reached: '', readings: 1, corrected: 1, highest: '120/80' }]);
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
});
