/** Wrong clocks: n8n's at activation or for one poll, the service's, a device's. Nothing is lost, nothing old or twice goes out. */
import type { INodeParameters } from 'n8n-workflow';
import type { User } from '../../dev/sandbox/schemas';
import type { Reading } from '../../dev/sandbox/world';
import type { PollingHost } from '../helpers/pollingHost';
import { byUserId } from '../helpers/requests';
import { allUsers, HOUR, MINUTE, valuesOf, watch } from '../helpers/watch';

const DAY = 24 * HOUR;
const MONTH = 30 * DAY;
const w = watch('durable');

const listed = (...users: User[]): INodeParameters => ({
	...allUsers,
	userScope: 'listed',
	userIds: users.map(({ user_id: id }) => id).join(),
});
/** The service gives what a device measured in the future. */
const withTheFuture = () => {
	w.switches.now = () => Date.UTC(2100, 0, 1);
	w.switches.date = () => w.clock;
};
/** The same reading, by a device that thinks it is 2099, and here all the same. */
const at2099 = (reading: Reading): Reading => ({
	...reading,
	time: Date.UTC(2099, 0, 1),
	point: { ...reading.point, timestamp: '2099-01-01T00:00:00+00:00' } as never,
});

describe("n8n's", () => {
	it.each<[string, number, number]>([
		['a day behind', -24, 48],
		['almost a day ahead, with a short lookback', 23, 1],
	])('%s at activation: nothing old, nothing lost, nothing twice', async (_, hours, lookback) => {
		for (let hour = 1; hour < 30; hour += 2) w.measure(w.anna, 90, hour * HOUR);
		w.time.error = hours * HOUR;
		const n8n = w.trigger({ ...allUsers, options: { lookback } });
		expect(await n8n.start()).toBeUndefined();
		for (let i = 0; i < 6; i++) {
			if (i === 3) w.time.error = 0;
			w.pass(5 * MINUTE);
			w.measure(i % 2 ? w.anna : w.ben, 100 + i, MINUTE);
			expect(await w.after(n8n, 0)).toEqual([100 + i]);
		}
	});

	it.each<[string, number, number]>([
		['three days ahead', 72, 48],
		['a month behind', -720, 48],
	])('%s for one poll, where nothing was read yet: nothing is lost', async (_, hours, lookback) => {
		const n8n = await w.started({ ...allUsers, options: { lookback } });
		w.time.error = hours * HOUR;
		await n8n.tick().catch(() => undefined);
		w.time.error = 0;
		w.measure(w.anna, 121, 30 * MINUTE);
		expect(await w.after(n8n)).toEqual([121]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('five hours ahead at activation, where a user fails: what is measured after it goes out', async () => {
		w.time.error = 5 * HOUR;
		w.switches.users = { anna: 'fails' };
		const n8n = await w.started();
		w.time.error = 0;
		w.switches.users = {};
		w.pass(5 * MINUTE);
		w.measure(w.anna, 121, MINUTE);
		expect(await w.after(n8n, 0)).toEqual([121]);
	});

	it.each<[string, () => INodeParameters]>([
		['All Users', () => allUsers],
		['Listed Users', () => listed(w.anna, w.ben)],
		['One User', () => ({ ...allUsers, userScope: 'one', user: byUserId(w.anna.user_id) })],
	])("a year ahead at activation, the service's right: nothing is lost or old: %s", async (_, parameters) => {
		w.measure(w.anna, 90, HOUR);
		w.time.error = 365 * DAY;
		w.switches.now = () => w.clock;
		const n8n = await w.started(parameters());
		for (let hour = 0; hour < 3; hour++) {
			w.pass(HOUR);
			w.measure(w.anna, 121 + hour);
			expect(await w.after(n8n)).toEqual([121 + hour]);
		}
		w.time.error = 0;
		w.measure(w.anna, 130);
		expect(await w.after(n8n)).toEqual([130]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('ahead for one poll, together with that of a device: a late reading is not passed over, an old one is not new', async () => {
		w.measure(w.anna, 90, 60 * HOUR);
		const n8n = await w.started();
		w.time.error = 5 * HOUR;
		w.switches.now = () => w.clock + w.time.error;
		w.history.add(w.anna, w.reading(2 * 60, 121));
		expect(await w.after(n8n)).toEqual([121]);
		w.time.error = 0;
		w.measure(w.anna, 122, 47 * HOUR);
		expect(await w.after(n8n)).toEqual([122]);
	});

	it('a month ahead at the publication, of a service without a time: old until it is right, and never again', async () => {
		withTheFuture();
		w.switches.date = () => undefined;
		for (let hour = 1; hour < 99; hour += 7) w.measure(w.anna, 90, hour * HOUR);
		w.time.error = MONTH;
		const n8n = await w.started();
		w.pass(5 * MINUTE);
		w.time.error = 0;
		expect(await n8n.tick()).toBeUndefined();
		w.history.add(w.anna, w.reading(-40 * 60, 121));
		w.history.add(w.ben, w.reading(0, 122));
		expect(await w.after(n8n, 0)).toEqual([121, 122]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('a month behind while a user is read, of a service without a time: what was there stays old', async () => {
		w.switches.date = () => undefined;
		for (let day = 1; day < 40; day += 3) w.measure(w.anna, 90, day * DAY);
		const n8n = await w.started();
		w.time.error = -MONTH;
		w.measure(w.anna, 121, MINUTE);
		expect(await w.after(n8n, 0)).toEqual([121]);
		w.time.error = 0;
		w.measure(w.anna, 122, 30 * MINUTE);
		expect(await w.after(n8n, 0)).toEqual([122]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it.each([3, 365].flatMap((ahead) => [true, false].map((hasDate) => [ahead, hasDate] as const)))(
		'%i days ahead for one poll, while a device writes 2099, of a service that sends its time: %s',
		async (ahead, hasDate) => {
			const n8n = w.trigger();
			withTheFuture();
			if (!hasDate) w.switches.date = () => undefined;
			w.measure(w.anna, 119, 47 * HOUR);
			await n8n.start();
			w.history.add(w.ben, at2099(w.reading(0, 200)));
			w.pass(5 * MINUTE);
			w.time.error = ahead * DAY;
			expect(await w.after(n8n, 0)).toEqual([200]);
			w.time.error = 0;
			// The newest wait for their arrival longest.
			const late = Array.from({ length: 6 }, (_, i) => w.reading(-i * 9 * 60, 100 + i));
			for (const one of late.reverse()) {
				w.pass(MINUTE);
				w.history.add(w.anna, one, { late: w.clock - one.time });
				expect(await w.after(n8n, 0)).toEqual(valuesOf([one.point]));
			}
			// The hash of the old one was not dropped.
			expect(await n8n.tick()).toBeUndefined();
		},
	);
});

describe("the service's", () => {
	/** A month ahead for one poll, and for what is done then. */
	const aMonthAhead = async (n8n: PollingHost) => {
		await n8n.start();
		withTheFuture();
		w.switches.date = () => w.clock + MONTH;
		await n8n.tick();
	};

	it('a month ahead while a user joins: no reading of the lookback is lost', async () => {
		const n8n = w.trigger();
		await aMonthAhead(n8n);
		const eve = w.history.addUser('eve');
		for (const hour of [75, 47, 1]) w.history.add(eve, w.reading(-hour * 60, 200 - hour));
		expect(await w.after(n8n, 0)).toEqual([153, 199]);
		w.switches.date = () => w.clock;
		w.history.add(eve, w.reading(0, 123));
		expect(await w.after(n8n, 0)).toEqual([123]);
	});

	it('a month ahead while an entry is added: no later reading is lost', async () => {
		const n8n = w.trigger(listed(w.anna));
		await aMonthAhead(n8n);
		n8n.parameters = listed(w.anna, w.ben);
		expect(await n8n.start()).toBeUndefined();
		w.history.add(w.ben, w.reading(1, 121));
		expect(await w.after(n8n, 0)).toEqual([121]);
		w.switches.date = () => w.clock;
		w.history.add(w.ben, w.reading(2, 122));
		expect(await w.after(n8n, 0)).toEqual([122]);
	});

	it('a day behind at the publication: what is there then is old', async () => {
		w.switches.date = () => w.clock - DAY;
		w.measure(w.anna, 130);
		const n8n = await w.started();
		w.switches.date = undefined;
		w.pass(HOUR);
		w.measure(w.anna, 131);
		expect(await w.after(n8n)).toEqual([131]);
	});

	it('two days ahead at the publication: readings of a user who fails then go out', async () => {
		w.switches.date = () => w.clock + 2 * DAY;
		w.switches.users = { anna: 'fails' };
		const n8n = await w.started();
		w.switches.date = undefined;
		w.pass(HOUR);
		w.measure(w.anna, 131);
		w.switches.users = {};
		expect(await w.after(n8n)).toEqual([131]);
	});
});

it("a device's, half a minute ahead at the publication: what is there then is old", async () => {
	withTheFuture();
	w.history.add(w.anna, w.reading(0.5, 121));
	const n8n = await w.started();
	expect(n8n.executions).toEqual([]);
	expect(await w.after(n8n)).toEqual([]);
});
