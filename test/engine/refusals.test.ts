/**
 * What concerns all users and what one: a wrong key or Base URL and an outage end the run after a few requests; a refusal, a 404 or
 * a hanging user is an error of this user only, and the others are read.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { createWorld } from '../../dev/sandbox/world';
import type { Fault } from '../../dev/sandbox/switches';
import { NOT_FOUND, type NotFoundBody, type TroubleName } from '../../dev/sandbox/troubles';
import { useRunner, type RunOptions } from '../helpers/engine';
import { KEY } from '../helpers/people';
import { bloodPressureOf, byUserId, resolve } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const USERS = 70;
const world = createWorld([{ key: KEY, users: USERS }]);
const users = world.teams[0].users;
const used = useRunner(() => ({ world, switches: { latencyMs: 5 } }));
useVirtualTime();

const ITEMS = 30;
const input: IDataObject[] = users.slice(0, ITEMS).map(({ user_id, client_user_id }) => ({ user_id, client_user_id }));
const oneByOne = bloodPressureOf(byUserId('={{ $json.user_id }}'), { startDate: '2026-03-01', endDate: '2026-03-01' });
const run = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) =>
	await used.run(parameters, { input, ...more });
const runOnce = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) => await used.run(parameters, more);
const onError = 'continueRegularOutput';
const fault = (choose: (url: string) => Fault | undefined) =>
	Object.assign(used.sandbox.switches, { fault: (_: number, url: string) => choose(url) });
const asked = (part: string) => used.sandbox.requests.filter((url) => url.includes(part)).length;

const KEY_REFUSED = 'The service did not accept the API key (status 401)';

describe('a wrong key {{ }}', () => {
	it('of some items, which an expression in the credential gives, is an error of these only', async () => {
		const WRONG = 15;
		const { rows } = await run(resolve('={{ $json.client_user_id }}'), {
			credential: (item) => ({ ...used.credential, ...(item < WRONG && { apiKey: 'wrong' }) }),
			onError,
		});
		expect(rows).toHaveLength(ITEMS);
		rows.forEach((row, item) => expect(row).toMatchObject(item < WRONG ? { error: KEY_REFUSED } : input[item]));
		expect(used.sandbox.requests.length).toBeLessThanOrEqual(ITEMS - WRONG + 4);
	});

	it('gives all items the same error', async () => {
		const { rows } = await run(oneByOne, { credential: { ...used.credential, apiKey: 'wrong' }, onError });
		expect(rows).toHaveLength(ITEMS);
		expect(new Set(rows.map(({ error }) => error))).toEqual(new Set([KEY_REFUSED]));
		expect(used.sandbox.requests.length).toBeLessThanOrEqual(4);
	});

	it('revoked during the read: only requests in flight follow', async () => {
		let count = 0;
		fault(() => (++count > 15 ? { status: 401 } : undefined));
		const { rows } = await run(oneByOne, { onError });
		expect(rows.filter(({ error }) => error === KEY_REFUSED).length).toBeGreaterThanOrEqual(ITEMS - 15);
		expect(used.sandbox.requests.length).toBeLessThanOrEqual(15 + 8);
	});

	it('403 for readings, 401 for the list after a redirect', async () => {
		fault((url) => {
			if (url.startsWith('/v2/timeseries')) return { status: 403 };
			return url.startsWith('/v2/user/')
				? { status: 401 }
				: { status: 307, headers: { location: '/v2/user/?limit=1' } };
		});
		expect((await run(oneByOne)).error?.message).toBe(KEY_REFUSED);
		expect(used.sandbox.requests.length).toBeLessThanOrEqual(6);
	});
});

describe('a 403 of one user {{ }}', () => {
	const REFUSED = "The service refuses this user's data (status 403)";

	it('is an error of this user only, and the list is requested once', async () => {
		const refused = [0, 10, 20];
		fault((url) =>
			refused.some((at) => url.includes(users[at].user_id))
				? { status: 403, body: { detail: 'not permitted' } }
				: undefined,
		);
		const { items } = await run(oneByOne, { onError });
		const failed = items.filter(({ json }) => json.error);
		expect(failed.map(({ pairedItem }) => (pairedItem as { item: number }).item)).toEqual(refused);
		expect(new Set(failed.map(({ json }) => json.error))).toEqual(new Set([REFUSED]));
		expect(asked('/v2/user?limit=1')).toBe(1);
		expect(used.sandbox.requests).toHaveLength(ITEMS + 1);
	});

	it('also when the list fails', async () => {
		fault((url) => (url.startsWith('/v2/user') ? { status: 500 } : { status: 403 }));
		const { rows } = await run(oneByOne, { input: input.slice(0, 3), onError });
		expect(rows[0].error).toBe(REFUSED);
	});
});

describe('404', () => {
	const MISSING = 'The service has nothing at this address (status 404)';
	const BODIES: NotFoundBody[] = ['detail', 'list', 'webPage', 'empty'];

	it.each(BODIES)('with the body %s is an unknown user where the list is found', async (notFound) => {
		used.sandbox.switches.notFound = notFound;
		const unknown = byUserId('00000000-0000-4000-8000-000000000000');
		expect((await runOnce(bloodPressureOf(unknown))).error?.message).toMatch(/^There is no such user/);
		const empty = await runOnce(resolve('unknown', { whenNotFound: 'empty' }));
		expect(empty).toMatchObject({ rows: [], error: undefined });
	});

	it.each(BODIES)('with the body %s of the list, too, is a wrong Base URL', async (notFound) => {
		fault(() => ({ status: 404, ...NOT_FOUND[notFound] }));
		for (const parameters of [
			resolve('unknown', { whenNotFound: 'empty' }),
			bloodPressureOf('', { userScope: 'all' }),
		]) {
			const { rows, error } = await runOnce(parameters);
			expect(error?.message).toBe(MISSING);
			expect(rows).toEqual([]);
		}
	});

	it('does not blame the Base URL when the list fails', async () => {
		fault((url) => (url.startsWith('/v2/user') ? { status: 500 } : { status: 404 }));
		const { error } = await runOnce(bloodPressureOf(byUserId(users[0].user_id)));
		expect(error?.message).toMatch(/^There is no such user/);
	});

	it('requests the list once a run, and not after any data {{ }}', async () => {
		used.sandbox.switches.users = Object.fromEntries(users.slice(1, 9).map((one) => [one.user_id, 'removed']));
		expect((await run(oneByOne, { input: input.slice(1, 9), onError })).rows).toHaveLength(8);
		expect([asked('/v2/user?'), asked('/timeseries/')]).toEqual([1, 8]);
		used.sandbox.requests.length = 0;
		const userIds = users.slice(0, 9).map(({ user_id }) => user_id);
		await runOnce(bloodPressureOf('', { userScope: 'listed', userIds, options: { concurrency: 1 } }), { onError });
		expect([asked('/v2/user?'), asked('/timeseries/')]).toEqual([0, 9]);
	});

	it.each([
		{ userScope: 'all', options: { concurrency: 1 } },
		{
			userScope: 'listed',
			usersBy: 'clientUserId',
			userIds: users.slice(0, 5).map((one) => one.client_user_id),
			options: { concurrency: 1, whenNotFound: 'empty' },
		},
	])('of everything, as of a gateway that has lost the service, removes no user: $userScope', async (scope) => {
		fault(() => (asked('/timeseries/') > 2 ? { status: 404 } : undefined));
		const { rows, error } = await runOnce(bloodPressureOf('', scope));
		expect([error?.message, rows]).toEqual([MISSING, []]);
	});
});

describe('60 users in a row in trouble', () => {
	const MINUTE = 60_000;
	const ids = users.slice(5, 65).map(({ client_user_id }) => client_user_id);
	const trouble = (name: TroubleName) =>
		(used.sandbox.switches.users = Object.fromEntries(ids.map((id) => [id, name])));
	const summaries = async (concurrency: number, more: Partial<RunOptions> = {}) => {
		const begunAt = Date.now();
		const days = { startDate: '2026-03-01', endDate: '2026-03-02' };
		const parameters = bloodPressureOf('', { userScope: 'all', output: 'summary', ...days, options: { concurrency } });
		const { rows, error } = await runOnce(parameters, { onError, ...more });
		return { rows, error, minutes: (Date.now() - begunAt) / MINUTE };
	};
	/** The list answers until the first readings are requested. */
	const failTheList = () => {
		let hasBegun = false;
		fault((url) => {
			hasBegun ||= url.includes('timeseries');
			return hasBegun && url.startsWith('/v2/user') ? { status: 500 } : undefined;
		});
	};

	it('who hang are 60 errors, and the others are read', async () => {
		trouble('hangs');
		const { rows, minutes } = await summaries(8);
		expect(rows).toHaveLength(USERS);
		expect(rows.filter((row) => row.error).map((row) => row.client_user_id)).toEqual(ids);
		// Two attempts of five minutes, eight at a time: 75 minutes.
		expect(minutes).toBeLessThan(100);
	});

	it.each<[TroubleName, number]>([
		['hangs', 8],
		['fails', 1],
	])('are an outage where the list fails too, each %s: one error, soon', async (name, concurrency) => {
		trouble(name);
		failTheList();
		const { rows, minutes } = await summaries(concurrency);
		expect(rows).toEqual([{ error: expect.stringMatching(/^The service could not/), details: expect.any(String) }]);
		expect(minutes).toBeLessThan(30);
	});

	it('end the node with On Error Stop, at the first', async () => {
		trouble('hangs');
		const { error, minutes } = await summaries(8, { onError: 'stopWorkflow' });
		expect(error?.message).toMatch(/^The readings of the user .* could not be read\. The service could not be reached/);
		expect(minutes).toBeLessThan(20);
	});
});
