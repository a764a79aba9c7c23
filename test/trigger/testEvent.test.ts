/**
 * "Fetch Test Event": the newest reading, within ten seconds despite hanging or slow users; it changes no state.
 */
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

	describe('names the number of users read, and what is missing', () => {
		const slug = (value: string) => ({ provider: { __rl: true, mode: 'slug', value } });
		const listed = (count: number) => ({
			event: 'bloodPressure',
			userScope: 'listed',
			userIds: Array.from({ length: count }, (_, i) => w.used.sandbox.world.teams[0].users[i].user_id).join(', '),
		});
		const wait = 'publish the workflow and wait for the next one.';
		const choose = `Choose other 'Users' or another 'Provider', or ${wait}`;

		it.each<[string, number, () => INodeParameters, string]>([
			[
				'no readings',
				2,
				() => allUsers,
				`2 users were read: there is no blood pressure reading of the last 90 days. ${choose}`,
			],
			[
				'of many users',
				60,
				() => allUsers,
				`The first 50 of 60 users were read: there is no blood pressure reading of the last 90 days. Published, the workflow reads all users. ${choose}`,
			],
			[
				'listed users',
				60,
				() => listed(55),
				`The first 50 of 55 users were read: there is no blood pressure reading of the last 90 days. Published, the workflow reads all users. ${choose}`,
			],
			[
				'one listed user',
				2,
				() => listed(1),
				`1 user was read: there is no blood pressure reading of the last 90 days. ${choose}`,
			],
			[
				'one user',
				2,
				() => ({ event: 'bloodPressure', userScope: 'one', user: byClientId('anna'), ...slug('omron') }),
				`1 user was read: there is no blood pressure reading of the last 90 days from the provider omron. ${choose}`,
			],
			[
				'a provider that no user has',
				12,
				() => ({ ...allUsers, ...slug('Withings') }),
				"12 users were read: no user has the provider Withings connected. 'Provider' takes the service's slug: User → List shows the slugs under connected_sources.",
			],
			[
				'a provider that no user has, Only Connected Users',
				12,
				() => ({ ...allUsers, ...slug('Withings'), options: { onlyConnected: true } }),
				"12 users were read: no user has the provider Withings connected. 'Provider' takes the service's slug: User → List shows the slugs under connected_sources.",
			],
			['no users', 0, () => ({ event: 'user' }), `0 users were read: there is no user. You can ${wait}`],
		])('%s', async (_, size, parameters, description) => {
			w.history.team.users = w.history.team.users.slice(0, size);
			for (let i = 2; i < size; i++) w.history.addUser(`user ${i}`);
			const error = await w
				.trigger(parameters())
				.fetchTestEvent()
				.catch((thrown: Error) => thrown);
			const noun = size === 0 ? 'user' : 'blood pressure reading';
			expect(error).toMatchObject({ message: `There is no ${noun} to show`, description });
		});

		it('minimums that no reading reaches', async () => {
			w.history.add(w.anna, w.reading(-60, 122));
			const options = { minSystolic: 150, minDiastolic: 90 };
			await expect(w.trigger({ ...allUsers, options }).fetchTestEvent()).rejects.toMatchObject({
				description:
					"2 users were read: no blood pressure reading of the last 90 days reaches 'Minimum Systolic' 150 or 'Minimum Diastolic' 90. " +
					`Lower a minimum in the options, or ${wait}`,
			});
		});

		it('a slug in capitals is not missing', async () => {
			w.history.add(w.anna, w.reading(-60, 122));
			expect(await w.trigger({ ...allUsers, ...slug('Omron ') }).fetchTestEvent()).toMatchObject([{ systolic: 122 }]);
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
