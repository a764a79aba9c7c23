/** Redirects (quirk 13): one below the Base URL is followed, and the error of another repeats no secret. */
import { followOne } from '../../../nodes/HealthDataService/http/redirect';
import type { Problem } from '../../../nodes/HealthDataService/shared/problem';

describe('a redirect', () => {
	/** The URL that a redirect leads to, or the error. */
	const to = async (location: string, root = 'https://health.example', from = `https://health.example/v2/user`) => {
		const sent: string[] = [];
		const send = async (url: string) => {
			sent.push(url);
			return { statusCode: sent.length === 1 ? 302 : 200, headers: { location }, body: '' };
		};
		const follow = followOne(send, root, 'Secret-Key');
		return await follow(from).then(
			() => sent[1],
			(error: Problem) => error,
		);
	};
	it.each(['https://health.example', 'https://health.example/v2'])('below %s is followed', async (root) => {
		expect(await to('/v2/user/', root)).toBe('https://health.example/v2/user/');
	});

	it.each(['/webhook', '../../webhook', '/v2/../webhook', '/v2/..%2fwebhook', '//health.example/webhook', '/v2x/user'])(
		'out of the path of the Base URL is not followed: %s',
		async (location) => {
			expect(await to(location, 'https://health.example/v2')).toMatchObject({
				message: "The service redirects to an address that is not below the 'Base URL'",
				description: "The API key is not sent there. Check the path of 'Base URL' in the credential",
				httpCode: '302',
				concernsAll: true,
			});
		},
	);

	it.each([
		[299, 1],
		[300, 2],
		[399, 2],
		[400, 1],
	])('is status %i: %i requests', async (statusCode, requests) => {
		const send = jest.fn().mockResolvedValueOnce({ statusCode, headers: {} }).mockResolvedValue({ statusCode: 200 });
		await followOne(send, 'https://health.example', '')('https://health.example/v2/user');
		expect(send).toHaveBeenCalledTimes(requests);
	});

	it('without a Location leads to itself', async () => {
		expect(await to(undefined as never)).toBe('https://health.example/v2/user');
	});

	it.each([
		['https://[', 1],
		['/v2/user/', 2],
	])('to %s, again and again, is an error after %i requests', async (location, requests) => {
		const send = jest.fn(async () => await Promise.resolve({ statusCode: 307, headers: { location }, body: '' }));
		await expect(followOne(send, 'https://health.example', '')('https://health.example/v2/user')).rejects.toMatchObject(
			{
				message: 'The service redirects without arriving anywhere',
				description: "Check 'Base URL' in the credential",
				httpCode: '307',
				concernsAll: true,
			},
		);
		expect(send).toHaveBeenCalledTimes(requests);
	});

	const another = async (host: string, path = '') =>
		await to(`https://${host}/`, undefined, `https://health.example${path}`);

	it('to another address is an error that says what to do', async () => {
		expect(await another('other50.example')).toMatchObject({
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
		['an identifier of four letters', 'hannah.example', '/v2/user/resolve/Anna'],
		['a value of the query', 'o-mro-n.example', '/v2/timeseries/7/x/grouped?provider=omron'],
	])('that repeats %s is not named', async (_, host, path) => {
		expect(await another(host, path)).toMatchObject({ message: 'The service redirects to another address' });
	});

	it.each([
		['three characters of an identifier', 'ab12c.example', '/v2/user/resolve/xyz.ab1'],
		["words of the service's paths", 'user.example', '/v2/user/resolve/x1'],
		['nothing', 'ab12c.example', '/v2/user?offset='],
	])('that repeats %s is named', async (_, host, path) => {
		expect(await another(host, path)).toMatchObject({
			message: `The service redirects to another address (https://${host})`,
		});
	});
});
