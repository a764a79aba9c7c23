/** Scope of the watch: its fields, those that restart it, and its start. */
import type { INodeParameters } from 'n8n-workflow';
import { nextTurn } from '../helpers/machine';
import { mindfulness } from '../helpers/people';
import { byUserId } from '../helpers/requests';
import { allUsers, HOUR, iso, MINUTE, onBothSchedulers, savedState, valuesOf, watch } from '../helpers/watch';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	const slug = (value: string) => ({ ...allUsers, provider: { __rl: true, mode: 'slug', value } });
	const practise = (minutes: number, agoMs = 0) =>
		w.history.add(w.anna, mindfulness(iso(w.clock - agoMs), minutes), { metric: 'mindfulness_minutes' });

	it.each<[string, () => INodeParameters]>([
		['Trigger On', () => ({ event: 'mindfulnessMinutes', userScope: 'all' })],
		['Users', () => ({ ...allUsers, userScope: 'one', user: byUserId(w.anna.user_id) })],
		['Provider', () => slug('omron')],
	])('a change of %s starts over', async (_, parameters) => {
		const n8n = await w.started();
		n8n.parameters = parameters();
		w.measure(w.anna);
		practise(10);
		expect(await n8n.start()).toBeUndefined();
		expect(await n8n.tick()).toBeUndefined();
	});

	it.each([
		['begin anew at once', true],
		['are watched from their activation on, though the poll of the old ones still runs', false],
	])('fields changed while a poll runs %s', async (_, isDone) => {
		const n8n = await w.started();
		w.measure(w.anna, 121);
		practise(5, HOUR);
		w.switches.latencyMs = 50;
		const poll = n8n.tick();
		n8n.parameters = { ...allUsers, event: 'mindfulnessMinutes' };
		if (isDone) await poll;
		expect(await n8n.start()).toBeUndefined();
		await poll;
		w.pass(HOUR);
		practise(10, HOUR / 2);
		expect(await n8n.tick()).toMatchObject([{ value: 10 }]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('a reading measured and received during the first poll is new, once', async () => {
		w.measure(w.anna, 90, HOUR);
		w.switches.latencyMs = 150;
		const n8n = w.trigger();
		const start = n8n.start();
		while (w.readingRequests().length < 2) await nextTurn();
		w.pass(MINUTE / 2);
		w.measure(w.anna, 121, 15_000);
		w.measure(w.ben, 122, 15_000);
		await start;
		w.switches.latencyMs = 0;
		await n8n.tick();
		expect(valuesOf(n8n.executions.flat())).toEqual([121, 122]);
	});

	it('a provider that changes during an outage, by an expression: what is measured since goes out', async () => {
		const n8n = await w.started(slug('withings'));
		w.answer({ '': { status: 500 } });
		n8n.parameters = slug('omron');
		// In memory, n8n evaluates expressions at a start.
		if (scheduler === 'memory') await n8n.start('update');
		await w.polls(n8n, 2);
		w.measure(w.anna, 121);
		await w.polls(n8n, 2);
		w.answer({});
		expect(valuesOf(await w.polls(n8n, 3))).toEqual([121]);
	});
});

describe('Source Types', () => {
	const w = watch('durable');
	const only = (sourceTypes: INodeParameters[string]): INodeParameters => ({ ...allUsers, options: { sourceTypes } });
	const ofType = (type: string, minutes: number, systolic: number) =>
		w.history.add(w.anna, w.reading(minutes, systolic, 'omron', type));

	it('other readings are ignored: they are not emitted, not seen, and move no window', async () => {
		const n8n = await w.started(only('Cuff'));
		for (let poll = 0; poll < 3; poll++) {
			ofType('watch', 0, 100 + poll);
			expect(await w.after(n8n, 20 * HOUR)).toEqual([]);
		}
		expect(savedState(n8n).seen).toEqual({});
		// More than Lookback Hours before the newest of the others.
		ofType('CUFF', -75 * 60, 121);
		expect(await w.after(n8n, 0)).toEqual([121]);
	});

	it('a change starts over, another order or case does not', async () => {
		const n8n = await w.started(only('cuff, watch'));
		ofType('cuff', 0, 121);
		n8n.parameters = only(['WATCH', 'cuff']);
		expect(valuesOf(await n8n.start())).toEqual([121]);
		for (const options of [{ sourceTypes: 'phone' }, {}]) {
			ofType('phone', 0, 131);
			w.pass(HOUR);
			n8n.parameters = { ...allUsers, options };
			expect(await n8n.start()).toBeUndefined();
			ofType('phone', 0, 141);
			expect(await w.after(n8n, 0)).toEqual([141]);
			w.pass(HOUR);
		}
	});

	it('a test event has one of them, and they do not apply to new users', async () => {
		ofType('cuff', -60, 121);
		ofType('watch', -30, 131);
		expect(valuesOf(await w.trigger(only('cuff')).fetchTestEvent())).toEqual([121]);
		const n8n = await w.started({ event: 'user', options: { sourceTypes: true } });
		w.history.addUser('carl', iso(w.clock));
		expect(await w.after(n8n)).toHaveLength(1);
	});
});
