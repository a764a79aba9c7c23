/**
 * Failed polls: at activation, when n8n starts, at a poll time. Their message and, as `failure` for n8n's durable scheduler, whether
 * the error is transient and when to retry; in memory, which of them fail and which are logged.
 */
import type { PollContext } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';
import type { Fault } from '../../dev/sandbox/switches';
import { useLogLines } from '../helpers/engine';
import { byClientId, byUserId } from '../helpers/requests';
import { allUsers, HOUR, MINUTE, onBothSchedulers, savedState, valuesOf, watch } from '../helpers/watch';

const OUTAGE: Fault = { status: 503 };
const one = (user: INodeParameters[string]): INodeParameters => ({ event: 'bloodPressure', userScope: 'one', user });

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	const log = useLogLines();
	const wrongKey = () => ({ ...w.used.credential, apiKey: 'wrong' });

	it('for a wrong key is an error at activation', async () => {
		const n8n = w.trigger();
		n8n.credential = wrongKey();
		await expect(n8n.start()).rejects.toThrow('The service did not accept the API key (status 401). Check ');
	});

	it.each(['activate', 'update', 'init'] as const)(
		'for an outage at a start leaves the trigger alive: %s',
		async (mode) => {
			const n8n = await w.started();
			w.measure(w.anna, 121);
			w.answer({ '': OUTAGE });
			expect(await n8n.start(mode)).toBeUndefined();
			await expect(n8n.tick()).rejects.toMatchObject({ httpCode: '503' });
			w.answer({});
			expect(await w.after(n8n)).toEqual([121]);
		},
	);

	it.each(['init', 'leadershipChange'] as const)(
		'for a wrong key at a start of n8n leaves the trigger alive, and the next poll fails: %s',
		async (mode) => {
			const n8n = await w.started();
			w.measure(w.anna);
			n8n.credential = wrongKey();
			expect(await n8n.start(mode)).toBeUndefined();
			await expect(n8n.tick()).rejects.toMatchObject({ httpCode: '401' });
			n8n.kill();
			n8n.credential = w.used.credential;
			expect(await n8n.start(mode)).toHaveLength(1);
		},
	);

	it('from the first one on, and then without new readings: the readings seen are saved nevertheless', async () => {
		w.measure(w.anna, 120, MINUTE);
		w.answer({ '': OUTAGE });
		const n8n = await w.started();
		w.answer({});
		w.pass(HOUR);
		// In memory n8n saves with an execution: an empty one.
		expect(await n8n.tick()).toEqual(scheduler === 'memory' ? [] : undefined);
		n8n.kill();
		w.measure(w.ben, 121, 90 * MINUTE);
		w.measure(w.ben, 122);
		expect(await n8n.start('init')).toHaveLength(2);
		expect(await n8n.tick()).toBeUndefined();
	});

	const POLLS = 8;
	it.each<[string, (minute: number) => Fault, number]>([
		['an outage', () => OUTAGE, 2],
		['a refused key', () => ({ status: 401 }), 2],
		['an outage, and then a refused key', (minute) => ({ status: minute < 30 ? 503 : 401 }), 3],
		['a wrong list', () => ({ status: 200, body: { users: 7 } }), POLLS],
	])('for %s: in memory it fails once an hour, and is logged else', async (_, fault, count) => {
		const n8n = await w.started();
		const { saved } = n8n;
		w.measure(w.anna);
		for (let minute = 0; minute < 120; minute += 15) {
			w.answer({ '': fault(minute) });
			await w.polls(n8n, 1, 15 * MINUTE);
		}
		const isMemory = scheduler === 'memory';
		expect(w.errors).toHaveLength(isMemory ? count : POLLS);
		expect(log).toHaveLength(isMemory ? POLLS - count : 0);
		expect(n8n.saved).toBe(saved);
		w.answer({});
		expect(await n8n.tick()).toHaveLength(1);
	});
});

