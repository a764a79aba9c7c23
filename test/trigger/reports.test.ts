/**
 * What the trigger says beside its rows: failed executions for failed users, at the first failure and then every hour; lines in n8n's
 * log; "Fetch Test Event", within ten seconds despite hanging or slow users.
 */
import type { INodeParameters } from 'n8n-workflow';
import type { Fault } from '../../dev/sandbox/switches';
import { useLogLines } from '../helpers/engine';
import { n8nLogger } from '../helpers/machine';
import type { PollingHost } from '../helpers/pollingHost';
import { byClientId } from '../helpers/requests';
import { allUsers, HOUR, MINUTE, watch } from '../helpers/watch';

describe('a report', () => {
	const w = watch('durable', { names: ['anna', 'ben', 'carl'] });
	const breakAll = (...names: string[]) => {
		w.switches.users = Object.fromEntries(names.map((name) => [name, 'invalid' as const]));
	};

	it('comes at the first failure and then every hour, for all users together', async () => {
		const n8n = await w.started();
		const pollAfter = async (minutes: number, reports: number) => {
			await w.after(n8n, minutes * MINUTE);
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

	it('when all users fail: says nothing of others, and nothing is lost', async () => {
		const n8n = await w.started();
		w.measure(w.anna, 121);
		breakAll('anna', 'ben', 'carl');
		expect(await n8n.tick()).toBeUndefined();
		expect(n8n.reported[0].message).toMatch(/^The readings of 3 users could not be read\. ./);
		expect(n8n.reported[0].description).not.toContain('New readings of all other users go out');
		breakAll();
		expect(await w.after(n8n)).toEqual([121]);
	});

	it('counts who cannot be read and who waits', async () => {
		const n8n = await w.started();
		breakAll('anna');
		await n8n.tick();
		w.answer({ '': { status: 429, headers: { 'retry-after': '3000' } } });
		for (let minutes = 0; minutes < 65; minutes += 13) await w.after(n8n, 13 * MINUTE);
		expect(n8n.reported[1].message).toMatch(/^The readings of 3 users could not be read\. The service did not/);
	});

	it('comes after an hour, though the clock of n8n goes back 55 minutes', async () => {
		w.switches.date = w.switches.now = () => w.clock;
		const n8n = await w.started();
		breakAll('anna');
		await w.polls(n8n, 1, 55 * MINUTE);
		w.time.error = -55 * MINUTE;
		await w.polls(n8n, 10, 6 * MINUTE);
		expect(n8n.reported).toHaveLength(2);
	});

	it('does not come for recovered users, who are logged', async () => {
		const info = jest.spyOn(n8nLogger(), 'info').mockImplementation(() => {});
		const n8n = await w.started();
		for (const names of [['anna', 'ben'], ['ben'], []]) {
			breakAll(...names);
			await n8n.tick();
		}
		expect(info.mock.calls.map(([message]) => message)).toEqual([
			'Workflow "Test", node "Node": The readings of 1 user can be read again.',
			'Workflow "Test", node "Node": The readings of 1 user can be read again.',
		]);
		expect(n8n.reported).toHaveLength(1);
	});
});

describe('a provider that no user has', () => {
	const w = watch('memory');
	const slug = (value: string) => ({ ...allUsers, provider: { __rl: true, mode: 'slug', value } });
	const WRONG = {
		message: "'Provider' is not the ID of a provider that a user has connected",
		description: expect.stringContaining('omron'),
	};

	it.each(['Withings', 'OMRON'])('publication succeeds, and one report: %s', async (typed) => {
		const n8n = await w.started(slug(typed));
		for (let i = 0; i < 2; i++) await w.after(n8n);
		expect(n8n.reported).toMatchObject([WRONG]);
	});

	it.each<[string, RegExp, number, Fault]>([
		['a first pass that takes two polls', /timeseries/, 0, { delayMs: 25_000 }],
		['a list that does not tell at first', /user\?/, 2, { status: 503 }],
	])('and %s: one report', async (_, part, sound, fault) => {
		let asked = 0;
		w.switches.fault = (__, url) => (part.test(url) && ++asked > sound ? fault : undefined);
		w.users(20);
		const n8n = await w.started(slug('OMRON'));
		w.answer({});
		for (let i = 0; i < 3; i++) await n8n.tick();
		expect(n8n.reported).toHaveLength(1);
	});

	it('is told when it comes by a change; one that a user has is not, without readings too', async () => {
		const n8n = await w.started(slug('omron'));
		await n8n.tick();
		expect(n8n.reported).toEqual([]);
		n8n.parameters = slug('OMRON');
		await n8n.start('update');
		expect(n8n.reported).toHaveLength(1);
	});

	it('but readings of users whom the publication has not reached name it: no report', async () => {
		w.answer({ timeseries: { delayMs: 10_000 } });
		w.users(80);
		w.history.add(w.history.addUser('last'), w.reading(-60, 121, 'lab'));
		const n8n = await w.started(slug('lab'));
		for (let i = 0; i < 3; i++) await n8n.tick();
		expect(n8n.reported).toEqual([]);
	});

	it('is the error of a test event', async () => {
		await expect(w.trigger(slug('OMRON')).fetchTestEvent()).rejects.toMatchObject(WRONG);
	});
});

describe('the log', () => {
	const w = watch('memory');
	const log = useLogLines();

	it('has one line for a service that is down at a start', async () => {
		w.answer({ '': { status: 503 } });
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
	const w = watch('durable');
	const adviceOf = (noun: string) =>
		`The test reads the first 50 users, for a few seconds, and their last 90 days. Check limits and other options, such as a low 'Requests per Second', or choose other limits for the test. The published workflow reads all users, and starts with the next ${noun}.`;

	it('is the newest reading, which may be older than the lookback, and nothing is remembered', async () => {
		w.measure(w.anna, 121, 81 * 24 * HOUR);
		w.measure(w.ben, 122, 80 * 24 * HOUR);
		const n8n = await w.started();
		const { saved, row } = n8n;
		expect(await n8n.fetchTestEvent()).toMatchObject([{ client_user_id: 'ben', systolic: 122, change: 'created' }]);
		expect([n8n.saved, n8n.row]).toEqual([saved, row]);
	});

	it('is the newest user', async () => {
		w.history.addUser('carl', '2025-06-01T00:00:00Z');
		w.history.addUser('dora', '2025-03-01T00:00:00Z');
		expect(await w.trigger({ event: 'user' }).fetchTestEvent()).toMatchObject([{ client_user_id: 'carl' }]);
	});

	it('is that of other users where one is refused, and an error where there is no other', async () => {
		w.measure(w.ben, 122, HOUR);
		w.switches.users = { anna: 'refused' };
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
		w.switches.pageSize = 5000;
		w.history.add(w.ben, w.reading(-1, 199));
		for (let i = 0; i < 10_001; i++) w.history.add(w.anna, w.reading(-10 * i - 10, 120));
		expect(await w.trigger().fetchTestEvent()).toMatchObject([{ systolic: 199 }]);
	});

	describe('comes within ten seconds', () => {
		const WITHIN_MS = 10_000;
		beforeEach(() => void w.users(60));
		const timed = async (n8n: PollingHost) => {
			const begun = w.time.elapsed;
			const rows = await n8n.fetchTestEvent().catch((error: Error) => error);
			expect(w.time.elapsed - begun).toBeLessThanOrEqual(WITHIN_MS);
			return rows;
		};

		it.each<[string, string, RegExp, INodeParameters]>([
			['hanging users', 'timeseries', /could not be reached|found no/, allUsers],
			['a list that hangs', '', /./, { event: 'user' }],
		])('with %s', async (_, part, message, parameters) => {
			w.answer({ [part]: { delayMs: 20_000 } });
			const n8n = w.trigger(parameters);
			expect(await timed(n8n)).toMatchObject({
				message: expect.stringMatching(message),
				failure: { cause: expect.any(String) },
			});
			expect([n8n.saved, n8n.row, n8n.reported]).toEqual(['{}', undefined, []]);
		});

		it('of a slow service that has nothing', async () => {
			w.switches.latencyMs = 2000;
			expect(await timed(w.trigger())).toMatchObject({ message: 'The test found no blood pressure reading' });
			expect(w.used.sandbox.requests.filter((url) => url.startsWith('/v2/user?'))).toHaveLength(2);
		});

		it('with one hanging user, which does not delay the others', async () => {
			w.measure(w.ben, 133, HOUR);
			w.answer({ [w.anna.user_id]: { delayMs: 20_000 } });
			expect(await timed(w.trigger())).toMatchObject([{ systolic: 133 }]);
		});
	});
});
