/**
 * Nights of 20,000 users: how fast, with how much memory, and complete when everything goes wrong at once.
 */
import { until } from '../../dev/host/process/until';
import type { User } from '../../dev/sandbox/schemas';
import { uuid } from '../../dev/sandbox/world';
import { nodeTimes, plainStatementMs } from './figures';
import { executionsOf, nightOf, PATIENCE, runNight, startNight } from './nightly';
import { askedFor, idsOf, lookAround, type Place } from './place';
import { peakMb, print } from './processes';
import { NOTHING_WRONG, wrongIn } from './table';

/** Twenty shards, all at once. */
const LARGE = { days: 1, usersPerShard: 1000, shardsAtOnce: 20 };
/** None that would be tried again: that takes half a minute each time. */
const TROUBLES = ['repeatedCursor', 'refused', 'invalid', 'noGroups', 'webPage'] as const;
/** A worker's limit in memory, in MB. */
const MOST_MB = 900;

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const perSecond = (rows: number, ms: number) => `${Math.round((rows / ms) * 1000).toLocaleString('en')} rows/s`;

/** @param place known once the tests run */
export function describeLargeNights(place: () => Place) {
	let undisturbedMs: number;
	const here = () => lookAround(place());
	/** One user in each of five shards. */
	const broken = () => TROUBLES.map((_, i) => here().team.users[i * 2000 + 500]);
	const breakThem = () =>
		TROUBLES.forEach((trouble, i) => (here().sandbox.switches.users[broken()[i].user_id] = trouble));
	const without = (users: readonly User[], others: readonly User[]) => users.filter((user) => !others.includes(user));
	/** The account of a night that could read everybody but these. */
	const expectTheBrokenNamed = ({ status, account }: Awaited<ReturnType<typeof nightOf>>) => {
		expect(status).toBe('error');
		expect(account!.reasons.flatMap(({ user_ids }) => user_ids).sort()).toEqual(idsOf(broken()).sort());
		expect(account!.missing).toBe(broken().length);
	};
	// What workers hold in memory is that of these nights.
	beforeAll(async () => await place().queue.restartWorkers());
	beforeEach(async () => void (await here().tables.drop()));

	it('reads 20,000 users, five of whom cannot be read: they are named, everybody else is written', async () => {
		const { queue, nightly, tables, team, expected } = here();
		breakThem();
		const started = Date.now();
		const night = await runNight(queue, await nightly.putParent(LARGE));
		undisturbedMs = Date.now() - started;

		expectTheBrokenNamed(night);
		const fine = without(team.users, broken());
		const rows = expected(night.account!.night, 1, fine);
		expect(night.account).toMatchObject({ users: fine.length, readings: rows.length });
		expect(wrongIn(await tables.readings(), rows)).toEqual(NOTHING_WRONG);
	});

	it('loses and doubles nothing when a worker is killed while all shards run and users come and go', async () => {
		const { queue, nightly, sandbox, tables, team, expected } = here();
		breakThem();
		const everybody = team.users;
		const leavers = everybody.filter((_, i) => i % 1000 === 999);
		const joiners = leavers.map(
			(user, i): User => ({ ...user, user_id: uuid('joins', i), client_user_id: `joins-${i}` }),
		);

		const before = (await executionsOf(queue, nightly.shard)).map(({ id }) => id);
		const begun = Date.now();
		const id = await startNight(queue, await nightly.putParent(LARGE));
		const ofShards = (ids: string[]) => ids.filter((one) => one !== id && Number(one) > Number(id));
		const count = (verb: 'started' | 'finished') => queue.workers.flatMap((worker) => ofShards(worker[verb]())).length;
		await until('All shards to run', async () => count('started') === 20, PATIENCE);
		const stay = without(everybody, leavers);
		team.users = [...stay.slice(0, 7000), ...joiners, ...stay.slice(7000)];
		const shardOf = new Map(everybody.map(({ user_id }, i) => [user_id, Math.floor(i / LARGE.usersPerShard)]));
		const shardsAsked = () => new Set([...askedFor(sandbox.requests)].map((user) => shardOf.get(user)));
		await until('Users of every shard', async () => shardsAsked().size === 20, PATIENCE);
		expect(count('finished')).toBe(0);
		const victim = queue.workers.find((worker) => !worker.started().includes(id))!;
		const lost = ofShards(victim.started());
		const memory = queue.workers.map(({ process }) => peakMb(process));
		victim.kill();
		const killed = Date.now();

		const night = await nightOf(queue, id);
		const took = Date.now() - begun;
		team.users = everybody;
		const failed = (await executionsOf(queue, nightly.shard)).filter(
			({ id: one, status: end }) => !before.includes(one) && end !== 'success',
		);
		expect(failed.map((one) => one.id).sort()).toEqual(lost.sort());
		const noticed = Math.max(...failed.map(({ stoppedAt }) => Date.parse(stoppedAt))) - killed;
		const left = queue.workers.find((worker) => worker !== victim)!;
		memory.push(peakMb(left.process));
		print([
			`20,000 users in 20 shards on 2 workers: ${seconds(undisturbedMs)} undisturbed,`,
			`${seconds(took)} with one of them killed (n8n notices after ${seconds(noticed)}; ${((took - noticed) / undisturbedMs).toFixed(2)} without that)`,
			`most memory of a worker: ${Math.round(Math.max(...memory))} MB`,
		]);

		expectTheBrokenNamed(night);
		const account = night.account!;
		expect(account.shardsRunAgain).toBeGreaterThanOrEqual(lost.length);
		const table = await tables.readings();
		const leaverIds = new Set<unknown>(leavers.map(({ user_id }) => user_id));
		const ofOthers = table.filter(({ user_id }) => !leaverIds.has(user_id));
		expect(wrongIn(ofOthers, expected(account.night, 1, without(stay, broken())))).toEqual(NOTHING_WRONG);
		expect(table.length - ofOthers.length).toBeLessThan(expected(account.night, 1, leavers).length);
		expect(Math.max(...memory)).toBeLessThan(MOST_MB);
	});

	it('writes its rows in a fraction of the time that reading takes', async () => {
		const { queue, nightly, tables, team, expected } = here();
		const parent = await nightly.putParent({ ...LARGE, usersPerShard: 10_000, shardsAtOnce: 1 });
		const { account, out, runs } = await runNight(queue, parent);
		const shards = (await executionsOf(queue, nightly.shard)).slice(0, runs('Read Each Shard'));
		const ran = await Promise.all(shards.map(({ id }) => nodeTimes(queue, id)));
		const rows = expected(account!.night, 1, team.users);
		expect(account).toMatchObject({ users: 20_000, readings: rows.length, missing: 0 });
		expect(out('Next Shards')).toHaveLength(1);

		const sum = (name: string) => ran.reduce((ms, times) => ms + times[name], 0);
		const [read, write, answer] = ['Blood Pressure', 'Write and Mark', 'Result'].map(sum);
		const plain = await plainStatementMs(tables, rows);
		print([
			`20,000 users, ${rows.length.toLocaleString('en')} rows, latency 0, one shard of 10,000 after the other:`,
			`reading ${seconds(read)}, everything after it ${seconds(write + answer)} (${(((write + answer) / read) * 100).toFixed(1)} %)`,
			`writing ${perSecond(rows.length, write)}, one plain statement ${perSecond(rows.length, plain)} (${(plain / write).toFixed(2)} of it)`,
		]);
		expect(write).toBeGreaterThan(0);
	});
}
