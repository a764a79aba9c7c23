/** "Fetch Test Event": the newest reading, within ten seconds despite hanging or slow users; it changes no state. */
import type { INodeParameters } from 'n8n-workflow';
import { byClientId } from '../helpers/requests';
import { allUsers, onBothSchedulers, watch } from '../helpers/watch';

const WITHIN_MS = 10_000;

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

	it('is the newest reading, and nothing is remembered', async () => {
		w.history.add(w.anna, w.reading(-120, 121));
		w.history.add(w.ben, w.reading(-60, 122));
		const n8n = w.trigger();
		await n8n.start();
		const { saved, row } = n8n;
		expect(await n8n.fetchTestEvent()).toMatchObject([{ client_user_id: 'ben', systolic: 122, change: 'created' }]);
		expect([n8n.saved, n8n.row]).toEqual([saved, row]);
	});

	it('may be older than the lookback', async () => {
		w.history.add(w.anna, w.reading(-80 * 24 * 60));
		expect(await w.trigger().fetchTestEvent()).toHaveLength(1);
	});

	it('is the newest user', async () => {
		w.history.addUser('carl', '2025-06-01T00:00:00Z');
		w.history.addUser('dora', '2025-03-01T00:00:00Z');
		expect(await w.trigger({ event: 'user' }).fetchTestEvent()).toMatchObject([{ client_user_id: 'carl' }]);
	});

	it('is that of other users where one is refused, and an error where there is no other', async () => {
		w.history.add(w.ben, w.reading(-60, 122));
		w.used.sandbox.switches.users = { anna: 'refused' };
		const n8n = w.trigger();
		expect(await n8n.fetchTestEvent()).toMatchObject([{ client_user_id: 'ben' }]);
		n8n.parameters = { event: 'bloodPressure', userScope: 'one', user: byClientId('anna') };
		await expect(n8n.fetchTestEvent()).rejects.toMatchObject({
			httpCode: '403',
			message: expect.stringContaining("refuses this user's data"),
		});
		expect(n8n.reported).toEqual([]);
	});

	it.each<[string, () => INodeParameters, string]>([
		[
			'readings',
			() => allUsers,
			'A test looks at the first users only, for a few seconds. Check the fields and options, or publish the workflow: it reads all users, and starts with the next blood pressure reading',
		],
		[
			'readings that reach a minimum',
			() => {
				w.history.add(w.anna, w.reading(-60, 122));
				return { ...allUsers, options: { minSystolic: 150 } };
			},
			'A test looks at the first users only, for a few seconds. Check the fields and options, or publish the workflow: it reads all users, and starts with the next blood pressure reading',
		],
		[
			'users',
			() => {
				w.history.team.users = [];
				return { event: 'user' };
			},
			'A test looks at the first users only, for a few seconds. Check the fields and options, or publish the workflow: it reads all users, and starts with the next user',
		],
	])('says what to do without %s', async (_, parameters, description) => {
		const given = parameters();
		const noun = given.event === 'user' ? 'user' : 'blood pressure reading';
		await expect(w.trigger(given).fetchTestEvent()).rejects.toMatchObject({
			message: `There is no ${noun} to show`,
			description,
		});
	});
});

describe('within ten seconds', () => {
	const w = watch();
	beforeEach(() => {
		for (let i = 0; i < 60; i++) w.history.addUser(`user ${i}`);
	});
	const timed = async (n8n: ReturnType<typeof w.trigger>) => {
		const begun = w.time.elapsed;
		const rows = await n8n.fetchTestEvent().catch((error: Error) => error);
		return { rows, ms: w.time.elapsed - begun };
	};

	it('with hanging users', async () => {
		w.used.sandbox.switches.fault = (_, url) => (url.includes('timeseries') ? { delayMs: 20_000 } : undefined);
		const n8n = w.trigger();
		const { rows, ms } = await timed(n8n);
		expect(rows).toMatchObject({ message: expect.stringMatching(/could not be reached|There is no/) });
		expect(ms).toBeLessThanOrEqual(WITHIN_MS);
		expect([n8n.saved, n8n.row, n8n.reported]).toEqual(['{}', undefined, []]);
	});

	it('with a list that hangs', async () => {
		w.used.sandbox.switches.fault = () => ({ delayMs: 20_000 });
		const { rows, ms } = await timed(w.trigger({ event: 'user' }));
		expect(rows).toMatchObject({ failure: { cause: 'temporarily-unavailable' } });
		expect(ms).toBeLessThanOrEqual(WITHIN_MS);
	});

	it('of a slow service that has nothing', async () => {
		w.used.sandbox.switches.latencyMs = 2000;
		const { rows, ms } = await timed(w.trigger(allUsers));
		expect(rows).toMatchObject({ message: 'There is no blood pressure reading to show' });
		expect(ms).toBeLessThanOrEqual(WITHIN_MS);
	});

	it('with one hanging user, which does not delay the others', async () => {
		w.history.add(w.ben, w.reading(-60, 133));
		w.used.sandbox.switches.fault = (_, url) => (url.includes(w.anna.user_id) ? { delayMs: 20_000 } : undefined);
		const { rows, ms } = await timed(w.trigger());
		expect(rows).toMatchObject([{ systolic: 133 }]);
		expect(ms).toBeLessThanOrEqual(WITHIN_MS);
	});
});
