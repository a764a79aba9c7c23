/** Nights in which something goes away in the middle and comes back: nothing is started by hand, and every row is there. */
import { until } from '../../dev/host/process/until';
import { accountOf, COMPLETE, SELDOM, putNightlyRead, runPlan, USERS_PER_SHARD } from './nightly';
import { lookAround, USERS, type Place } from './place';
import { NOTHING_WRONG, tablesOf, wrongIn } from './table';

/** @param place known once the tests run */
export function describeOutages(place: () => Place) {
	const here = () => lookAround(place());
	beforeEach(async () => await here().tables.empty());

	/** A night that `outage` hits once some of it is read. */
	async function nightWith(outage: () => Promise<unknown>) {
		const { queue, nightly, sandbox, tables } = here();
		sandbox.switches.latencyMs = 150;
		const workflow = await nightly.putPlan({ shardsAtOnce: 6, leaseMinutes: 0.5 });
		// Workers may still come back from the outage of the test before. A plan can run as often as it takes.
		const planned = await until('A plan', async () => (await runPlan(queue, workflow)).planned, SELDOM);
		await until('Some users', async () => (await tables.unread()).length < USERS - USERS_PER_SHARD, SELDOM);
		await outage();
		sandbox.switches.latencyMs = 0;
		return await accountOf(queue, nightly, planned.plan);
	}

	it('reports that the statement took too long, and reads the users once it no longer does', async () => {
		const { queue, sandbox, team, expected } = here();
		const slow = await putNightlyRead(queue, 'slow', { baseUrl: sandbox.baseUrl, apiKey: team.key });
		const { planned } = await runPlan(queue, await slow.putPlan({ tries: 1, usersPerShard: USERS / 2 }));
		const { query, readings } = tablesOf(queue, slow.database);
		// A connection that is open keeps its limit.
		const close =
			"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = 'slow' AND pid <> pg_backend_pid();";
		await query(`
			ALTER DATABASE slow SET statement_timeout TO '1s';
			${close}
			CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(3600); RETURN NULL; END $$;
			CREATE TRIGGER wait BEFORE INSERT ON health_readings EXECUTE FUNCTION wait();`);
		await slow.publish();
		const given = await accountOf(queue, slow, planned!.plan);
		const reason = 'Writing failed: canceling statement due to statement timeout';
		expect(given).toMatchObject({ readings: 0, unread: team.users.length, cellsLeftOut: 0 });
		expect(given.reasons).toMatchObject([{ reason, users: team.users.length }]);

		await query(`
			ALTER DATABASE slow RESET statement_timeout;
			${close}
			DROP TRIGGER wait ON health_readings;
			UPDATE health_shards SET tries = 0;
			UPDATE health_nights SET accounted = NULL, account = NULL`);
		const again = await accountOf(queue, slow, planned!.plan).finally(slow.unpublish);
		expect(again).toMatchObject({ ...COMPLETE, users: team.users.length });
		expect(wrongIn(await readings(), expected(given.night, 1))).toEqual(NOTHING_WRONG);
	});

	// The last ones, since the last of them leaves one worker.
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
}
