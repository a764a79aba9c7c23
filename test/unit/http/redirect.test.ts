/** Redirects (quirk 13): one below the Base URL is followed; any other is the answer. */
import { followOne } from '../../../nodes/HealthDataService/http/redirect';

const FROM = 'https://health.example/v2/user';

/** URLs that are requested, and the status of the answer. */
async function following(
	location: string | undefined,
	{ root = 'https://health.example', times = 1, status = 302 } = {},
) {
	const sent: string[] = [];
	const send = async (url: string) => {
		sent.push(url);
		return { statusCode: sent.length > times ? 200 : status, headers: { location }, body: '' };
	};
	const { statusCode } = await followOne(send, root)(FROM);
	return [statusCode, ...sent.slice(1)];
}

it.each(['https://health.example', 'https://health.example/v2'])('below %s it is followed', async (root) => {
	expect(await following('/v2/user/', { root })).toEqual([200, 'https://health.example/v2/user/']);
});

it.each(['/webhook', '../../webhook', '/v2/../webhook', '/v2/..%2fwebhook', '//health.example/webhook', '/v2x/user'])(
	'out of the path of the Base URL it is not followed: %s',
	async (location) => {
		expect(await following(location, { root: 'https://health.example/v2' })).toEqual([302]);
	},
);

it.each(['https://other.example/', '//other.example', 'http://health.example/v2/user', 'https://['])(
	'to another site it is not followed: %s',
	async (location) => {
		expect(await following(location)).toEqual([302]);
	},
);

it('without a Location leads to itself', async () => {
	expect(await following(undefined)).toEqual([200, FROM]);
});

it('a second one is not followed', async () => {
	expect(await following('/v2/user/', { times: 2 })).toEqual([302, `${FROM}/`]);
});

it.each([
	[299, [299]],
	[300, [200, `${FROM}/`]],
	[399, [200, `${FROM}/`]],
	[400, [400]],
])('is status %i', async (status, expected) => {
	expect(await following('/v2/user/', { status })).toEqual(expected);
});
