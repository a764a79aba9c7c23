/** Timeout of one answer in the trigger: a hanging user must not use up the poll of the others. */
import { Deadlines } from '../../nodes/HealthDataService/http/deadlines';
import { allUsers, watch } from '../helpers/watch';

const w = watch();
let within: jest.SpyInstance;
beforeEach(() => (within = jest.spyOn(Deadlines.prototype, 'within')));
const limits = () => [...new Set(within.mock.calls.map(([ms]) => Math.round(ms)))];

it.each([
	['a poll in memory, which has five minutes', undefined, 60_000],
	['a poll that has 36 seconds: four ninths of them', 36_000, 16_000],
])('%s', async (_, budgetMs, expected) => {
	const n8n = w.trigger(allUsers, { budgetMs });
	await n8n.start();
	within.mockClear();
	await n8n.tick();
	expect(limits()).toEqual([expected]);
});

it('the poll at a start, which must not delay n8n: four ninths of a minute', async () => {
	await w.trigger().start('init');
	expect(limits()).toEqual([26_667]);
});

it('a test event, which a person waits for: three seconds', async () => {
	w.history.add(w.anna, w.reading(-10));
	await w.trigger().fetchTestEvent();
	expect(limits()).toEqual([3_000]);
});
