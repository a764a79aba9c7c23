/** Which readings go out, and their rows: new and corrected ones, those of one time, those that reach *Limits*. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { byUserId } from '../helpers/requests';
import { mindfulness, type Entry } from '../helpers/people';
import { allUsers, HOUR, iso, MINUTE, valuesOf, watch } from '../helpers/watch';

type Point = Record<string, unknown>;

const w = watch('durable');
const changesOf = (rows: IDataObject[] = []) =>
	rows.map(({ systolic, diastolic, change }) => [systolic, diastolic, change]);
/** A reading of anna, so many minutes from now; or in place of another one. */
const measure = (systolic: unknown, diastolic: unknown = 80, minutes = 0, instead?: Entry) => {
	const reading = w.reading(minutes);
	Object.assign(reading.point, { systolic, diastolic });
	if (instead) w.history.remove(instead);
	return w.history.add(
		w.anna,
		instead
			? { ...instead.reading, point: { ...instead.reading.point, ...{ systolic, diastolic } } as never }
			: reading,
	);
};

describe('a new reading', () => {
	it('is a row with id and change, the oldest first', async () => {
		const n8n = await w.started();
		w.history.add(w.ben, w.reading(2, 125));
		w.history.add(w.anna, w.reading(1, 145));
		w.pass(5 * MINUTE);
		const rows = (await n8n.tick())!;
		expect(rows).toMatchObject([
			{ client_user_id: 'anna', systolic: 145, change: 'created' },
			{ client_user_id: 'ben', systolic: 125, change: 'created' },
		]);
		expect(Object.keys(rows[0]).slice(-3)).toEqual(['user_id', 'row_id', 'change']);
		expect(rows[0].row_id).toMatch(/^bloodPressure-[0-9a-f]{32}$/);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('may have been measured before the last poll and arrive after it', async () => {
		const n8n = await w.started();
		w.measure(w.anna, 121, 47 * HOUR);
		w.measure(w.anna, 122);
		expect(await w.after(n8n)).toEqual([121, 122]);
	});

	it('that is corrected goes out again, with the same id', async () => {
		const n8n = await w.started();
		const entry = measure(120);
		const [created] = (await n8n.tick())!;
		measure(130, 80, 0, entry);
		expect(await n8n.tick()).toEqual([{ ...created, systolic: 130, change: 'updated' }]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('whose unit is written in another way is not corrected', async () => {
		const n8n = await w.started();
		const { point } = measure(120).reading;
		expect(await n8n.tick()).toHaveLength(1);
		for (const unit of ['mm Hg', null]) {
			Object.assign(point, { unit });
			expect(await n8n.tick()).toBeUndefined();
		}
		Object.assign(point, { unit: 'kPa' });
		expect(await n8n.tick()).toMatchObject([{ change: 'updated', unit: 'kPa' }]);
	});
});

describe('readings of one time', () => {
	const TIME = '2026-06-01T12:00:00+00:00';
	/** The service's readings of anna, exactly as they are given here. */
	const write = (data: Point[]) => {
		const groups = { omron: [{ data, source: { provider: 'omron', type: 'cuff' } }] };
		w.answer({ [w.anna.user_id]: { status: 200, body: { groups, next_cursor: null } } });
	};
	const point = (systolic: unknown, more: Point = {}): Point => ({
		...{ timestamp: TIME, systolic, diastolic: 80, unit: 'mmHg' },
		...more,
	});
	/** A table kept by `row_id`: the rows that went out, the last one of each. */
	const table = (executions: IDataObject[][]) => {
		const rows = new Map(executions.flat().map((row) => [row.row_id, row.systolic]));
		return [...rows.values()].sort();
	};

	it.each<[string, Point[], Point[]]>([
		['one of them is corrected', [point(120), point(130)], [point(120), point(135)]],
		['the first is corrected past the other', [point(120), point(130)], [point(140), point(130)]],
		['one more comes', [point(130)], [point(120), point(130)]],
		['two more come', [point(130)], [point(140), point(120), point(130)]],
	])('a table by id is right when %s, in any order of the readings', async (_, before, after) => {
		const n8n = await w.started();
		write(before);
		await n8n.tick();
		expect(table(n8n.executions)).toEqual(before.map(({ systolic }) => systolic).sort());
		write([...after].reverse());
		await n8n.tick();
		expect(table(n8n.executions)).toEqual(after.map(({ systolic }) => systolic).sort());
		write(after);
		expect(await n8n.tick()).toBeUndefined();
	});

	it("with the service's own ids, only the corrected one is emitted", async () => {
		const n8n = await w.started();
		write([point(120, { id: 'a' }), point(130, { id: 'b' })]);
		const [first] = (await n8n.tick())!;
		write([point(130, { id: 'b' }), point(140, { id: 'a' })]);
		expect(await n8n.tick()).toMatchObject([{ row_id: first.row_id, systolic: 140, change: 'updated' }]);
	});

	it('readings without a time differ by their values, and are emitted once', async () => {
		const n8n = w.trigger();
		write([point(110, { timestamp: null })]);
		await n8n.start();
		write([point(110, { timestamp: null }), point(120, { timestamp: null }), point(130, { timestamp: 'unknown' })]);
		expect(await w.after(n8n)).toEqual([120, 130]);
		for (let day = 0; day < 5; day++) expect(await w.after(n8n, 24 * HOUR)).toEqual([]);
		write([point(130, { timestamp: 'unknown' }), point(140, { timestamp: 'unknown' })]);
		expect(await n8n.tick()).toMatchObject([{ systolic: 140, change: 'created' }]);
	});
});

describe('limits', () => {
	const high = (systolic: unknown, diastolic: unknown = null) => ({ high: { systolic, diastolic } }) as INodeParameters;
	const trigger = async (limits: INodeParameters, event = 'bloodPressure') =>
		await w.started({ ...allUsers, event, limits });

	it.each<[string, INodeParameters, string, string]>([
		['the value itself included', high(140), '139/95 140/95 139.9/95 200/95', '140/95 200/95'],
		['of a pair, either is enough', high(140, 90), '150/80 120/95 130/85', '150/80 120/95'],
		['low ones: at or below', { low: { systolic: 90, diastolic: 50 } }, '91/51 90/51 120/50', '90/51 120/50'],
		['low beside high ones', { ...high(180), low: { systolic: 90 } }, '120/80 180/80 88/80', '180/80 88/80'],
	])('readings that reach them go out: %s', async (_, limits, given, reaching) => {
		const n8n = await trigger(limits);
		for (const [minutes, values] of given.split(' ').entries())
			measure(...(values.split('/').map(Number) as [number, number]), minutes);
		w.pass(10 * MINUTE);
		const rows = (await n8n.tick())!;
		expect(rows.map(({ systolic, diastolic }) => `${systolic as number}/${diastolic as number}`).join(' ')).toBe(
			reaching,
		);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('mindfulness has its own; those of the other metric have no effect', async () => {
		const n8n = await trigger({ high: { minutes: 12.5, systolic: 1 } }, 'mindfulnessMinutes');
		for (const [index, minutes] of [5, 12.5, 20].entries())
			w.history.add(w.anna, mindfulness(iso(w.clock + index * MINUTE), minutes), { metric: 'mindfulness_minutes' });
		w.pass(30 * MINUTE);
		expect((await n8n.tick())!.map(({ value }) => value)).toEqual([12.5, 20]);
	});

	it('do not apply to new users', async () => {
		const n8n = await trigger(high(140, 'nonsense'), 'user');
		w.history.addUser('carl', iso(w.clock + MINUTE));
		expect(await w.after(n8n, 5 * MINUTE)).toHaveLength(1);
	});

	it('a reading that reaches it after a correction goes out as new; then each correction goes out', async () => {
		const n8n = await trigger(high(140));
		let entry = measure(120);
		expect(await n8n.tick()).toBeUndefined();
		for (const [systolic, change] of [
			[130, undefined],
			[150, 'created'],
			// The alarm is taken back.
			[120, 'updated'],
			[151, 'updated'],
		]) {
			entry = measure(systolic, 80, 0, entry);
			expect(changesOf(await n8n.tick())).toEqual(change ? [[systolic, 80, change]] : []);
			expect(await n8n.tick()).toBeUndefined();
		}
	});

	it('a change of them: what of the lookback reaches the new ones goes out once, nothing else', async () => {
		measure(125, 80, -60);
		const n8n = await trigger(high(140));
		measure(120, 80, 0);
		measure(150, 80, 1);
		expect(await w.after(n8n, 2 * MINUTE)).toEqual([150]);
		n8n.parameters = { ...n8n.parameters, limits: {} };
		measure(145, 80, -0.5);
		expect(valuesOf(await n8n.start())).toEqual([120, 145]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('a test event is one that would be emitted', async () => {
		measure(150, 80, -20);
		measure(120, 80, -10);
		const n8n = await trigger(high(140));
		expect(changesOf(await n8n.fetchTestEvent())).toEqual([[150, 80, 'created']]);
		n8n.parameters = { ...n8n.parameters, userScope: 'one', user: byUserId(w.anna.user_id), limits: high(160) };
		await expect(n8n.fetchTestEvent()).rejects.toMatchObject({
			message: "The test found no blood pressure reading that reaches 'Limits'",
			description: expect.stringContaining('their last 90 days'),
		});
	});
});
