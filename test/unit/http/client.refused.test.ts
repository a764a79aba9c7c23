/** Client, after a 401, 403 or redirect: whether it concerns all or one user, in one request for all. */
import { connect } from '../../../nodes/HealthDataService/http/client';
import { RequestQueue } from '../../../nodes/HealthDataService/http/requestQueue';
import { playing } from '../../helpers/playedService';
import { useVirtualTime } from '../../helpers/virtualTime';

useVirtualTime();

const readings = '/v2/timeseries/u/x/grouped';
const end = async (get: Awaited<ReturnType<typeof connect>>, path: string) =>
	await get(path).then(
		() => 'OK',
		({ message }: Error) => message,
	);
const KEY_401 = 'The service did not accept the API key (status 401)';
const KEY_403 = 'The service did not accept the API key (status 403)';

it('with 401: nothing is sent with this key any more', async () => {
	const { context, urls } = playing(() => ({ statusCode: 401 }), true);
	const get = await connect(context, { queue: new RequestQueue({ concurrency: 4 }) });
	expect(await end(get, readings)).toBe(KEY_401);
	expect(await end(get, '/v2/user')).toBe(KEY_401);
	expect(urls()).toEqual([readings]);
});

it('with 403: the user list tells whether it is the key, in one request for all', async () => {
	const key = playing(() => ({ statusCode: 403 }), true);
	const refused = await connect(key.context, { queue: new RequestQueue({ concurrency: 4 }) });
	expect(await Promise.all([end(refused, readings), end(refused, readings)])).toEqual([KEY_403, KEY_403]);
	expect(key.urls().filter((path) => path === '/v2/user?limit=1')).toHaveLength(1);
	expect(await end(refused, '/v2/user')).toBe(KEY_403);

	const theirs = playing((path) => (path.startsWith('/v2/user') ? {} : { statusCode: 403 }), true);
	const get = await connect(theirs.context, { queue: new RequestQueue({ concurrency: 4 }) });
	for (let i = 0; i < 2; i++) expect(await end(get, readings)).toMatch(/refuses this user's data/);
	expect(theirs.urls()).toEqual([readings, '/v2/user?limit=1', readings]);
	expect(await end(get, '/v2/user')).toBe('OK');
});

it('with 403: the list is requested over a redirect, too', async () => {
	const { context, urls } = playing((path) => {
		if (path === '/v2/user?limit=1') return { statusCode: 307, headers: { location: '/v2/user/?limit=1' } };
		return path.startsWith('/v2/user') ? {} : { statusCode: 403 };
	}, true);
	const get = await connect(context, { queue: new RequestQueue({ concurrency: 1 }) });
	expect(await end(get, readings)).toMatch(/refuses this user's data/);
	expect(urls()).toEqual([readings, '/v2/user?limit=1', '/v2/user/?limit=1']);
});

it('with 403: no other request is sent before the list has answered', async () => {
	const { context, urls } = playing((path) => (path.startsWith('/v2/user') ? {} : { statusCode: 403 }), true);
	const get = await connect(context, { queue: new RequestQueue({ concurrency: 1 }) });
	await Promise.all([end(get, readings), end(get, '/other'), end(get, '/third')]);
	expect(urls()).toEqual([readings, '/v2/user?limit=1', '/other', '/third']);
});

it.each(['/v2/user', '/v2/user/', '/v2/user?limit=5'])('with 403 by the list (%s): it is the key', async (path) => {
	const { context, urls } = playing(() => ({ statusCode: 403 }), true);
	expect(await end(await connect(context), path)).toBe(KEY_403);
	expect(urls()).toEqual([path]);
});

it.each([301, 302, 304])('with %i: the user list tells whether all are redirected', async (statusCode) => {
	const headers = { location: 'https://elsewhere.example/' };
	const all = playing(() => ({ statusCode, headers }), true);
	const redirected = await connect(all.context, { queue: new RequestQueue({ concurrency: 4 }) });
	const message = `The service redirects instead of answering (status ${statusCode})`;
	for (let i = 0; i < 2; i++) await expect(redirected(readings)).rejects.toMatchObject({ message, concernsAll: true });
	expect(all.urls()).toEqual([readings, '/v2/user?limit=1']);

	const one = playing((path) => (path.startsWith('/v2/user') ? {} : { statusCode, headers }), true);
	const get = await connect(one.context, { queue: new RequestQueue({ concurrency: 4 }) });
	for (let i = 0; i < 2; i++) await expect(get(readings)).rejects.toMatchObject({ message, concernsAll: false });
	expect(one.urls()).toEqual([readings, '/v2/user?limit=1', readings]);
});
