/** Refusals (401, 403): a wrong key ends the run after a few requests, any other refusal concerns one user. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { createWorld } from '../../dev/sandbox/world';
import type { Fault } from '../../dev/sandbox/switches';
import { NOT_FOUND, type NotFoundBody } from '../../dev/sandbox/troubles';
import { runNode, type RunOptions } from '../helpers/engine';
import { KEY } from '../helpers/people';
import { bloodPressureOf, byUserId, resolve, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const world = createWorld([{ key: KEY, users: 40 }]);
const users = world.teams[0].users;
const used = useSandbox(() => ({ world, switches: { latencyMs: 5 } }));
useVirtualTime();

const ITEMS = 30;
const input: IDataObject[] = users.slice(0, ITEMS).map(({ user_id, client_user_id }) => ({ user_id, client_user_id }));
const oneByOne = bloodPressureOf(byUserId('={{ $json.user_id }}'), { startDate: '2026-03-01', endDate: '2026-03-01' });
const run = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) =>
	await runNode({ credential: used.credential, parameters, input, ...more });
const fault = (choose: (url: string) => Fault | undefined) =>
	Object.assign(used.sandbox.switches, { fault: (_: number, url: string) => choose(url) });
const asked = (part: string) => used.sandbox.requests.filter((url) => url.includes(part)).length;

const KEY_REFUSED = 'The service did not accept the API key (status 401)';

it('a wrong key of some items, which an expression in the credential gives, is an error of these only {{ }}', async () => {
	const WRONG = 15;
	const { rows, error } = await run(resolve('={{ $json.client_user_id }}'), {
		credential: (item) => ({ ...used.credential, ...(item < WRONG && { apiKey: 'wrong' }) }),
		onError: 'continueRegularOutput',
	});
	expect(error).toBeUndefined();
	expect(rows).toHaveLength(ITEMS);
	rows.forEach((row, item) => expect(row).toMatchObject(item < WRONG ? { error: KEY_REFUSED } : input[item]));
	expect(used.sandbox.requests.length).toBeLessThanOrEqual(ITEMS - WRONG + 4);
});

describe('a wrong key with many items', () => {
	const credential = () => ({ ...used.credential, apiKey: 'wrong' });

	it('On Error Continue: all items get the same error {{ }}', async () => {
		const { rows } = await run(oneByOne, { credential: credential(), onError: 'continueRegularOutput' });
		expect(rows).toHaveLength(ITEMS);
		expect(new Set(rows.map(({ error }) => error))).toEqual(new Set([KEY_REFUSED]));
		expect(new Set(rows.map(({ details }) => details)).size).toBe(1);
		expect(used.sandbox.requests.length).toBeLessThanOrEqual(4);
	});

	it('revoked during the read: only requests in flight follow {{ }}', async () => {
		let count = 0;
		fault(() => (++count > 15 ? { status: 401 } : undefined));
		const { rows } = await run(oneByOne, { onError: 'continueRegularOutput' });
		expect(rows.filter(({ error }) => error === KEY_REFUSED).length).toBeGreaterThanOrEqual(ITEMS - 15);
		expect(used.sandbox.requests.length).toBeLessThanOrEqual(15 + 8);
	});

	it('403 for readings, 401 for the list after a redirect {{ }}', async () => {
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
	const refusedUsers = new Set(
		users
			.slice(0, ITEMS)
			.filter((_, i) => i % 10 === 0)
			.map(({ user_id }) => user_id),
	);
	const refuse = () =>
		fault((url) =>
			[...refusedUsers].some((id) => url.includes(id)) ? { status: 403, body: { detail: 'not permitted' } } : undefined,
		);

	it('is an error of these users only, and the list is requested once', async () => {
		refuse();
		const { items } = await run(oneByOne, { onError: 'continueRegularOutput' });
		const failed = items.filter(({ json }) => json.error);
		expect(failed).toHaveLength(ITEMS / 10);
		expect(new Set(failed.map(({ json }) => json.error))).toEqual(
			new Set(["The service refuses this user's data (status 403)"]),
		);
		expect(failed[0].json.details).toMatch(/^The key itself is accepted\. /);
		expect(failed.map(({ pairedItem }) => (pairedItem as { item: number }).item)).toEqual(
			Array.from({ length: ITEMS / 10 }, (_, i) => i * 10),
		);
		expect(asked('/v2/user?limit=1')).toBe(1);
		expect(used.sandbox.requests).toHaveLength(ITEMS + 1);
	});

	it('also when the list fails', async () => {
		fault((url) => (url.startsWith('/v2/user') ? { status: 500 } : { status: 403 }));
		const { rows } = await run(oneByOne, { input: input.slice(0, 3), onError: 'continueRegularOutput' });
		expect(rows[0].error).toBe("The service refuses this user's data (status 403)");
	});
});

describe('404', () => {
	const MISSING = 'The service has nothing at this address (status 404)';
	const BODIES = Object.keys(NOT_FOUND) as NotFoundBody[];

	it.each(BODIES)('with the body %s is an unknown user where the list is found', async (notFound) => {
		used.sandbox.switches.notFound = notFound;
		const unknown = '00000000-0000-4000-8000-000000000000';
		const one = (options = {}) => bloodPressureOf(byUserId(unknown), { options });
		expect((await run(one(), { input: [{}] })).error?.message).toMatch(/^There is no such user/);
		expect(await run(one({ whenNotFound: 'empty' }), { input: [{}] })).toMatchObject({ rows: [], error: undefined });
		const { rows, error } = await run(resolve('unknown', { whenNotFound: 'empty' }), { input: [{}] });
		expect([rows, error]).toEqual([[], undefined]);

		const [gone, sound] = users;
		used.sandbox.switches.users = { [gone.client_user_id]: 'removed' };
		for (const more of [
			{ userScope: 'all', options: { userLimit: 2 } },
			{ userScope: 'listed', userIds: `${unknown} ${sound.user_id}`, options: { whenNotFound: 'empty' } },
			{ userScope: 'listed', userIds: `${sound.user_id} ${gone.user_id}`, options: { whenNotFound: 'empty' } },
		]) {
			const read = await run(bloodPressureOf('', { ...more, output: 'grouped' }), { input: [{}] });
			expect([read.error, read.rows.map(({ user_id }) => user_id)]).toEqual([undefined, [sound.user_id]]);
		}
	});

	it('requests the list once a run, and not after any data {{ }}', async () => {
		used.sandbox.switches.users = Object.fromEntries(users.slice(1, 9).map((one) => [one.user_id, 'removed']));
		const more = { input: input.slice(1, 9), onError: 'continueRegularOutput' as const };
		expect((await run(oneByOne, more)).rows).toHaveLength(8);
		expect([asked('/v2/user?'), asked('/timeseries/')]).toEqual([1, 8]);
		used.sandbox.requests.length = 0;
		const listed = {
			userScope: 'listed',
			userIds: users
				.slice(0, 9)
				.map(({ user_id }) => user_id)
				.join(' '),
		};
		await run(bloodPressureOf('', { ...listed, options: { concurrency: 1 } }), { input: [{}], onError: more.onError });
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
		const { rows, error } = await run(bloodPressureOf('', scope), { input: [{}] });
		expect([error?.message, rows]).toEqual([MISSING, []]);
	});

	it('does not blame the Base URL when the list fails {{ }}', async () => {
		fault((url) => (url.startsWith('/v2/user') ? { status: 500 } : { status: 404 }));
		const { error } = await run(oneByOne, { input: input.slice(0, 1) });
		expect(error?.message).toMatch(/^There is no such user/);
	});

	it.each(BODIES)('with the body %s of the list, too, is a wrong Base URL {{ }}', async (notFound) => {
		fault(() => ({ status: 404, ...NOT_FOUND[notFound] }));
		for (const parameters of [
			resolve('unknown', { whenNotFound: 'empty' }),
			oneByOne,
			bloodPressureOf('', { userScope: 'all' }),
		]) {
			const { rows, error } = await run(parameters, { input: input.slice(0, 1) });
			expect(error?.message).toBe(MISSING);
			expect(error?.description).toContain("Check 'Base URL' in the credential");
			expect(rows).toEqual([]);
		}
	});
});
