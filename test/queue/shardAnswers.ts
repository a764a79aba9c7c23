/**
 * What a shard of the example answers, and what the parent makes of it when something else answers, or nothing.
 */
import { DateTime } from 'luxon';
import { losingAnswersOf } from './lostAnswers';
import { executionsOf, HEADER, itemsOf, runNight } from './nightly';
import { lookAround, ZONE, type Place } from './place';
import { COMPLETE, SMALL } from './smallNights';
import { NOTHING_WRONG, wrongIn } from './table';

/** @param place known once the tests run */
export function describeAnswers(place: () => Place) {
	const here = () => lookAround(place());
	beforeEach(async () => void (await here().tables.drop()));

	it('takes no other answer for the result of a shard, and says what a call that fails was told', async () => {
		const { queue, nightly } = here();
		await queue.rest.activate(await queue.rest.importWorkflow(ANSWERS_AT_ONCE));
		const address = (path: string) => `${queue.baseUrl}/webhook/${path}`;
		const reasons = async (settings: object) => {
			await here().tables.drop();
			const { status, account } = await runNight(queue, await nightly.putParent({ ...SMALL, ...settings }));
			expect([status, account!.users]).toEqual(['error', 0]);
			return account!.reasons.map(({ reason, users }) => [users, reason]);
		};

		expect(await reasons({ address: address('answers-at-once') })).toEqual([
			[2000, expect.stringMatching(/^The address in Settings answered, but not with the result of a shard: is it /)],
		]);
		expect(await reasons({ address: address('nobody'), rounds: 1 })).toEqual([
			[2000, expect.stringMatching(/^Its execution failed \(.*not registered/)],
		]);
	});

	it('believes the table when the answer of a shard is lost', async () => {
		const { queue, nightly, tables, team, expected } = here();
		const line = await losingAnswersOf(`${queue.baseUrl}/webhook/${nightly.path}`, HEADERS);
		const parent = await nightly.putParent({ ...SMALL, address: line.address });
		const { message, account, runs } = await runNight(queue, parent).finally(line.close);

		expect(message).toBeUndefined();
		const rows = expected(account!.night, 1);
		expect(account).toMatchObject({ ...COMPLETE, users: team.users.length, readings: rows.length, shardsRunAgain: 0 });
		expect([runs('Read Each Shard'), line.lost()]).toEqual([3, 8]);
		expect(wrongIn(await tables.readings(), rows)).toEqual(NOTHING_WRONG);
		expect(await tables.query('SELECT count(*) FROM health_shards WHERE reason IS NOT NULL')).toBe('0');
	});

	it('changes nothing but what differs when a shard that was written runs once more', async () => {
		const { queue, nightly, tables, team } = here();
		const parent = await nightly.putParent({ ...SMALL, usersPerShard: 2000 });
		const { account, out } = await runNight(queue, parent);
		const before = await tables.readings();
		const answer = { shard: 1, users: team.users.length, readings: account!.readings, unreadable: [] };
		expect(out('Read Each Shard')).toEqual([answer]);
		await tables.query('UPDATE health_readings SET systolic = 1 WHERE id = (SELECT min(id) FROM health_readings)');
		const written = 'xmin::text::bigint';
		const last = await tables.query(`SELECT max(${written}) FROM health_readings`);

		const { shard, user_ids } = out('Next Shards')[0];
		const date = DateTime.fromISO(account!.night).minus({ days: 1 }).toISODate();
		const response = await fetch(`${queue.baseUrl}/webhook/${nightly.path}`, {
			method: 'POST',
			headers: HEADERS,
			body: JSON.stringify({ night: account!.night, shard, user_ids, from: date, to: date, timeZone: ZONE }),
		});
		expect(await response.json()).toEqual(answer);
		expect(wrongIn(await tables.readings(), before)).toEqual(NOTHING_WRONG);
		expect(await tables.query(`SELECT count(*) FROM health_readings WHERE ${written} > ${last}`)).toBe('1');
		const [{ id }] = await executionsOf(queue, nightly.shard);
		expect((await itemsOf(queue, id))['Write and Mark']).toHaveLength(1);

		const nights = ['2020-01-01', DateTime.fromISO(account!.night).minus({ days: 30 }).toISODate()];
		for (const night of nights)
			await tables.query(`INSERT INTO health_shards (night, shard, user_ids, users) VALUES ('${night}', 1, '[]', 0)`);
		expect((await runNight(queue, parent)).account).toEqual(account);
		expect(await tables.query('SELECT night FROM health_shards ORDER BY night')).toBe(
			`${nights[1]}\n${account!.night}`,
		);
	});

	it('starts for nobody who does not know the header', async () => {
		const { queue, nightly } = here();
		const { status } = await fetch(`${queue.baseUrl}/webhook/${nightly.path}`, { method: 'POST' });
		expect(status).toBe(403);
	});
}

/** With what the parent calls a shard. */
const HEADERS = { 'content-type': 'application/json', [HEADER.name]: HEADER.value };

const ANSWERS_AT_ONCE = {
	name: 'Other',
	nodes: [
		{
			id: 'hook',
			name: 'Webhook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			position: [0, 0],
			webhookId: 'answers-at-once',
			parameters: { httpMethod: 'POST', path: 'answers-at-once', responseMode: 'onReceived', options: {} },
		},
	],
	connections: {},
};
