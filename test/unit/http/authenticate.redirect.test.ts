/** Redirects (quirk 13): one below the Base URL is followed; any other is the answer. */
import { redirectTarget } from '../../../nodes/HealthDataService/http/authenticate';
import { served } from '../../helpers/playedService';
import { useVirtualTime } from '../../helpers/virtualTime';

useVirtualTime();
const FROM = 'https://health.example/v2/user';

/** The URL that a redirect leads to. */
const target = (location: string | undefined, root = 'https://health.example', statusCode = 302) =>
	redirectTarget({ statusCode, headers: { location }, body: '' }, FROM, root);

it.each(['https://health.example', 'https://health.example/v2'])('below %s it is followed', (root) => {
	expect(target('/v2/user/', root)).toBe('https://health.example/v2/user/');
});

it.each(['/webhook', '../../webhook', '/v2/../webhook', '/v2/..%2fwebhook', '//health.example/webhook', '/v2x/user'])(
	'out of the path of the Base URL it is not followed: %s',
	(location) => expect(target(location, 'https://health.example/v2')).toBeUndefined(),
);

it.each(['https://other.example/', '//other.example', 'http://health.example/v2/user', 'https://['])(
	'to another site it is not followed: %s',
	(location) => expect(target(location)).toBeUndefined(),
);

it('without a Location leads to itself', () => {
	expect(target(undefined)).toBe(FROM);
});

it.each([
	[1, 'OK', ['/a', '/b']],
	[2, { message: 'The service redirects instead of answering (status 307)' }, ['/a', '/b', '/v2/user?limit=1']],
])('of %i redirects, one is followed', async (times, result, paths) => {
	const { ask, sent } = served((_, nth) => {
		const isRedirected = sent.length <= times && nth === 1;
		return isRedirected ? { statusCode: 307, headers: { location: '/b' } } : {};
	});
	const given = await ask('/a');
	if (result === 'OK') expect(given).toBe('OK');
	else expect(given).toMatchObject(result as object);
	expect(sent.map(([path]) => path)).toEqual(paths);
});

it('its target has the attempts of the request', async () => {
	const moved = { statusCode: 307, headers: { location: '/b' } };
	const { ask, times } = served((path) => (path === '/a' ? moved : { statusCode: 502 }));
	expect(await ask('/a', {}, { maxAttempts: 2 })).toMatchObject({ httpCode: '502' });
	expect(times('/b')).toHaveLength(2);
});

it.each([299, 300, 399, 400])('is status %i', (status) => {
	const isRedirect = status >= 300 && status < 400;
	expect(target('/v2/user/', undefined, status)).toBe(isRedirect ? `${FROM}/` : undefined);
});
