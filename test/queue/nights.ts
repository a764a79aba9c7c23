/**
 * Nights of a small team that "Nightly read: shards" reads: what is written, what the account says, and how often the
 * error workflow runs.
 */
import { DateTime } from 'luxon';
import type { User } from '../../dev/sandbox/schemas';
import { defaultSwitches, type Switches } from '../../dev/sandbox/switches';
import type { Reading } from '../../dev/sandbox/world';
import { until } from '../../dev/host/process/until';
import { accountOf, COMPLETE, SELDOM, runPlan, USERS_PER_SHARD, type Account, type Settings } from './nightly';
import { askedFor, idsOf, lookAround, USERS, ZONE, type Place } from './place';
import { statementLike } from './statements';
import { NOTHING_WRONG, rawAnswers, wrongIn } from './table';

/** @param place known once the tests run */
export function describeNights(place: () => Place) {
	const here = () => lookAround(place());
	beforeEach(async () => await here().tables.empty());

	const plan = async (settings: Settings = {}) => {
		const { queue, nightly } = here();
		const { message, planned } = await runPlan(queue, await nightly.putPlan(settings));
		expect(message).toBeUndefined();
		return planned!;
	};
	const account = async (id: string) => await accountOf(here().queue, here().nightly, id);
	const night = async (settings: Settings = {}) => await account((await plan(settings)).plan);
	/** The messages of what fails during `act`, which waits for an account, and how often the error workflow runs. */
	const failuresDuring = async (act: () => Promise<unknown>) => {
		const { queue, nightly } = here();
		const failed = async () => (await queue.rest.executions(nightly.shards, 'error')).map(({ id }) => id);
		const countOfReports = async () => (await queue.rest.executions(nightly.errorWorkflow)).length;
		const [before, reportsBefore] = [await failed(), await countOfReports()];
		await act();
		const since = (await failed()).filter((id) => !before.includes(id));
		const ended = await Promise.all(since.map(async (id) => await queue.rest.execution(id)));
		return {
			messages: ended.map(({ data }) => data.resultData.error.message as string),
			reports: (await countOfReports()) - reportsBefore,
		};
	};
	/** The page's statement for a night of the tests. */
	const ofNight = (night: string) => (statement: string) => statement.replaceAll(/'2026-\d\d-\d\d'/g, `'${night}'`);
	const nothingFailedSince = async (count: number) =>
		expect(await here().queue.rest.executions(here().nightly.shards, 'error')).toHaveLength(count);
	const withReadings = () => here().team.users.filter(({ user_id: id }) => expectedOf([id]).length > 1);
	const expectedOf = (ids: string[]) => {
		const { expected, team, now } = here();
		return expected(
			DateTime.fromMillis(now, { zone: ZONE }).toISODate()!,
			1,
			team.users.filter((user) => ids.includes(user.user_id)),
		);
	};

	it('reads each user once over both workers, and nothing when the night is planned again', async () => {
		const { queue, nightly, sandbox, tables, team, expected } = here();
		const failed = (await queue.rest.executions(nightly.shards, 'error')).length;
		// The same readings come twice, and their times without a zone.
		Object.assign(sandbox.switches, { pageSize: 3, overlap: true, timestamps: 'noZone', latencyMs: 20 });
		const given = await night({ days: 3 });

		const rows = expected(given.night, 3);
		expect(wrongIn(await tables.readings(), rows)).toEqual(NOTHING_WRONG);
		expect(given).toMatchObject({ ...COMPLETE, users: team.users.length, readings: rows.length });
		const shards = (await queue.rest.executions(nightly.shards)).map(({ id }) => id);
		for (const worker of queue.workers)
			expect(shards.filter((id) => worker.started().includes(id)).length).toBeGreaterThan(0);

		sandbox.requests.length = 0;
		expect(await plan({ days: 3 })).toMatchObject({ plan: given.plan, newUsers: 0, closed: true });
		expect(askedFor(sandbox.requests)).toEqual(new Set());
		await nothingFailedSince(failed);
	});

	it('leaves out bad cells, writes all other rows, and reports their number and users', async () => {
		const { bent, sandbox, tables, team, expected } = here();
		sandbox.switches.fault = rawAnswers(sandbox, (id) => bent.has(id));
		const [noNumber, blank, noTime, zero, half, named] = withReadings();
		const change = (user: User, point: object) =>
			bent.set(user.user_id, (reading): Reading => ({ ...reading, point: { ...reading.point, ...point } }));
		change(noNumber, { systolic: 'n/a' });
		change(blank, { diastolic: '' });
		change(noTime, { timestamp: 1_782_000_000_000 });
		change(zero, { unit: 'mm\u0000Hg' });
		change(half, { unit: 'mm\ud83dHg' });
		const name = named.client_user_id;
		named.client_user_id = 'app\u0000user';
		const given = await night().finally(() => (named.client_user_id = name));

		const whole = expected(given.night, 1);
		const rows = whole
			.filter(({ user_id: id }) => id !== noTime.user_id)
			.map((row) => ({
				...row,
				systolic: row.systolic === 'n/a' ? null : row.systolic,
				diastolic: row.diastolic === '' ? null : row.diastolic,
				unit: String(row.unit).replaceAll('\u0000', '\ufffd').replaceAll('\ud83d', '\ufffd'),
				client_user_id: row.user_id === named.user_id ? 'app\ufffduser' : row.client_user_id,
			}));
		expect(wrongIn(await tables.readings(), rows)).toEqual(NOTHING_WRONG);
		const badUsers = [noNumber, blank, noTime, zero, half];
		const bad = whole.filter(({ user_id: id }) => idsOf(badUsers).includes(id as string));
		expect(given).toMatchObject({ users: team.users.length, unread: 0, readings: rows.length });
		expect([given.cellsLeftOut, given.cellsOf]).toEqual([bad.length + 1, idsOf([...badUsers, named]).sort()]);
	});

	/** The list gives the users so, past the schema of the sandbox. */
	const listedAs =
		(change: (user: User, index: number) => object): Switches['fault'] =>
		(_, url) => {
			const { pathname, searchParams } = new URL(url, 'http://localhost');
			const [offset, limit] = ['offset', 'limit'].map((name) => Number(searchParams.get(name)));
			const users = here().team.users.map((user, index) => ({ ...user, ...change(user, index) }));
			const body = { users: users.slice(offset, offset + limit), total: USERS, offset, limit };
			return pathname === '/v2/user' ? { status: 200, body } : undefined;
		};

	it('reads users whose IDs the list gives in upper case, and names the one that was not read', async () => {
		const { sandbox, tables, team, expected } = here();
		const [refused, ...others] = team.users;
		sandbox.switches.fault = listedAs(({ user_id: id }) => ({ user_id: id.toUpperCase() }));
		sandbox.switches.users = { [refused.user_id]: 'refused' };
		const given = await night({ tries: 1 });
		const rows = expected(given.night, 1, others);
		expect(wrongIn(await tables.readings(), rows)).toEqual(NOTHING_WRONG);
		expect(given).toMatchObject({ users: USERS, readings: rows.length, haveLeft: 0 });
		expect(given.reasons).toMatchObject([{ user_ids: [refused.user_id] }]);
	});

	it('reads all users but those with an ID that is no UUID, and names them', async () => {
		const { sandbox, tables, team, expected } = here();
		const odd = ['..', 'a,b', 'half \ud800'];
		const others = team.users.slice(odd.length);
		sandbox.switches.fault = listedAs((user, index) => ({ user_id: odd[index] ?? user.user_id }));
		const given = await night({ tries: 2 });
		const rows = expected(given.night, 1, others);
		expect(wrongIn(await tables.readings(), rows)).toEqual(NOTHING_WRONG);
		expect(given).toMatchObject({ users: USERS, readings: rows.length, haveLeft: 0, unread: odd.length });
		const reason = 'The service gives this user an ID that is no UUID';
		expect(given.reasons).toMatchObject([{ reason, user_ids: ['..', 'a,b', 'half \ufffd'] }]);
		expect(given.message).toContain(`${reason}. Users: ??, a?b, half??.`);
	});

	it('deletes only rows of its days and users that it did not find again, by the statement of the page', async () => {
		const { bent, sandbox, tables, expected } = here();
		const first = await night({ days: 3 });
		const before = expected(first.night, 3);
		const [deleted, unread, left] = withReadings();
		const lost = expected(first.night, 1, [deleted]).map(({ row_id: id }) => id);
		for (const { user_id: id } of [deleted, unread, left]) bent.set(id, () => []);
		sandbox.switches.users = { [unread.user_id]: 'refused', [left.user_id]: 'removed' };
		// As the page reads a whole night again, now of one day.
		await tables.query(ofNight(first.night)(statementLike(/^DELETE FROM health_nights/)));
		await night();
		expect(wrongIn(await tables.readings(), before)).toEqual(NOTHING_WRONG);
		await tables.query(ofNight(first.night)(statementLike(/^DELETE FROM health_readings/)));
		const kept = before.filter(({ row_id: id }) => !lost.includes(id));
		expect(kept.length).toBeLessThan(before.length);
		expect(wrongIn(await tables.readings(), kept)).toEqual(NOTHING_WRONG);
	});

	it('releases no claim but its own, and gives no account while another execution reads the shard', async () => {
		const { queue, nightly, sandbox, tables, team } = here();
		sandbox.switches.latencyMs = 300;
		const { plan: id } = await plan({ usersPerShard: USERS, tries: 1 });
		const takeOver = `UPDATE health_shards SET claimed_until = now() + interval '1 hour' WHERE claimed_until > now()
			RETURNING shard`;
		await until('The claim that another execution takes over', async () => await tables.query(takeOver), SELDOM);
		// The execution that was too slow cannot read the last user.
		sandbox.switches.users = { [team.users[USERS - 1].user_id]: 'refused' };
		sandbox.switches.latencyMs = 0;
		await until('All other users', async () => (await tables.unread()).length === 1, SELDOM);
		const from = Date.now();
		const later = async () =>
			(await queue.rest.executions(nightly.shards, 'success')).filter(({ startedAt }) => Date.parse(startedAt) > from);
		await until('Executions that may give the account', async () => (await later()).length > 2, SELDOM);
		expect(await tables.count('health_shards', 'claimed_until > now()')).toBe(1);
		expect(await tables.count('health_nights', 'accounted IS NOT NULL')).toBe(0);
		await tables.query('UPDATE health_shards SET claimed_until = now()');
		expect(await account(id)).toMatchObject({ unread: 1 });
	});

	it('fails once, and the error workflow runs once, when users were not read: with their number, names and why', async () => {
		const { sandbox, tables, team, expected } = here();
		const [refused, page] = [team.users[7], team.users[USERS / 2]];
		sandbox.switches.users = { [refused.user_id]: 'refused', [page.user_id]: 'webPage' };
		let given!: Account;
		const { messages, reports } = await failuresDuring(async () => (given = await night()));
		const others = team.users.filter((user) => ![refused, page].includes(user));
		expect(wrongIn(await tables.readings(), expected(given.night, 1, others))).toEqual(NOTHING_WRONG);
		expect([messages, reports]).toEqual([[given.message], 1]);
		expect(given.reasons.map(({ users, user_ids }) => [users, user_ids])).toEqual([
			[1, [page.user_id]],
			[1, [refused.user_id]],
		]);
		expect(given.message).toMatch(
			new RegExp(
				`^Night of ${given.night}, plan ${given.plan}: ${USERS - 2} of ${USERS} users read, \\d+ readings, 0 users have left, 2 users were not read, 0 cells were left out\\. .*${page.user_id}\\. .*${refused.user_id}\\. All of it: SELECT account`,
			),
		);

		// As the page looks at a night, and repairs it once the reason is gone.
		const look = [/^SELECT night, plan, accounted/, /^SELECT night, plan, count/, /^SELECT shard/].map(statementLike);
		expect(await Promise.all(look.map(tables.query))).toEqual([
			expect.stringContaining(given.plan),
			`${given.night}|${given.plan}|${USERS - 2}|${USERS}`,
			expect.stringContaining(given.reasons[0].reason),
		]);
		// In the morning.
		await tables.query("UPDATE health_nights SET account_by = now() - interval '2 hours'");
		sandbox.switches.users = {};
		sandbox.requests.length = 0;
		const repair = [/^UPDATE health_shards/, /^UPDATE health_nights/].map(statementLike).map(ofNight(given.night));
		await tables.query(['UPDATE health_nights SET account = NULL', ...repair].join(';'));
		expect(await account(given.plan)).toMatchObject({ ...COMPLETE, users: USERS });
		expect([...askedFor(sandbox.requests)].sort()).toEqual(idsOf([refused, page]).sort());
	});

	/** How many tries of each shard do not count. */
	const outages = async () => Number(await here().tables.query('SELECT min(outages) FROM health_shards'));
	const isTime = async () => await here().tables.query('UPDATE health_nights SET account_by = now()');
	/** The list is read, and nothing else. */
	const refusedKey: Switches['fault'] = (_, url) =>
		url.includes('timeseries') ? { status: 401, body: { detail: 'Invalid API key' } } : undefined;

	it('fails once, and the error workflow runs once, when the key is refused all night', async () => {
		const { sandbox, tables, team } = here();
		sandbox.switches.fault = refusedKey;
		const { plan: id } = await plan({ tries: 2 });
		let given!: Account;
		const { messages, reports } = await failuresDuring(async () => {
			await until('More tries than count', async () => (await outages()) > 2, SELDOM);
			expect(await tables.count('health_nights', 'accounted IS NOT NULL')).toBe(0);
			await isTime();
			given = await account(id);
		});
		expect([messages, reports]).toEqual([[given.message], 1]);
		expect(given).toMatchObject({ readings: 0, haveLeft: 0, unread: team.users.length });
		expect(given.reasons).toMatchObject([{ users: team.users.length }]);
		expect(given.message).toContain(
			`0 of ${USERS} users read, 0 readings, 0 users have left, ${USERS} users were not read`,
		);
		expect(given.message).toContain('The service did not accept the API key (status 401)');
		expect(await tables.count('health_readings')).toBe(0);
		// After the account each try counts.
		await until('The last try', async () => (await tables.count('health_shards', 'tries < 2')) === 0, SELDOM);
	});

	const refusedUsers: Switches['fault'] = (_, url) => (url.includes('timeseries') ? { status: 403 } : undefined);

	it.each([
		['a key that is refused', refusedKey],
		['an error for each user', refusedUsers],
	])('is complete after %s for longer than all tries take', async (_, fault) => {
		const { sandbox, tables, team, expected } = here();
		const failed = (await here().queue.rest.executions(here().nightly.shards, 'error')).length;
		sandbox.switches.fault = fault;
		const { plan: id } = await plan({ tries: 2 });
		await until('More tries than count', async () => (await outages()) > 2, SELDOM);
		sandbox.switches.fault = defaultSwitches().fault;
		const given = await account(id);
		const rows = expected(given.night, 1);
		expect(given).toMatchObject({ ...COMPLETE, users: team.users.length, readings: rows.length });
		expect(wrongIn(await tables.readings(), rows)).toEqual(NOTHING_WRONG);
		await nothingFailedSince(failed);
	});

	it('waits longer after each try', async () => {
		const { sandbox, tables } = here();
		sandbox.switches.fault = refusedKey;
		await plan({ minutesBetweenTries: 60 });
		await until('The first tries', async () => (await outages()) === 1, SELDOM);
		const waits = async (hours: number) =>
			await tables.count('health_shards', `retry_at > now() + ${hours} * interval '50 minutes'`);
		expect([await waits(1), await waits(2)]).toEqual([USERS / USERS_PER_SHARD, 0]);
		await tables.query('UPDATE health_shards SET retry_at = now()');
		await until('The second tries', async () => (await outages()) === 2, SELDOM);
		expect(await waits(2)).toBe(USERS / USERS_PER_SHARD);
	});

	it('gives the account early when only the users of one shard cannot be read', async () => {
		const { sandbox, tables, team } = here();
		const refused = team.users.slice(0, USERS_PER_SHARD);
		for (const { user_id: id } of refused) sandbox.switches.users[id] = 'refused';
		const given = await night({ tries: 2 });
		expect(given).toMatchObject({ haveLeft: 0, unread: USERS_PER_SHARD });
		expect(given.reasons.map(({ user_ids }) => user_ids)).toEqual([idsOf(refused).sort()]);
		// A user whom another try asked for again keeps what was read.
		const others = team.users.slice(USERS_PER_SHARD);
		expect(wrongIn(await tables.readings(), here().expected(given.night, 1, others))).toEqual(NOTHING_WRONG);
		expect(given.readings).toBe(expectedOf(idsOf(others)).length);
	});

	it('gives the reason in words that n8n does not replace', async () => {
		const { tables } = here();
		const { plan: id } = await plan({ tries: 0 });
		const reason = 'connect ECONNREFUSED 127.0.0.1:443, getaddrinfo ENOTFOUND api.example.com';
		await account(id);
		const { messages } = await failuresDuring(async () => {
			const again = 'UPDATE health_nights SET accounted = NULL, account = NULL';
			await tables.query(`UPDATE health_shards SET reason = '${reason}'; ${again}`);
			await account(id);
		});
		expect(messages).toEqual([
			expect.stringMatching(
				/^Night of .* connect E-CONNREFUSED 127\.0\.0\.1:443, \S+ E-NOTFOUND api\.example\.com\. Users: /,
			),
		]);
	});

	it('fails when the service knows no user of a shard', async () => {
		const { sandbox, team } = here();
		for (const { user_id: id } of team.users.slice(0, USERS_PER_SHARD)) sandbox.switches.users[id] = 'removed';
		const given = await night({ tries: 1 });
		expect(given).toMatchObject({ haveLeft: 0, unread: USERS_PER_SHARD });
		expect(given.reasons[0].reason).toContain(
			`The service knows none of the ${USERS_PER_SHARD} users of this shard: are the keys`,
		);
	});

	it('counts a user who is unknown, but listed again in the next night, as not read', async () => {
		const { sandbox, tables, team } = here();
		const [{ user_id: id }] = team.users;
		sandbox.switches.users = { [id]: 'removed' };
		expect(await night({ tries: 1 })).toMatchObject({ haveLeft: 1, unread: 0 });
		await tables.query('UPDATE health_nights SET night = night - 1');
		const given = await account((await plan({ tries: 1, usersPerShard: USERS })).plan);
		expect(given).toMatchObject({ haveLeft: 0, unread: 1, reasons: [{ user_ids: [id] }] });
		expect(given.reasons[0].reason).toMatch(/^The service lists this user, but knows no user with this ID/);
	});

	it('asks again for the only user of a shard, with another one, before it counts as left', async () => {
		const { sandbox, tables, team } = here();
		sandbox.switches.users = { [team.users[USERS - 1].user_id]: 'removed' };
		const given = await night({ tries: 100, usersPerShard: USERS - 1 });
		expect(given).toMatchObject({ haveLeft: 1, unread: 0 });
		expect(await tables.count('health_shards', 'tries > 1')).toBe(1);
	});

	it('gives the account at its time, once, and continues to read', async () => {
		const { queue, nightly, sandbox, tables, team, expected } = here();
		sandbox.switches.latencyMs = 300;
		const { plan: id } = await plan({ shardsAtOnce: 1 });
		await until('The first users', async () => (await tables.unread()).length < USERS, SELDOM);
		const { messages } = await failuresDuring(async () => {
			await tables.query('UPDATE health_nights SET account_by = now()');
			await account(id);
		});
		const given = await account(id);
		expect(messages).toEqual([given.message]);
		expect(given.reasons).toMatchObject([{ reason: 'Not reached by then', users: given.unread }]);
		expect(given.unread).toBeGreaterThan(0);

		sandbox.switches.latencyMs = 0;
		await tables.query('UPDATE health_nights SET shards_at_once = 8');
		await until('All users', async () => !(await tables.unread()).length, SELDOM);
		expect(wrongIn(await tables.readings(), expected(given.night, 1, team.users))).toEqual(NOTHING_WRONG);
		const failed = (await queue.rest.executions(nightly.shards, 'error')).length;
		const from = Date.now();
		const idle = async () =>
			(await queue.rest.executions(nightly.shards, 'success')).filter(({ startedAt }) => Date.parse(startedAt) > from);
		await until('Executions that find nothing', async () => (await idle()).length > 2, SELDOM);
		await nothingFailedSince(failed);
		expect(await account(id)).toEqual(given);
	});
}