describe('a poll', () => {
	const w = watch('durable');

	it.each([1, 2, 3, 4])('whose requests fail from number %i on loses nothing', async (failing) => {
		const n8n = await w.started();
		w.measure(w.anna, 121);
		w.measure(w.ben, 122);
		const before = w.used.sandbox.requests.length;
		w.switches.fault = (number) => (number >= before + failing ? { status: 500 } : undefined);
		// Request 1 is the list, 2 the end of the list, 3 and 4 are one for each user. Without any user, the list is asked again.
		if (failing <= 3) await expect(n8n.tick()).rejects.toMatchObject({ httpCode: '500' });
		else await n8n.tick();
		expect(n8n.reported).toHaveLength(failing <= 3 ? 0 : 1);
		w.answer({});
		await n8n.tick();
		expect(valuesOf(n8n.executions.flat())!.sort()).toEqual([121, 122]);
	});

	it.each<[string, INodeParameters, string]>([
		['a user ID', one(byUserId('anna')), "'User' is not a user ID"],
		['a lookback', { ...allUsers, options: { lookback: 0 } }, "'Lookback Hours' is not a whole number from 1 to 720"],
		['an unknown user', one(byClientId('unknown')), "There is no user with this 'Client User ID'"],
	])('that fails for %s names the fields', async (_, parameters, message) => {
		await expect(w.trigger(parameters).start()).rejects.toMatchObject({
			message: expect.stringContaining(`${message}. `),
		});
	});

	it('at a publication, the message alone says what to do: n8n shows nothing else', async () => {
		const blocked = Object.assign(new Error('blocked'), { name: 'SsrfBlockedIpError' });
		const onContext = ({ helpers }: PollContext) => {
			helpers.httpRequestWithAuthentication = async () => await Promise.reject(blocked);
		};
		await expect(w.trigger(allUsers, { onContext }).start()).rejects.toMatchObject({
			message: "The service could not be reached. n8n is set up not to connect to this host. Ask n8n's administrator.",
		});
	});

	describe('in which fifty users in a row fail, and the list is asked', () => {
		const LIST = '/v2/user?limit=1';
		const team = async () => {
			const users = w.users(76);
			const n8n = await w.started({ ...allUsers, options: { concurrency: 5 } }, { budgetMs: 36_000 });
			w.used.sandbox.requests.length = 0;
			return { n8n, users };
		};

		it.each([0, 20])(
			'which fails too, after %i were read: their readings go out, the rest is left to the next poll',
			async (read) => {
				const { n8n, users } = await team();
				w.measure(w.anna, 121);
				w.measure(users[75], 122);
				let left = read;
				w.answer({
					[LIST]: { status: 500 },
					timeseries: () => (left-- <= 0 ? { status: 500 } : undefined),
				});
				const poll = n8n.tick();
				if (read === 0) await expect(poll).rejects.toMatchObject({ httpCode: '500' });
				else expect(valuesOf(await poll)).toEqual([121]);
				expect(new Set(w.readingRequests()).size).toBeLessThan(78);
				expect(JSON.stringify(n8n.reported)).not.toContain('limits');
				w.answer({});
				expect(await w.after(n8n, 0)).toEqual(read ? [122] : [121, 122]);
			},
		);

		it('which answers: the poll goes on, and reads the users after them', async () => {
			const { n8n, users } = await team();
			w.measure(users[75], 122);
			const sound = users.slice(70).map(({ user_id }) => user_id);
			w.answer({ timeseries: (url) => (sound.some((id) => url.includes(id)) ? undefined : { status: 500 }) });
			expect(await w.after(n8n, 0)).toEqual([122]);
			expect(w.used.sandbox.requests.filter((url) => url === LIST)).toHaveLength(1);
		});

		it('which is limited: the users after them are read in the next poll', async () => {
			const { n8n, users } = await team();
			w.measure(users[75], 122);
			const sick = w.history.team.users.slice(0, 60).map(({ user_id }) => user_id);
			w.answer({
				[LIST]: { status: 429, headers: { 'retry-after': '30' } },
				timeseries: (url) => (sick.some((id) => url.includes(id)) ? { status: 500 } : undefined),
			});
			const rows = [...(await w.after(n8n)), ...(await w.after(n8n)), ...(await w.after(n8n))];
			expect(rows).toEqual([122]);
		});

		it('and the key is revoked in the last answers: the poll fails', async () => {
			const { n8n } = await team();
			w.switches.latencyMs = 3_900;
			const begun = w.time.elapsed;
			w.answer({ '': () => (w.time.elapsed - begun > 20_000 ? { status: 401 } : undefined) });
			await expect(n8n.tick()).rejects.toMatchObject({ httpCode: '401' });
		});
	});

	it('with the budget of a start is no start: an outage is an error of the poll', async () => {
		const n8n = await w.started(allUsers, { budgetMs: 300_000 });
		await w.polls(n8n, 1);
		w.answer({ '': { status: 500 } });
		await w.polls(n8n, 2, 10 * MINUTE);
		expect(w.errors).toHaveLength(2);
	});

	it('with a list that hangs from its first page on fails', async () => {
		const n8n = await w.started(allUsers, { budgetMs: 36_000 });
		w.answer({ '/v2/user?': { delayMs: 400_000 } });
		await expect(n8n.tick()).rejects.toMatchObject({ message: 'The service could not be reached' });
	});

	const waits = (status: number): Fault => ({ status, headers: { 'retry-after': '50' } });
	const temporarily = (status: string, retryAfterMs?: number) => ({
		...{ httpCode: status },
		failure: { cause: 'temporarily-unavailable', ...(retryAfterMs && { retryAfterMs }) },
	});
	const limited = (retryAfterMs?: number) => ({
		...{ httpCode: '429' },
		failure: { cause: 'rate-limited', ...(retryAfterMs && { retryAfterMs }) },
	});
	it.each<[string, Fault, object]>([
		['401', { status: 401 }, { httpCode: '401', failure: { cause: 'credential-invalid' } }],
		['403', { status: 403 }, { httpCode: '403', failure: { cause: 'credential-invalid' } }],
		['503', OUTAGE, temporarily('503')],
		['no answer', { drop: 'beforeAnswer' }, { failure: { cause: 'temporarily-unavailable' } }],
	])('that meets %s for all requests throws it', async (_, fault, error) => {
		const n8n = await w.started(allUsers, { budgetMs: 1500 });
		w.answer({ '': fault });
		await expect(n8n.tick()).rejects.toMatchObject(error);
	});

	it.each<[string, string, Fault, object]>([
		['503 with a time', '', waits(503), temporarily('503', 50_000)],
		['429', '', { status: 429 }, limited()],
		['429 with a time', '', waits(429), limited(50_000)],
		['503 with a time, for readings only', 'timeseries', waits(503), temporarily('503', 50_000)],
		['429 with a time, for readings only', 'timeseries', waits(429), limited(50_000)],
	])('that meets %s reports it', async (_, part, fault, report) => {
		const n8n = await w.started(allUsers, { budgetMs: 1500 });
		w.answer({ [part]: fault });
		expect(await n8n.tick()).toBeUndefined();
		expect(n8n.reported).toMatchObject([report]);
	});

	it.each([
		['by Client User ID', () => byClientId('anna')],
		['by User ID', () => byUserId(w.anna.user_id)],
	])('whose one user is gone (%s) fails, and nothing is lost if the user comes back', async (_, user) => {
		const n8n = await w.started(one(user()), { budgetMs: 1500 });
		w.measure(w.anna, 121);
		w.history.removeUser(w.anna);
		for (let poll = 0; poll < 2; poll++) {
			w.pass(30 * HOUR);
			await expect(n8n.tick()).rejects.toMatchObject({
				message: expect.stringMatching(/There is no (such )?user/),
				failure: { cause: 'configuration-invalid' },
			});
		}
		w.history.team.users = [...w.history.team.users, w.anna];
		expect(await w.after(n8n)).toEqual([121]);
	});

	it.each([503, 401])('that fails by %i does not move the window', async (status) => {
		const n8n = await w.started(allUsers, { budgetMs: 1500 });
		w.measure(w.anna, 121);
		expect(await w.after(n8n)).toEqual([121]);
		const before = savedState(n8n);
		w.measure(w.anna, 122);
		w.pass(100 * HOUR);
		w.answer({ '': { status } });
		await expect(n8n.tick()).rejects.toThrow();
		expect(savedState(n8n)).toEqual(before);
		w.answer({});
		expect(await w.after(n8n)).toEqual([122]);
	});
});
