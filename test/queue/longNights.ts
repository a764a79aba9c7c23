/** Long nights: one shard of 100,000 rows, and 20,000 users complete when everything goes wrong at once, with little memory. */
import { until } from '../../dev/host/process/until';
import type { Fault } from '../../dev/sandbox/switches';
import { uuid, type Team } from '../../dev/sandbox/world';
import { accountOf, COMPLETE, planEnded, runPlan, startPlan, type Nightly } from './nightly';
import { idsOf, lookAround, type Place } from './place';
import { peakMb, print } from './processes';
import { NOTHING_WRONG, wrongIn } from './table';

const PATIENT = { timeoutMs: 1_500_000, everyMs: 1000 };
/** A claim outlives the longest of these shards, also on a busy machine. */
const LONG = { usersPerShard: 500, shardsAtOnce: 8, minutesBetweenTries: 0.1, leaseMinutes: 3 };
/** None that the node tries again: that takes half a minute each time. */
const TROUBLES = ['repeatedCursor', 'refused', 'invalid', 'noGroups'] as const;
/** A worker's limit in memory, in MB. */
const MOST_MB = 900;

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** @param place known once the tests run @param large team of 20,000 @param database puts the nightly read of a team in place */
export function describeLongNights(
	place: () => Place,
	large: readonly [Team, string],
	database: (name: string, apiKey: string, save?: object) => Promise<Nightly>,
) {
	it('needs less than 900 MB for a shard of nearly 100,000 rows', async () => {
		const nightly = await database('unsaved', place().team.key, {});
		const { queue, sandbox, tables, team, expected } = lookAround({ ...place(), nightly });
		await queue.restartWorkers();
		Object.assign(sandbox.switches, { pageSize: 1000 });
		const settings = { days: 34, usersPerShard: 2000, leaseMinutes: 15 };
		const { planned } = await runPlan(queue, await nightly.putPlan(settings));
		await nightly.publish();
		const given = await accountOf(queue, nightly, planned!.plan);
		await nightly.unpublish();
		const rows = expected(given.night, 34, team.users);
		expect(given).toMatchObject({ ...COMPLETE, users: 2000, readings: rows.length });
		expect(wrongIn(await tables.readings(), rows)).toEqual(NOTHING_WRONG);
		const memory = Math.max(...queue.workers.map(({ process }) => peakMb(process)));
		print([`A shard of ${rows.length.toLocaleString('en')} rows: most memory of a worker ${Math.round(memory)} MB`]);
		expect(memory).toBeLessThan(MOST_MB);
	});

	it('reads 20,000 users: users come and go, 1 % cannot be read, 10 % 429, two workers and the main process are killed', async () => {
		await place().nightly.unpublish();
		const [team, apiKey] = large;
		const { queue, nightly, sandbox, tables, expected } = lookAround({
			...place(),
			team,
			nightly: await database('large', apiKey),
		});
		await queue.restartWorkers();
		const all = team.users;
		const broken = all.filter((_, i) => i % 100 === 50);
		broken.forEach(({ user_id: id }, i) => (sandbox.switches.users[id] = TROUBLES[i % TROUBLES.length]));
		sandbox.switches.latencyMs = 30;
		await planEnded(queue, await startPlan(queue, await nightly.putPlan(LONG)));
		const plan = await tables.query('SELECT plan FROM health_nights');
		const leavers = all.filter((_, i) => i % 1000 === 999);
		for (const { user_id: id } of leavers) sandbox.switches.users[id] = 'removed';
		team.users = [
			...all.filter((user) => !leavers.includes(user)),
			...leavers.map((user, i) => ({ ...user, user_id: uuid('joins', i) })),
		];
		const busy: Fault = { status: 429 };
		sandbox.switches.fault = (number) => (number % 10 === 0 ? busy : undefined);
		const begun = Date.now();
		await nightly.publish();
		const read = async () => 20_000 - (await tables.unread()).length;
		const memory: number[] = [];
		for (const kill of [1000, 6000]) {
			await until(`${kill} users`, async () => (await read()) > kill, PATIENT);
			memory.push(...queue.workers.map(({ process }) => peakMb(process)));
			await queue.workers[0].kill();
			if (kill === 1000) await queue.restartMain(3000);
			await queue.restartWorkers();
		}
		const given = await accountOf(queue, nightly, plan, PATIENT);
		team.users = all;
		memory.push(...queue.workers.map(({ process }) => peakMb(process)));
		print([
			`20,000 users in 40 shards, workers and main killed: ${seconds(Date.now() - begun)}`,
			`most memory of a worker: ${Math.round(Math.max(...memory))} MB`,
		]);
		expect(given).toMatchObject({ users: 20_000, haveLeft: leavers.length, unread: broken.length, cellsLeftOut: 0 });
		expect(given.reasons.flatMap(({ user_ids: ids }) => ids).sort()).toEqual(idsOf(broken).sort());
		const fine = all.filter((user) => !broken.includes(user) && !leavers.includes(user));
		expect(wrongIn(await tables.readings(), expected(given.night, 1, fine))).toEqual(NOTHING_WRONG);
		expect(Math.max(...memory)).toBeLessThan(MOST_MB);
		await nightly.unpublish();
	});
}
