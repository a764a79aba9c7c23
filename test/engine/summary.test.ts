/**
 * Output: Summary per User in n8n's engine over HTTP: for any readings of a team, in all scopes and for both metrics, a row for
 * every user who was read.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { DateTime, Settings } from 'luxon';
import type { Fault } from '../../dev/sandbox/switches';
import { readPage } from '../../dev/sandbox/timeseries';
import type { MetricName, Reading, World } from '../../dev/sandbox/world';
import { runAgent } from '../helpers/agent';
import { runNode, type RunOptions } from '../helpers/engine';
import { BERLIN, fixedWorld, people, SILENT, SPECIAL, SPECIAL_ID, STEADY } from '../helpers/people';
import { fc } from '../helpers/properties';
import { bloodPressureOf, byClientId, byUserId, queryOf, useSandbox } from '../helpers/requests';
import { anyDays, anyMeasurements, expectSummary, toPoints } from '../helpers/summaries';

const summary = (more: INodeParameters = {}, user: INodeParameters[string] = '') =>
	bloodPressureOf(user, { output: 'summary', ...(user === '' && { userScope: 'all' }), ...more });

describe('any readings of a team', () => {
	const users = [STEADY, SPECIAL, BERLIN, SILENT];
	let readings: Record<string, Reading[]> = {};
	const world: World = {
		...fixedWorld(users, {}),
		readings: (userId, _, from, to) => (readings[userId] ?? []).filter(({ time }) => time >= from && time <= to),
	};
	const used = useSandbox(() => ({ world }));

	/** Past the schema of the sandbox, which would cast odd values. */
	const rawPages =
		(pageSize: number): ((number: number, url: string) => Fault | undefined) =>
		(_, url) => {
			const { pathname, searchParams } = new URL(url, 'http://sandbox');
			const [, userId, metric] = /timeseries\/([^/]+)\/([^/]+)/.exec(pathname) ?? [];
			if (!userId) return undefined;
			const query = Object.fromEntries(searchParams) as unknown as Parameters<typeof readPage>[3];
			const switches = { ...used.sandbox.switches, pageSize, overlap: true };
			return { status: 200, body: readPage(world, userId, metric as MetricName, query, switches) };
		};

	const idsOf = (some: typeof users, by: string) =>
		some.map((user) => (by === 'userId' ? user.user_id : user.client_user_id)).join('\n');
	const scopes: Record<string, (at: number) => { parameters: INodeParameters; asked: typeof users; named: boolean }> = {
		one: (at) => ({
			parameters: { userScope: 'one', user: byUserId(users[at].user_id) },
			asked: [users[at]],
			named: false,
		}),
		'one by client user ID': (at) => ({
			parameters: { userScope: 'one', user: byClientId(users[at].client_user_id) },
			asked: [users[at]],
			named: true,
		}),
		listed: (at) => {
			const asked = [...users.slice(at), ...users.slice(0, at)].slice(0, 3);
			const usersBy = at % 2 ? 'userId' : 'clientUserId';
			return {
				parameters: { userScope: 'listed', usersBy, userIds: idsOf(asked, usersBy) },
				asked,
				named: usersBy === 'clientUserId',
			};
		},
		all: () => ({ parameters: { userScope: 'all' }, asked: users, named: true }),
	};

	it.each(
		Object.keys(scopes).flatMap((scope) => [
			[scope, 'bloodPressure', 2],
			[scope, 'mindfulnessMinutes', 1],
		]) as Array<[string, string, number]>,
	)('%s: %s', async (scope, operation, valueCount) => {
		const isSessions = operation === 'mindfulnessMinutes';
		const anyTeam = anyDays.chain((days) =>
			fc.record({
				days: fc.constant(days),
				team: fc.tuple(...[1, 2, 3].map(() => anyMeasurements(days, valueCount))),
				at: fc.nat(users.length - 1),
				pageSize: fc.integer({ min: 1, max: 9 }),
			}),
		);
		await fc.assert(
			fc.asyncProperty(anyTeam, async ({ days, team, at, pageSize }) => {
				const middle = DateTime.fromISO(days.from, { zone: days.zone }).set({ hour: 12 }).toMillis();
				const measured = [...team, []];
				readings = Object.fromEntries(
					measured.map((all, index) => [
						users[index].user_id,
						toPoints(all, isSessions, middle).map((one) => ({ ...one, arrived: one.time }) as unknown as Reading),
					]),
				);
				used.sandbox.switches.fault = rawPages(pageSize);
				const { parameters, asked, named } = scopes[scope](at);
				const { rows, error } = await runNode({
					credential: used.credential,
					parameters: {
						...summary({ operation, startDate: days.from, endDate: days.to, options: { timeZone: days.zone } }),
						...parameters,
					},
				});
				expect(error).toBeUndefined();
				expect(rows.map(({ user_id, client_user_id }) => [user_id, client_user_id])).toEqual(
					asked.map((user) => [user.user_id, named ? user.client_user_id : null]),
				);
				for (const [index, row] of rows.entries()) {
					expectSummary(row, measured[users.indexOf(asked[index])], days, isSessions);
				}
			}),
			{ numRuns: 12 },
		);
	});
});

