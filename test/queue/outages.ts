/**
 * Nights in which something goes away in the middle and comes back: nothing is started by hand, and every row is there.
 */
import { until } from '../../dev/host/process/until';
import { accountOf, COMPLETE, PATIENCE, putNightlyRead, runPlan, type Settings } from './nightly';
import { lookAround, type Place } from './place';
import { NOTHING_WRONG, wrongIn } from './table';

/** @param place known once the tests run */
export function describeOutages(place: () => Place) {
	const here = () => lookAround(place());
	beforeAll(async () => {
		const { queue, nightly } = here();
		await runPlan(queue, await nightly.putPlan());
		await nightly.publish();
	});
	beforeEach(async () => await here().tables.empty());

	/** A night that `outage` hits once some of it is read. */
	async function nightWith(outage: () => Promise<unknown>, settings: Settings = {}, latencyMs = 150) {
		const { queue, nightly, sandbox, tables } = here();
		sandbox.switches.latencyMs = latencyMs;
		const { planned } = await runPlan(queue, await nightly.putPlan({ shardsAtOnce: 6, ...settings }));
		await until('Some users', async () => (await tables.unread()).length < 1900, PATIENCE);
		await outage();
		sandbox.switches.latencyMs = 0;
		return await accountOf(queue, nightly, planned!.plan);
	}

	it.each<[string, () => Promise<unknown>]>([
		['the main process is killed and comes back', async () => await here().queue.restartMain(3000)],
		['PostgreSQL, which is also the one of n8n, restarts', async () => await here().queue.postgres.restart(4000)],
		['Redis restarts and has forgotten its jobs', async () => await here().queue.redis.restart(2000)],
		['a worker is killed', async () => await here().queue.workers[0].kill()],
	])('is complete when %s', async (_, outage) => {
		const { tables, team, expected } = here();
		const given = await nightWith(outage);
		const rows = expected(given.night, 1);
		expect(given).toMatchObject({ ...COMPLETE, users: team.users.length, readings: rows.length });
		expect(wrongIn(await tables.readings(), rows)).toEqual(NOTHING_WRONG);
	});

	it('takes no user for read when the node fails as a whole', async () => {
		const { queue, sandbox, team } = here();
		const other = await putNightlyRead(queue, 'other', { baseUrl: sandbox.baseUrl, apiKey: team.key });
		const { planned } = await runPlan(queue, await other.putPlan({ tries: 1 }));
		await other.deleteCredential();
		await other.publish();
		const given = await accountOf(queue, other, planned!.plan).finally(other.unpublish);
		const reason = 'The node "Blood Pressure" failed before it read a user';
		expect(given).toMatchObject({ readings: 0, unread: team.users.length, reasons: [{ reason }] });
	});

	// The last one: the next plan makes the table again.
	it('says that the table is gone when it is dropped meanwhile', async () => {
		const { tables } = here();
		await here().queue.restartWorkers();
		// One of two shards is left, which is tried once.
		const settings = { tries: 1, usersPerShard: 1000, shardsAtOnce: 1 };
		const given = await nightWith(async () => await tables.query('DROP TABLE health_readings'), settings, 40);
		expect(given.unread).toBeGreaterThan(0);
		const reason = 'Writing failed: relation "health_readings" does not exist';
		expect(given.reasons).toMatchObject([{ reason, users: given.unread }]);
	});
}
