/** What a night is: a plan of a day, a team, a table and settings. Nothing is read here, only planned. */
import { runPlan, USERS_PER_SHARD, type Planned } from './nightly';
import { lookAround, USERS, type Place } from './place';
import { statementLike } from './statements';

/** @param place known once the tests run */
export function describePlans(place: () => Place, otherKey: string) {
	const here = () => lookAround(place());
	const plan = async (settings = {}, key?: string) => {
		const { queue, nightly, sandbox } = here();
		const of = key ? { baseUrl: sandbox.baseUrl, apiKey: key } : undefined;
		return await runPlan(queue, await nightly.putPlan(settings, of));
	};
	const planned = async (settings = {}, key?: string) => {
		const { message, planned: result } = await plan(settings, key);
		expect(message).toBeUndefined();
		return result!;
	};
	const tables = () => here().tables;
	let first: Planned;
	// The first plan makes the tables.
	beforeAll(async () => void (await planned()));
	beforeEach(async () => {
		await tables().query('DELETE FROM health_nights; DROP TABLE IF EXISTS health_readings');
		first = await planned();
	});

	// The one that a test has made is not like that of the plan.
	afterAll(async () => void (await tables().query('DELETE FROM health_nights; DROP TABLE health_readings')));

	it('plans every user once, and adds those who join until the account is given', async () => {
		const { team } = here();
		const again = await planned();
		expect(again).toMatchObject({ users: USERS, newUsers: 0, newShards: 0, closed: false });
		const all = team.users;
		team.users = [...all.slice(10), { ...all[0], user_id: 'joined' }];
		try {
			expect(await planned()).toMatchObject({ users: USERS - 9, newUsers: 1, newShards: 1 });
			await tables().query('UPDATE health_nights SET accounted = now()');
			team.users = [...team.users, { ...all[0], user_id: 'joined later' }];
			expect(await planned()).toMatchObject({ newUsers: 0, newShards: 0, closed: true });
		} finally {
			team.users = all;
		}
		expect(await tables().count('health_users')).toBe(USERS + 1);
		expect(
			await tables().count(`(SELECT FROM health_users GROUP BY shard HAVING count(*) > ${USERS_PER_SHARD}) AS large`),
		).toBe(0);
	});

	it('plans every user once when it is started twice at the same moment', async () => {
		const { queue, nightly } = here();
		await tables().query('DELETE FROM health_nights');
		const workflow = await nightly.putPlan();
		const both = await Promise.all([1, 2].map(async () => (await runPlan(queue, workflow)).planned!));
		expect(both.map(({ newUsers }) => newUsers).sort()).toEqual([0, USERS]);
		expect(await tables().count('health_shards')).toBe(USERS / USERS_PER_SHARD);
	});

	it.each([
		['more days', { days: 30 }],
		['smaller shards', { usersPerShard: USERS_PER_SHARD / 2 }],
		['another table', { table: 'other_readings' }],
		['a provider', { provider: 'omron' }],
		['another time zone', { timeZone: 'America/Toronto' }],
	])('is another plan of the same day with %s', async (_, settings) => {
		const second = await planned(settings);
		expect(second).toMatchObject({ night: first.night, newUsers: USERS, closed: false });
		expect(second.plan).not.toBe(first.plan);
		expect(await tables().count('health_users')).toBe(2 * USERS);
	});

	it('is another plan with the key of another team', async () => {
		const second = await planned({}, otherKey);
		expect(second).toMatchObject({ night: first.night, users: 30, newUsers: 30 });
		expect(second.plan).not.toBe(first.plan);
	});

	it('is another plan when the table was dropped and made again', async () => {
		await tables().query('DROP TABLE health_readings');
		const { status, message } = await plan();
		expect(status).toBe('error');
		expect(message).toMatch(/^The table health_readings is missing, and earlier nights were written into it\. Restore/);
		await tables().query('CREATE TABLE health_readings (row_id text PRIMARY KEY)');
		expect(await planned()).toMatchObject({ newUsers: USERS });
		expect(await tables().count('health_nights')).toBe(2);
	});

	it('fails when the team has no users', async () => {
		const { team } = here();
		const all = team.users;
		team.users = [];
		const { status, message } = await plan().finally(() => (team.users = all));
		expect([status, message]).toEqual([
			'error',
			'The team has no users, so there is nothing to read in this night. Check the credential of "Users".',
		]);
	});

	it('keeps the nights of 30 days', async () => {
		await tables().query("UPDATE health_nights SET night = '2020-01-01'");
		await planned();
		expect([await tables().count('health_nights'), await tables().count('health_users')]).toEqual([1, USERS]);
	});

	describe('the statement for a monitoring', () => {
		const GONE = '2020-01-01T00:00:00Z';
		const READ = `UPDATE health_nights SET accounted = now(), account_by = now() - interval '1 hour', account = '{"unread": 0}'`;
		/** Another night, like the planned one but for this. */
		const another = (changes: object) => `INSERT INTO health_nights
			SELECT (jsonb_populate_record(one, '${JSON.stringify(changes)}')).* FROM health_nights AS one`;

		it.each([
			['t', 'a night that is being read', []],
			['t', 'a night that was read', [READ]],
			['f', 'no night', ['DELETE FROM health_nights']],
			['f', 'no night since yesterday', [READ, `UPDATE health_nights SET planned_at = now() - interval '29 hours'`]],
			['f', 'no account at its time', ["UPDATE health_nights SET account_by = now() - interval '1 second'"]],
			['f', 'users who were not read', [READ, `UPDATE health_nights SET account = '{"unread": 1500}'`]],
			['f', 'a team that is no longer planned', [READ, another({ team_id: 'other', plan: 'other', planned_at: GONE })]],
			[
				'f',
				'a table that is no longer planned',
				[READ, another({ readings_table: 'other', plan: 'other', planned_at: GONE })],
			],
			[
				't',
				'a bad night before a good one',
				[READ, another({ night: '2020-01-01', accounted: null, account_by: GONE })],
			],
			[
				'f',
				'a later plan of the day that was not read',
				[READ, another({ plan: 'later', planned_at: '2100-01-01T00:00:00Z', account: { unread: 1 } })],
			],
		])('%s for %s', async (expected, _, changes) => {
			const statement = statementLike(/^SELECT EXISTS \(SELECT FROM health_nights\)/);
			const [isFine] = [await tables().query(['BEGIN', ...changes, statement, 'ROLLBACK'].join(';'))];
			expect(isFine).toBe(expected);
		});
	});
}
