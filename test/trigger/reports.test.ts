/**
 * What the trigger says beside its rows: failed executions for failed users, at the first failure and then every hour; lines in n8n's
 * log; "Fetch Test Event", within ten seconds despite hanging or slow users.
 */
import type { INodeParameters } from 'n8n-workflow';
import type { Fault } from '../../dev/sandbox/switches';
import { useLogLines } from '../helpers/engine';
import { n8nLogger } from '../helpers/machine';
import { byClientId } from '../helpers/requests';
import { allUsers, MINUTE, onBothSchedulers, watch } from '../helpers/watch';

const WITHIN_MS = 10_000;
const adviceOf = (noun: string) =>
	`The test reads the first 50 users, for a few seconds, and their last 90 days. Check limits and other options, such as a low 'Requests per Second', or choose other limits for the test. The published workflow reads all users, and starts with the next ${noun}.`;

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

	describe('a report', () => {
		const breakAll = (...names: string[]) => {
			w.used.sandbox.switches.users = Object.fromEntries(names.map((name) => [name, 'invalid' as const]));
		};
		beforeEach(() => void w.history.addUser('carl'));

		it('comes at the first failure and then every hour, for all users together', async () => {
			const n8n = w.trigger();
			await n8n.start();
			const pollAfter = async (minutes: number, reports: number) => {
				w.pass(minutes * MINUTE);
				await n8n.tick();
				expect(n8n.reported).toHaveLength(reports);
			};
			breakAll('anna');
			await pollAfter(0, 1);
			await pollAfter(59, 1);
			await pollAfter(1, 2);
			breakAll('anna', 'ben');
			await pollAfter(30, 2);
			await pollAfter(30, 3);
			expect(n8n.reported[2]).toMatchObject({
				message: expect.stringMatching(/^The readings of 2 users could not be read\. The service did not accept/),
				// Results come as they are completed.
				description: expect.stringMatching(
					/^Not read: [\w-]+ since 2026-06-01 \d\d:\d\d, [\w-]+ since 2026-06-01 \d\d:\d\d \(times in UTC\)\. Check /,
				),
				httpCode: '422',
				failure: { cause: 'configuration-invalid' },
			});
			await pollAfter(59, 3);
			await pollAfter(1, 4);
		});

		it('comes again after a new failure, and once an hour though another user fails in each poll', async () => {
			const n8n = w.trigger();
			await n8n.start();
			for (let minutes = 0; minutes < 3 * 60; minutes += 5) {
				breakAll(['anna', 'ben', 'carl'][(minutes / 5) % 3]);
				await n8n.tick();
				expect(n8n.reported).toHaveLength(1 + Math.floor(minutes / 60));
				w.pass(5 * MINUTE);
			}
		});

		it('comes within the hour for a new failure after all were read again, and at once after an hour', async () => {
			const n8n = w.trigger();
			await n8n.start();
			const failing = async (minutes: number, ...names: string[]) => {
				w.pass(minutes * MINUTE);
				breakAll(...names);
				await n8n.tick();
			};
			await failing(0, 'anna');
			await failing(10);
			for (let minutes = 20; minutes < 60; minutes += 10) await failing(10, 'ben');
			expect(n8n.reported).toHaveLength(1);
			await failing(10, 'ben');
			expect(n8n.reported).toHaveLength(2);
			expect(n8n.reported[1].description).toContain(`Not read: ${w.ben.user_id} since 2026-06-01 12:10 `);
			await failing(10);
			await failing(50, 'carl');
			expect(n8n.reported).toHaveLength(3);
		});

		it('comes once an hour at most, of users who fail now and then', async () => {
			const n8n = w.trigger();
			await n8n.start();
			for (let minutes = 0; minutes < 8 * 60; minutes += 15) {
				breakAll(...(minutes % 30 ? [] : ['anna']));
				await n8n.tick();
				w.pass(15 * MINUTE);
			}
			expect(n8n.reported).toHaveLength(8);
		});

		it('names five users, with times in the zone of the workflow', async () => {
			const names = Array.from({ length: 6 }, (_, i) => `user ${i}`);
			for (const name of names) w.history.addUser(name);
			const n8n = w.trigger(allUsers, {
				onContext: (context) => (context.getTimezone = () => 'Europe/Berlin'),
			});
			await n8n.start();
			breakAll(...names);
			w.pass(MINUTE);
			await n8n.tick();
			const { description } = n8n.reported[0];
			expect(description).toMatch(
				/^Not read: ([\w-]{36} since 2026-06-01 14:00, ){4}[\w-]{36} since 2026-06-01 14:00 and 1 more \(times in Europe\/Berlin\)\. /,
			);
			expect(description).toContain('New readings of all other users go out');
		});

		it('says nothing of others where nobody was read', async () => {
			const n8n = w.trigger();
			await n8n.start();
			breakAll('anna', 'ben', 'carl');
			await n8n.tick();
			expect(n8n.reported[0].description).not.toContain('New readings of all other users go out');
		});

		it('counts who cannot be read and who waits', async () => {
			const n8n = w.trigger();
			await n8n.start();
			breakAll('anna');
			await n8n.tick();
			w.used.sandbox.switches.fault = () => ({ status: 429, headers: { 'retry-after': '3000' } });
			for (let minutes = 0; minutes < 65; minutes += 5) {
				w.pass(5 * MINUTE);
				await n8n.tick();
			}
			expect(n8n.reported[1].message).toMatch(/^The readings of 3 users could not be read\. The service did not/);
		});

		it('New User: of the list, never of readings, once an hour though most polls wait for the end of a Retry-After', async () => {
			const n8n = w.trigger({ event: 'user' });
			await n8n.start();
			w.used.sandbox.switches.fault = (_, url) =>
				url.includes('offset=2') ? { status: 429, headers: { 'retry-after': '3000' } } : undefined;
			for (let minutes = 0; minutes < 130; minutes += 5) {
				w.pass(5 * MINUTE);
				await n8n.tick();
			}
			expect(n8n.reported).toHaveLength(3);
			for (const { message, description } of n8n.reported) {
				expect(message).toMatch(/^The service limits the requests/);
				expect(`${message} ${description}`).not.toMatch(/readings|Not read/);
			}
		});

		it('says so where no user can be named', async () => {
			const n8n = w.trigger();
			await n8n.start();
			w.history.team.users = [];
			for (let minutes = 0; minutes <= 65; minutes += 5) {
				await n8n.tick();
				w.pass(5 * MINUTE);
			}
			expect(n8n.reported[1].description).toMatch(
				/^Not read: a user whose ID this poll has not seen, since 2026-06-01 12:00 and 2 more \(times in UTC\)\. /,
			);
		});

		it('recovered users are logged', async () => {
			const info = jest.spyOn(n8nLogger(), 'info').mockImplementation(() => {});
			const n8n = w.trigger();
			await n8n.start();
			breakAll('anna', 'ben');
			await n8n.tick();
			expect(info).not.toHaveBeenCalled();
			breakAll('ben');
			await n8n.tick();
			breakAll();
			await n8n.tick();
			expect(info.mock.calls.map(([message]) => message)).toEqual([
				'Workflow "Test", node "Node": The readings of 1 user can be read again.',
				'Workflow "Test", node "Node": The readings of 1 user can be read again.',
			]);
		});

		it('is the error of a test event without any reading', async () => {
			breakAll('anna');
			const n8n = w.trigger();
			await expect(n8n.fetchTestEvent()).rejects.toMatchObject({ httpCode: '422' });
			expect(n8n.reported).toEqual([]);
		});
	});

	describe('an error of the whole poll', () => {
		const log = useLogLines();
		/** How many polls of two hours throw. */
		const throwing = async (n8n: ReturnType<typeof w.trigger>, change: (minute: number) => void) => {
			let thrown = 0;
			for (let minute = 0; minute < 120; minute += 5) {
				change(minute);
				await n8n.tick().catch(() => thrown++);
				w.pass(5 * MINUTE);
			}
			return thrown;
		};
		const POLLS = 24;

		it.each<[string, (minute: number) => Fault, number]>([
			['an outage', () => ({ status: 503 }), 2],
			['a refused key', () => ({ status: 401 }), 2],
			['an outage, and then a refused key', (minute) => ({ status: minute < 30 ? 503 : 401 }), 3],
			['a wrong list', () => ({ status: 200, body: { users: 7 } }), POLLS],
		])('%s: in memory it fails once an hour, and is logged else', async (_, fault, count) => {
			const n8n = w.trigger();
			await n8n.start();
			const { saved } = n8n;
			w.history.add(w.anna, w.reading(0));
			const thrown = await throwing(n8n, (minute) => {
				w.used.sandbox.switches.fault = () => fault(minute);
			});
			const isMemory = scheduler === 'memory';
			expect(thrown).toBe(isMemory ? count : POLLS);
			expect(log).toHaveLength(isMemory ? POLLS - count : 0);
			expect(n8n.saved).toBe(saved);
			w.used.sandbox.switches.fault = () => undefined;
			expect(await n8n.tick()).toHaveLength(1);
		});
	});

	describe('log', () => {
		const log = useLogLines();
		const slug = (value: string) => ({ ...allUsers, provider: { __rl: true, mode: 'slug', value } });

		it.each(['Withings', 'OMRON'])(
			'a provider that no user has (%s): publication succeeds, and one report',
			async (typed) => {
				const n8n = w.trigger(slug(typed));
				await n8n.start();
				for (let i = 0; i < 2; i++) {
					w.pass(MINUTE);
					await n8n.tick();
				}
				expect(n8n.reported).toMatchObject([
					{ message: "'Provider' is not the ID of a provider that a user has connected" },
				]);
				expect(n8n.reported[0].description).toContain('omron');
				expect(log).toEqual([]);
			},
		);

		it.each<[string, RegExp, number, Fault]>([
			['a first pass that takes two polls', /timeseries/, 0, { delayMs: 25_000 }],
			['a list that does not tell at first', /user\?/, 2, { status: 503 }],
		])('a provider that no user has, and %s: one report', async (_, part, sound, fault) => {
			let asked = 0;
			w.used.sandbox.switches.fault = (__, url) => (part.test(url) && ++asked > sound ? fault : undefined);
			for (let i = 0; i < 20; i++) w.history.addUser(`user ${i}`);
			const n8n = w.trigger(slug('OMRON'));
			await n8n.start();
			w.used.sandbox.switches.fault = () => undefined;
			for (let i = 0; i < 3; i++) await n8n.tick();
			expect(n8n.reported).toHaveLength(1);
		});

		it('no report for a provider that only readings of the users name whom the publication has not reached', async () => {
			w.used.sandbox.switches.fault = (_, url) => (url.includes('timeseries') ? { delayMs: 10_000 } : undefined);
			for (let i = 0; i < 80; i++) w.history.addUser(`user ${i}`);
			w.history.add(w.history.addUser('last'), w.reading(-60, 121, 'lab'));
			const n8n = w.trigger(slug('lab'));
			await n8n.start();
			for (let i = 0; i < 3; i++) await n8n.tick();
			expect(n8n.reported).toEqual([]);
		});

		it('no report for a provider that a user has, without readings too; one after a change to a wrong one', async () => {
			const n8n = w.trigger(slug('omron'));
			await n8n.start();
			await n8n.tick();
			expect(n8n.reported).toEqual([]);
			n8n.parameters = slug('OMRON');
			await n8n.start('update');
			expect(n8n.reported).toHaveLength(1);
		});

		it('a provider that no user has, in a test event: the error says it', async () => {
			await expect(w.trigger(slug('OMRON')).fetchTestEvent()).rejects.toMatchObject({
				message: "'Provider' is not the ID of a provider that a user has connected",
				description: expect.stringContaining('omron'),
			});
		});

		it('a service that is down at a start: one line that ends with a full stop', async () => {
			w.used.sandbox.switches.fault = () => ({ status: 503 });
			await w.trigger().start('init');
			expect(log).toEqual([
				expect.stringMatching(
					/^Workflow "Test", node "Node": The service .* Tried 2 times in \d+ s\. .* The next poll tries again\.$/,
				),
			]);
			expect(log[0]).not.toContain('..');
		});
	});

	describe('a test event', () => {
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

		it.each<[string, INodeParameters]>([
			['blood pressure reading', allUsers],
			['user', { event: 'user' }],
		])('says what to do without a %s', async (noun, parameters) => {
			w.history.team.users = [];
			await expect(w.trigger(parameters).fetchTestEvent()).rejects.toMatchObject({
				message: `The test found no ${noun}`,
				description: adviceOf(noun),
			});
		});

		it('is the newest reading of more than a poll emits', async () => {
			w.used.sandbox.switches.pageSize = 5000;
			w.history.add(w.ben, w.reading(-1, 199));
			for (let i = 0; i < 10_001; i++) w.history.add(w.anna, w.reading(-10 * i - 10, 120));
			expect(await w.trigger().fetchTestEvent()).toMatchObject([{ systolic: 199 }]);
		});

		it('names the limits that no reading reaches', async () => {
			w.history.add(w.anna, w.reading(-60, 122));
			const limits = { high: { systolic: 180, diastolic: 110 } };
			await expect(w.trigger({ ...allUsers, limits }).fetchTestEvent()).rejects.toMatchObject({
				message: "The test found no blood pressure reading that reaches 'Limits'",
				description: adviceOf('blood pressure reading'),
			});
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

	it.each<[string, string, RegExp, INodeParameters]>([
		['hanging users', 'timeseries', /could not be reached|found no/, allUsers],
		['a list that hangs', '', /./, { event: 'user' }],
	])('with %s', async (_, part, message, parameters) => {
		w.used.sandbox.switches.fault = (__, url) => (url.includes(part) ? { delayMs: 20_000 } : undefined);
		const n8n = w.trigger(parameters);
		const { rows, ms } = await timed(n8n);
		expect(rows).toMatchObject({ message: expect.stringMatching(message), failure: { cause: expect.any(String) } });
		expect(ms).toBeLessThanOrEqual(WITHIN_MS);
		expect([n8n.saved, n8n.row, n8n.reported]).toEqual(['{}', undefined, []]);
	});

	it('of a slow service that has nothing', async () => {
		w.used.sandbox.switches.latencyMs = 2000;
		const { rows, ms } = await timed(w.trigger(allUsers));
		expect(rows).toMatchObject({ message: 'The test found no blood pressure reading' });
		expect(w.used.sandbox.requests.filter((url) => url.startsWith('/v2/user?'))).toHaveLength(2);
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
