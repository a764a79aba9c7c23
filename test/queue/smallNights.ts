/**
 * Nights of a small team: each says one thing that the example promises. The size does not matter for it.
 */
import { DateTime } from 'luxon';
import { until } from '../../dev/host/process/until';
import { executionsOf, nightOf, PATIENCE, runNight, startNight } from './nightly';
import { askedFor, idsOf, lookAround, ZONE, type Place } from './place';
import { NOTHING_WRONG, wrongIn } from './table';

/** Eight shards in portions of three, and a list in parts of which only the first ones are full. */
export const SMALL = { days: 1, usersPerShard: 250, shardsAtOnce: 3, listAtOnce: 700, listOverlap: 100 };
const YESTERDAY = DateTime.now().setZone(ZONE).minus({ days: 1 }).toISODate()!;

export const COMPLETE = { missing: 0, reasons: [] };

/** @param place known once the tests run */
export function describeSmallNights(place: () => Place) {
	const here = () => lookAround(place());
	beforeEach(async () => void (await here().tables.drop()));

	it('reads everybody once over both workers, and nothing when the night is complete', async () => {
		const { queue, nightly, sandbox, tables, team, expected } = here();
		// The same readings come twice, and their times without a zone.
		Object.assign(sandbox.switches, { pageSize: 3, overlap: true, timestamps: 'noZone' });
		const parent = await nightly.putParent({ ...SMALL, days: 3 });
		const { message, account, out, runs } = await runNight(queue, parent);

		expect(message).toBeUndefined();
		const rows = expected(account!.night, 3);
		expect(wrongIn(await tables.readings(), rows)).toEqual(NOTHING_WRONG);
		expect(out('Complete')).toEqual([account]);
		expect(account).toMatchObject({ ...COMPLETE, users: team.users.length, readings: rows.length, shardsRunAgain: 0 });
		expect([runs('Users'), runs('Read Each Shard')]).toEqual([4, 3]);
		expect(out('Cut Into Shards')).toHaveLength(1);
		const shards = (await executionsOf(queue, nightly.shard)).map(({ id }) => id);
		for (const worker of queue.workers)
			expect(shards.filter((id) => worker.started().includes(id)).length).toBeGreaterThan(0);

		const before = sandbox.requests.length;
		const again = await runNight(queue, parent);
		expect(again.account).toEqual(account);
		expect(sandbox.requests.slice(before)).toEqual([]);
	});

	it('leaves out nobody but those who leave, while the list is read or later', async () => {
		const { queue, nightly, sandbox, tables, team, expected } = here();
		const [later] = team.users.slice(-1);
		sandbox.switches.users[later.user_id] = 'removed';
		// One less at the front with every request.
		sandbox.switches.userTotal = 'shrinking';
		const { message, account } = await runNight(queue, await nightly.putParent(SMALL));
		const pages = sandbox.requests.filter((url) => url.startsWith('/v2/user?')).length;

		expect(message).toBeUndefined();
		expect(account).toMatchObject(COMPLETE);
		const wrong = wrongIn(await tables.readings(), expected(account!.night, 1, team.users.slice(pages, -1)));
		expect(wrong).toMatchObject({ missing: NOTHING_WRONG.missing, twice: 0 });
	});

	it('reads everybody again in the next night, and nobody who has left since', async () => {
		const { queue, nightly, sandbox, tables, team, expected } = here();
		const first = await runNight(queue, await nightly.putParent({ ...SMALL, night: YESTERDAY }));
		expect(first.account).toMatchObject({ ...COMPLETE, night: YESTERDAY, users: 2000 });

		const all = team.users;
		team.users = all.filter((_, place) => place < 500 || place > 502);
		sandbox.requests.length = 0;
		const stayed = team.users;
		const { account } = await runNight(queue, await nightly.putParent(SMALL)).finally(() => (team.users = all));
		const rows = expected(account!.night, 1, stayed);
		expect(account).toMatchObject({ ...COMPLETE, users: 1997 });
		expect(askedFor(sandbox.requests)).toEqual(new Set(idsOf(stayed)));
		expect(wrongIn(await tables.readings(), [...expected(YESTERDAY, 1), ...rows])).toEqual(NOTHING_WRONG);
	});

	it('goes on with what is missing when a night that was cut off is started again', async () => {
		const { queue, nightly, sandbox, tables, team, expected } = here();
		sandbox.switches.latencyMs = 20;
		const parent = await nightly.putParent({ ...SMALL, shardsAtOnce: 2 });
		const id = await startNight(queue, parent);
		await until('The first shards', async () => await tables.shardsDone().catch(() => 0), PATIENCE);
		await queue.rest.post(`/rest/executions/${id}/stop`);
		const isQuiet = async () => (await executionsOf(queue, nightly.shard)).every(({ status }) => status !== 'running');
		await until('The end of the shards that ran', isQuiet, PATIENCE);
		expect((await nightOf(queue, id)).status).toBe('canceled');
		const left = await tables.toRead();
		expect(left.length).toBeGreaterThan(0);
		expect(left.length).toBeLessThan(team.users.length);

		sandbox.requests.length = 0;
		sandbox.switches.latencyMs = 0;
		const { account } = await runNight(queue, parent);
		expect(askedFor(sandbox.requests)).toEqual(new Set(left));
		const rows = expected(account!.night, 1);
		expect(account).toMatchObject({ ...COMPLETE, users: team.users.length, readings: rows.length });
		expect(wrongIn(await tables.readings(), rows)).toEqual(NOTHING_WRONG);
	});

	it('fails and says who is missing and why, when shards fail in every round; later it reads just those', async () => {
		const { queue, nightly, sandbox, tables, team, expected } = here();
		const rest = idsOf(team.users.slice(250));
		const isBarred = (url: string) => rest.some((id) => url.includes(id));
		sandbox.switches.fault = (_, url) => (isBarred(url) ? { status: 401 } : undefined);
		const parent = await nightly.putParent(SMALL);
		const { status, message, account, runs } = await runNight(queue, parent);

		expect(status).toBe('error');
		// One shard once, seven of them three times, in portions of three.
		expect(runs('Read Each Shard')).toBe(8);
		const reason = 'The service did not accept the API key (status 401)';
		expect(account).toMatchObject({ users: 250, missing: 1750, shardsRunAgain: 7 });
		expect(account!.reasons).toEqual([{ reason, users: 1750, user_ids: [...rest].sort() }]);
		const named = [...rest].sort().slice(0, 10).join(', ');
		expect(message).toBe(
			`Night of ${account!.night}: 1750 of 2000 users were not read in 3 rounds. ${reason}: ${named} and 1740 more. Start this workflow again to read them.`,
		);
		expect(wrongIn(await tables.readings(), expected(account!.night, 1, team.users.slice(0, 250)))).toEqual(
			NOTHING_WRONG,
		);

		sandbox.switches.fault = () => undefined;
		sandbox.requests.length = 0;
		const later = await runNight(queue, parent);
		expect(askedFor(sandbox.requests)).toEqual(new Set(rest));
		expect(later.account).toMatchObject({ ...COMPLETE, users: 2000, readings: expected(account!.night, 1).length });
	});
}
