/**
 * Redirects (quirk 13): one below the Base URL is followed, and the error of another repeats no secret.
 */
import { isRedirect, redirectError, redirectTarget } from '../../../nodes/HealthDataService/http/redirect';
import type { Problem } from '../../../nodes/HealthDataService/shared/problem';

describe('a redirect', () => {
	const to = (location: string, root = 'https://health.example', from = 'https://health.example/v2/user') => {
		try {
			return redirectTarget({ statusCode: 302, headers: { location }, body: '' }, from, root, 'Secret-Key');
		} catch (error) {
			return error as Problem;
		}
	};
	it('below the Base URL is followed', () => {
		expect(to('/v2/user/')).toBe('https://health.example/v2/user/');
		expect(to('/v2/user/', 'https://health.example/v2')).toBe('https://health.example/v2/user/');
	});

	it.each(['/webhook', '../../webhook', '/v2/../webhook', '/v2/..%2fwebhook', '//health.example/webhook', '/v2x/user'])(
		'out of the path of the Base URL is not followed: %s',
		(location) => {
			expect(to(location, 'https://health.example/v2')).toMatchObject({
				message: "The service redirects to an address that is not below the 'Base URL'",
				description: "The API key is not sent there. Check the path of 'Base URL' in the credential",
				httpCode: '302',
				concernsAll: true,
			});
		},
	);

	it.each([
		[299, false],
		[300, true],
		[399, true],
		[400, false],
	])('is status %i: %p', (statusCode, is) => expect(isRedirect({ statusCode } as never)).toBe(is));

	it('without a Location leads to itself, and with an invalid one nowhere', () => {
		expect(to(undefined as never)).toBe('https://health.example/v2/user');
		expect(to('https://[')).toMatchObject({
			message: 'The service redirects without arriving anywhere',
			description: "Check 'Base URL' in the credential",
			httpCode: '302',
			concernsAll: true,
		});
		expect(redirectError({ statusCode: 307 } as never)).toMatchObject({ httpCode: '307', concernsAll: true });
	});

	const another = (host: string, path = '') => to(`https://${host}/`, undefined, `https://health.example${path}`);

	it('to another address is an error that says what to do', () => {
		expect(another('other50.example')).toMatchObject({
			message: 'The service redirects to another address (https://other50.example)',
			description: "The API key is not sent there. If that address is right, enter it as 'Base URL' in the credential",
			httpCode: '302',
			concernsAll: true,
		});
	});

	it.each([
		['the key', 'secret-key.example', ''],
		['a part of the key', 'a-secret-b.example', ''],
		['an identifier', 'anna-smith.example', '/v2/user/resolve/Anna.Smith?limit=50'],
		['an encoded identifier', 'anna-smith.example', '/v2/user/resolve/Anna%20Smith'],
		['a short identifier', 'ab1.example', '/v2/user/resolve/AB1'],
		['a value of the query', 'o-mro-n.example', '/v2/timeseries/7/x/grouped?provider=omron'],
	])('that repeats %s is not named', (_, host, path) => {
		expect(another(host, path)).toMatchObject({ message: 'The service redirects to another address' });
	});

	it.each([
		['three characters of an identifier', 'ab12c.example', '/v2/user/resolve/xyz.ab1'],
		["words of the service's paths", 'user.example', '/v2/user/resolve/x1'],
		['nothing', 'ab12c.example', '/v2/user?offset='],
	])('that repeats %s is named', (_, host, path) => {
		expect(another(host, path)).toMatchObject({
			message: `The service redirects to another address (https://${host})`,
		});
	});
});
