/**
 * Errors of a whole poll: the message and, as `failure` for n8n's durable scheduler, whether the error is transient and when to
 * retry.
 */
import type { INodeParameters } from 'n8n-workflow';
import { byClientId, byUserId } from '../helpers/requests';
import { allUsers, HOUR, onBothSchedulers, savedState, valuesOf, watch } from '../helpers/watch';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
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

	it('a field', async () => {
		const n8n = w.trigger({ ...allUsers, options: { lookback: 0 } });
		await expect(n8n.start()).rejects.toMatchObject({ failure: { cause: 'configuration-invalid' } });
	});

	it('an unencrypted address', async () => {
		const n8n = w.trigger();
		n8n.credential = { ...n8n.credential, baseUrl: 'http://service.example' };
		await expect(n8n.start()).rejects.toMatchObject({ failure: { cause: 'configuration-invalid' } });
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
