/**
 * Failed polls: at activation, when n8n starts, at a poll time. Their message and, as `failure` for n8n's durable scheduler, whether
 * the error is transient and when to retry.
 */
import type { PollContext } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';
import { byClientId, byUserId } from '../helpers/requests';
import { allUsers, HOUR, MINUTE, onBothSchedulers, savedState, valuesOf, watch } from '../helpers/watch';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

	const wrongKey = () => ({ ...w.used.credential, apiKey: 'wrong' });
	const outage = () => ({ status: 503 });

	it.each([1, 2, 3, 4])('from request %i on loses nothing', async (failing) => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		w.history.add(w.ben, w.reading(0, 122));
		const before = w.used.sandbox.requests.length;
		w.used.sandbox.switches.fault = (number) => (number >= before + failing ? { status: 500 } : undefined);
		// Request 1 is the list, 2 the end of the list, 3 and 4 are one for each user. Without any user, the list is asked again.
		if (failing <= 3) await expect(n8n.tick()).rejects.toMatchObject({ httpCode: '500' });
		else await n8n.tick();
		expect(n8n.reported).toHaveLength(failing <= 3 ? 0 : 1);
		w.used.sandbox.switches.fault = () => undefined;
		await n8n.tick();
		expect(valuesOf(n8n.executions.flat())!.sort()).toEqual([121, 122]);
	});

	it('for a wrong key is an error at activation', async () => {
		const n8n = w.trigger();
		n8n.credential = wrongKey();
		await expect(n8n.start()).rejects.toThrow('The service did not accept the API key (status 401). Check ');
	});

	it.each<[string, 'activate' | 'update' | 'init']>([
		['an outage at activation', 'activate'],
		['an outage when the workflow is changed', 'update'],
		['an outage when n8n starts', 'init'],
	])('for %s leaves the trigger alive', async (_, mode) => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0));
		w.used.sandbox.switches.fault = outage;
		expect(await n8n.start(mode)).toBeUndefined();
		await expect(n8n.tick()).rejects.toMatchObject({ httpCode: '503' });
		w.used.sandbox.switches.fault = () => undefined;
		expect(await n8n.tick()).toHaveLength(1);
	});

	it.each<[string, 'init' | 'leadershipChange']>([
		['when n8n starts', 'init'],
		['when another main process takes over', 'leadershipChange'],
	])('for a wrong key %s leaves the trigger alive, and the next poll fails', async (_, mode) => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0));
		n8n.credential = wrongKey();
		expect(await n8n.start(mode)).toBeUndefined();
		await expect(n8n.tick()).rejects.toMatchObject({ httpCode: '401' });
		n8n.kill();
		n8n.credential = w.used.credential;
		expect(await n8n.start(mode)).toHaveLength(1);
	});

	it('from the first one on, and then without new readings: the readings seen are saved nevertheless', async () => {
		w.history.add(w.anna, w.reading(-1));
		w.used.sandbox.switches.fault = outage;
		const n8n = w.trigger();
		await n8n.start();
		w.used.sandbox.switches.fault = () => undefined;
		w.pass(HOUR);
		// In memory n8n saves with an execution: an empty one.
		expect(await n8n.tick()).toEqual(scheduler === 'memory' ? [] : undefined);
		n8n.kill();
		w.history.add(w.ben, w.reading(-90), { late: 90 * MINUTE });
		w.history.add(w.ben, w.reading(0));
		expect(await n8n.start('init')).toHaveLength(2);
		expect(await n8n.tick()).toBeUndefined();
	});

	it.each<[string, INodeParameters, string]>([
		['a user ID', { event: 'bloodPressure', userScope: 'one', user: byUserId('anna') }, "'User' is not a user ID"],
		['a lookback', { ...allUsers, options: { lookback: 0 } }, "'Lookback Hours' is not a whole number from 1 to 720"],
		[
			'an unknown user',
			{ event: 'bloodPressure', userScope: 'one', user: byClientId('unknown') },
			"There is no user with this 'Client User ID'",
		],
	])('for %s names the fields', async (_, parameters, message) => {
		await expect(w.trigger(parameters).start()).rejects.toMatchObject({
			message: expect.stringContaining(`${message}. `),
		});
	});

	it('at a publication, the message alone says what to do: n8n shows nothing else', async () => {
		const blocked = Object.assign(new Error('blocked'), { name: 'SsrfBlockedIpError' });
		const onContext = ({ helpers }: PollContext) => {
			helpers.httpRequestWithAuthentication = async () => await Promise.reject(blocked);
		};
		const n8n = w.trigger(allUsers, { onContext });
		await expect(n8n.start()).rejects.toMatchObject({
			message: "The service could not be reached. n8n is set up not to connect to this host. Ask n8n's administrator.",
		});
	});

	describe('fifty users in a row fail, and the list is asked', () => {
		const LIST = '/v2/user?limit=1';
		const team = async () => {
			const users = Array.from({ length: 76 }, (_, place) => w.history.addUser(`user ${place}`));
			const n8n = w.trigger({ ...allUsers, options: { concurrency: 5 } }, { budgetMs: 36_000 });
			await n8n.start();
			w.used.sandbox.requests.length = 0;
			return { n8n, users };
		};

		it.each([0, 20])(
			'it fails too, after %i were read: their readings go out, the rest is left to the next poll',
			async (read) => {
				const { n8n, users } = await team();
				w.history.add(w.anna, w.reading(0, 121));
				w.history.add(users[75], w.reading(0, 122));
				let left = read;
				w.used.sandbox.switches.fault = (_, url) =>
					url === LIST || (url.includes('timeseries') && left-- <= 0) ? { status: 500 } : undefined;
				const poll = n8n.tick();
				if (read === 0) await expect(poll).rejects.toMatchObject({ httpCode: '500' });
				else expect(valuesOf(await poll)).toEqual([121]);
				expect(new Set(w.readingRequests()).size).toBeLessThan(78);
				expect(JSON.stringify(n8n.reported)).not.toContain('limits');
				w.used.sandbox.switches.fault = () => undefined;
				expect(valuesOf(await n8n.tick())).toEqual(read ? [122] : [121, 122]);
			},
		);

		it('it answers: the poll goes on, and reads the users after them', async () => {
			const { n8n, users } = await team();
			w.history.add(users[75], w.reading(0, 122));
			const sound = users.slice(70).map(({ user_id }) => user_id);
			w.used.sandbox.switches.fault = (_, url) =>
				url.includes('timeseries') && !sound.some((id) => url.includes(id)) ? { status: 500 } : undefined;
			expect(valuesOf(await n8n.tick())).toEqual([122]);
			expect(w.used.sandbox.requests.filter((url) => url === LIST)).toHaveLength(1);
		});
	});

	it('a list that hangs from its first page on: the poll fails', async () => {
		const n8n = w.trigger(allUsers, { budgetMs: 36_000 });
		await n8n.start();
		w.used.sandbox.switches.fault = (_, url) => (url.startsWith('/v2/user?') ? { delayMs: 400_000 } : undefined);
		await expect(n8n.tick()).rejects.toMatchObject({ message: 'The service could not be reached' });
	});

	it('many users begin to fail, and the list is limited: those after them are read in the next poll', async () => {
		const users = Array.from({ length: 78 }, (_, place) => w.history.addUser(`user ${place}`));
		const n8n = w.trigger(allUsers, { budgetMs: 36_000 });
		await n8n.start();
		w.history.add(users[77], w.reading(0, 122));
		const sick = new Set(w.history.team.users.slice(0, 60).map(({ user_id }) => user_id));
		w.used.sandbox.switches.fault = (_, url) => {
			const [, id] = /timeseries\/([^/]+)/.exec(url) ?? [];
			if (id && sick.has(id)) return { status: 500 };
			return url === '/v2/user?limit=1' ? { status: 429, headers: { 'retry-after': '30' } } : undefined;
		};
		for (let poll = 0; poll < 3; poll++) {
			await n8n.tick();
			w.pass(MINUTE);
		}
		expect(valuesOf(n8n.executions.flat())).toEqual([122]);
	});

	it('a key that is revoked in the last answers of a poll: the poll fails', async () => {
		for (let place = 0; place < 58; place++) w.history.addUser(`user ${place}`);
		const n8n = w.trigger({ ...allUsers, options: { concurrency: 5 } }, { budgetMs: 36_000 });
		await n8n.start();
		w.used.sandbox.switches.latencyMs = 3_900;
		const begun = w.time.elapsed;
		w.used.sandbox.switches.fault = () => (w.time.elapsed - begun > 20_000 ? { status: 401 } : undefined);
		await expect(n8n.tick()).rejects.toMatchObject({ httpCode: '401' });
	});

	describe('the error', () => {
		const running = async (parameters: INodeParameters = allUsers) => {
			const n8n = w.trigger(parameters, { budgetMs: 1500 });
			await n8n.start();
			return n8n;
		};
		const answer = (status: number, headers: Record<string, string> = {}) => {
			w.used.sandbox.switches.fault = () => ({ status, headers });
		};

		it.each<[number, Record<string, string>, object]>([
			[401, {}, { cause: 'credential-invalid' }],
			[403, {}, { cause: 'credential-invalid' }],
			[503, {}, { cause: 'temporarily-unavailable' }],
		])('status %i %j', async (status, headers, failure) => {
			const n8n = await running();
			answer(status, headers);
			await expect(n8n.tick()).rejects.toMatchObject({ httpCode: String(status), failure });
		});

		it.each<[number, Record<string, string>, object]>([
			[503, { 'retry-after': '50' }, { cause: 'temporarily-unavailable', retryAfterMs: 50_000 }],
			[429, {}, { cause: 'rate-limited' }],
			[429, { 'retry-after': '50' }, { cause: 'rate-limited', retryAfterMs: 50_000 }],
		])('a limit of the user list is reported: status %i %j', async (status, headers, failure) => {
			const n8n = await running();
			answer(status, headers);
			expect(await n8n.tick()).toBeUndefined();
			expect(n8n.reported).toMatchObject([{ httpCode: String(status), failure }]);
		});

		it.each<[number, Record<string, string>, object]>([
			[503, { 'retry-after': '50' }, { cause: 'temporarily-unavailable', retryAfterMs: 50_000 }],
			[429, { 'retry-after': '50' }, { cause: 'rate-limited', retryAfterMs: 50_000 }],
		])('status %i for the readings of all users', async (status, headers, failure) => {
			const n8n = await running();
			w.used.sandbox.switches.fault = (_, url) => (url.includes('timeseries') ? { status, headers } : undefined);
			await n8n.tick();
			expect(n8n.reported).toMatchObject([{ httpCode: String(status), failure }]);
		});

		it('no service', async () => {
			const n8n = await running();
			w.used.sandbox.switches.fault = () => ({ drop: 'beforeAnswer' });
			await expect(n8n.tick()).rejects.toMatchObject({ failure: { cause: 'temporarily-unavailable' } });
		});

		it.each([
			['by Client User ID', () => byClientId('anna')],
			['by User ID', () => byUserId(w.anna.user_id)],
		])(
			'the one watched user is gone (%s): each poll fails, and nothing is lost if the user comes back',
			async (_, user) => {
				const n8n = await running({ event: 'bloodPressure', userScope: 'one', user: user() });
				w.history.add(w.anna, w.reading(0, 121));
				w.history.removeUser(w.anna);
				for (let poll = 0; poll < 3; poll++) {
					w.pass(30 * HOUR);
					await expect(n8n.tick()).rejects.toMatchObject({
						message: expect.stringMatching(/There is no (such )?user/),
						failure: { cause: 'configuration-invalid' },
					});
				}
				w.history.team.users = [...w.history.team.users, w.anna];
				expect(valuesOf(await n8n.tick())).toEqual([121]);
			},
		);

		it('does not move the window', async () => {
			const n8n = await running();
			w.history.add(w.anna, w.reading(0, 121));
			expect(valuesOf(await n8n.tick())).toEqual([121]);
			const before = savedState(n8n);
			w.history.add(w.anna, w.reading(1, 122));
			w.pass(100 * HOUR);
			answer(503);
			await expect(n8n.tick()).rejects.toThrow();
			expect(savedState(n8n)).toEqual(before);
			answer(401);
			await expect(n8n.tick()).rejects.toThrow();
			expect(savedState(n8n)).toEqual(before);
			w.used.sandbox.switches.fault = () => undefined;
			expect(valuesOf(await n8n.tick())).toEqual([122]);
		});
	});
});