describe('users with known readings', () => {
	const used = useSandbox(() => ({ world: people(), switches: { pageSize: 7 } }));
	const run = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) =>
		await runNode({ credential: used.credential, parameters, timezone: 'Europe/Berlin', ...more });
	const counts = (rows: IDataObject[]) => rows.map(({ client_user_id: name, readings }) => [name, readings]);
	const ALL = [
		['steady', 61],
		[SPECIAL_ID, 3],
		['berlin', 8],
		['silent', 0],
	];

	it('has a row for each user, also without readings', async () => {
		const { rows, items } = await run(summary());
		expect(counts(rows)).toEqual(ALL);
		expect(items.every(({ pairedItem }) => JSON.stringify(pairedItem) === '{"item":0}')).toBe(true);
		expect(new Set(rows.map(({ id }) => id)).size).toBe(4);
	});

	it('one user without readings, whose name is known from the list', async () => {
		const user = { __rl: true, mode: 'list', value: SILENT.user_id, cachedResultName: 'silent' };
		expect(counts((await run(summary({}, user))).rows)).toEqual([['silent', 0]]);
	});

	it.each(['error', 'empty'])('an entry that no user has, When Not Found %s', async (whenNotFound) => {
		const userIds = 'silent, unknown, berlin';
		const listed = { userScope: 'listed', usersBy: 'clientUserId', userIds, options: { whenNotFound } };
		const { rows } = await run(summary(listed), { onError: 'continueRegularOutput' });
		expect(counts(rows.filter((row) => !row.error))).toEqual([
			['silent', 0],
			['berlin', 8],
		]);
		expect(rows.filter((row) => row.error)).toHaveLength(whenNotFound === 'error' ? 1 : 0);
	});

	it.each([1, 3, 4, 50])('Limit %i counts rows', async (limit) => {
		const options = { concurrency: 1 };
		expect(counts((await run(summary({ returnAll: false, limit, options }))).rows)).toEqual(ALL.slice(0, limit));
		const read = (user: typeof SILENT) => used.sandbox.requests.some((url) => url.includes(user.user_id));
		if (limit === 1) expect([STEADY, BERLIN, SILENT].map(read)).toEqual([true, false, false]);
	});

	it.each([
		['last7Days', '2026-03-23', '2026-03-23T00:00:00.000+01:00', '2026-03-29T01:30'],
		['last24Hours', '2026-03-28', '2026-03-28T00:00:00.000+01:00', '2026-03-29T01:30'],
		['today', '2026-03-29', '2026-03-29T00:00:00.000+01:00', '2026-03-29T21:59'],
		// The reading of the 30th is not in a summary that ends with the 29th.
		['days', '2026-03-27', '2026-03-27T00:00:00.000+01:00', '2026-03-29T21:59'],
	])('%s begins with a whole day, and an open end is today', async (dateRange, from, start_date, last) => {
		const now = Date.UTC(2026, 2, 29, 13, 30);
		const clock = jest.spyOn(Settings, 'now').mockImplementation(() => now);
		const parameters = summary({ dateRange, startDate: '2026-03-27', endDate: '' }, byUserId(BERLIN.user_id));
		const [row] = (await run(parameters)).rows;
		clock.mockRestore();
		expect([row.from, row.to, queryOf(used.sandbox.requests[0]).start_date]).toEqual([from, '2026-03-29', start_date]);
		expect(String(row.last)).toContain(last);
	});

	it('Between Times begins and ends with whole days', async () => {
		const times = { dateRange: 'times', startDate: '2026-03-28T15:00:00', endDate: '2026-03-28T16:00:00' };
		const { rows } = await run(summary(times, byUserId(BERLIN.user_id)));
		const last = '2026-03-28T22:59:59.999999+00:00';
		expect(rows).toMatchObject([{ from: '2026-03-28', to: '2026-03-28', days: 1, readings: 2, last }]);
	});

	it('of one provider has another id than of all', async () => {
		const ofAll = (await run(summary({}, byUserId(STEADY.user_id)))).rows[0];
		const provider = { __rl: true, mode: 'slug', value: 'withings' };
		const [row] = (await run(summary({ provider }, byUserId(STEADY.user_id)))).rows;
		expect(row).toMatchObject({ readings: 20, providers: 'withings' });
		expect(row.id).not.toBe(ofAll.id);
	});

	it('gives a tool the same row, also without readings', async () => {
		for (const user of [STEADY, SILENT]) {
			const parameters = summary({}, byUserId(user.user_id));
			const { answers } = await runAgent(used.credential, { Tool: parameters }, [['Tool', {}]]);
			expect(JSON.parse(answers[0])).toEqual((await run(parameters, { timezone: 'UTC' })).rows);
		}
	});

	it('is the same in each run and with another page size', async () => {
		const first = (await run(summary())).rows;
		used.sandbox.switches.pageSize = 3;
		expect((await run(summary())).rows).toEqual(first);
	});
});
