/**
 * Rule for sending the API key: options that n8n's two request helpers spell differently, the Base URL and what is below it, for any
 * server, and redirects (quirk 13). Over HTTP: engine/credential.test.ts.
 */
import type { IHttpRequestOptions } from 'n8n-workflow';
import {
	authenticate,
	redirectTarget,
	serviceRoot,
	type ServiceCredential,
} from '../../../nodes/HealthDataService/http/authenticate';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { served } from '../../helpers/playedService';
import { fc } from '../../helpers/properties';
import { useVirtualTime } from '../../helpers/virtualTime';

const sentBy = (credential: Partial<ServiceCredential>, request: object) =>
	authenticate({ baseUrl: 'https://health.example', apiKey: 'key', ...credential }, {
		url: '/v2/user',
		...request,
	} as IHttpRequestOptions);
const outcome = (credential: Partial<ServiceCredential>, request: object = {}) => {
	try {
		sentBy(credential, request);
		return 'OK';
	} catch (error) {
		expect(error).toBeInstanceOf(Problem);
		expect(error).toMatchObject({ isTransient: false, concernsAll: true });
		return (error as Problem).message;
	}
};

it.each([{ skipSslCertificateValidation: true }, { rejectUnauthorized: false }])(
	'%p needs the switch of the credential',
	(request) => {
		expect(outcome({}, request)).not.toBe('OK');
		expect(sentBy({ allowUnauthorizedCerts: true }, request)).toMatchObject({
			skipSslCertificateValidation: true,
			rejectUnauthorized: false,
		});
	},
);

it.each([
	{},
	{ skipSslCertificateValidation: false },
	{ rejectUnauthorized: true },
	{ rejectUnauthorized: undefined },
	{ agentOptions: {} },
	{ agentOptions: undefined },
	{ agentOptions: { cert: 'c', key: 'k', passphrase: 'p' } },
])('%p is sent on, and leaves the check of certificates on', (request) => {
	const sent = sentBy({}, request) as { skipSslCertificateValidation?: boolean; rejectUnauthorized?: boolean };
	expect([sent.skipSslCertificateValidation ?? false, sent.rejectUnauthorized ?? true]).toEqual([false, true]);
	expect(sent).toMatchObject(request);
});

const OTHERS =
	'The API key is only sent with a client certificate of the node, not with a certificate authority or other connection options';

describe('only a client certificate is allowed among the connection options of a node', () => {
	const SETTABLE: Record<string, unknown> = {
		...{ host: '127.0.0.1', hostname: 'other.example', port: 5678, path: '/webhook/steal', socketPath: '/tmp/socket' },
		...{ lookup: 'x', servername: 'other.example', agent: {}, pfx: 'mine', rejectUnauthorized: true, CERT: 'c' },
		...{ secureContext: {}, checkServerIdentity: () => undefined, localAddress: '127.0.0.1', proxyEnv: {} },
		ca: 'mine',
		ALPNProtocols: ['x'],
	};
	it.each(Object.keys(SETTABLE))(
		'%s is refused, also beside a certificate and when the credential checks none',
		(name) => {
			for (const value of [SETTABLE[name], undefined, '', null]) {
				for (const credential of [{}, { allowUnauthorizedCerts: true }]) {
					expect(outcome(credential, { agentOptions: { [name]: value } })).toBe(OTHERS);
					expect(outcome(credential, { agentOptions: { cert: 'c', key: 'k', [name]: value } })).toBe(OTHERS);
				}
			}
		},
	);

	it.each(['text', ['a']])('%j is refused', (agentOptions) => expect(outcome({}, { agentOptions })).toBe(OTHERS));
});

describe('a proxy', () => {
	const HERE = 'http://localhost:8000';
	it.each<[string, Partial<ServiceCredential>, unknown, boolean]>([
		['checked', {}, 'http://proxy.example:3128', true],
		['checked', {}, { host: 'proxy.example', port: 3128, protocol: 'http' }, true],
		['not checked', { allowUnauthorizedCerts: true }, 'http://proxy.example:3128', false],
		['not encrypted', { baseUrl: 'http://health.example', allowHttp: true }, { host: 'proxy.example' }, false],
		['this machine, to another', { baseUrl: HERE }, 'http://proxy.example:3128', false],
		['this machine, to another', { baseUrl: HERE }, { host: 'proxy.example', port: 3128 }, false],
		['this machine', { baseUrl: HERE }, 'http://127.0.0.1:3128', false],
		['this machine', { baseUrl: HERE }, { host: '::1', port: 3128 }, false],
		['this machine', { baseUrl: HERE }, { host: 'localhost', port: 3128 }, false],
		['this machine, to nonsense', { baseUrl: HERE }, 'not an address', false],
		['this machine, to nonsense', { baseUrl: HERE }, {}, false],
		['this machine, checked', { baseUrl: 'https://localhost:8000' }, 'http://127.0.0.1:3128', true],
		['not encrypted, unset', { baseUrl: 'http://health.example', allowHttp: true }, undefined, true],
		['not encrypted, unset', { baseUrl: 'http://health.example', allowHttp: true }, '', true],
	])('%s: %p, %p', (_, credential, proxy, isFine) => {
		expect(outcome(credential, { proxy }) === 'OK').toBe(isFine);
	});
});

it.each<[string, string | undefined, boolean]>([
	['health.example', undefined, false],
	['health.example', '', false],
	['health.example', 'other.example, health.example', true],
	['health.example', ' HEALTH.example. ', true],
	['health.example', '*.example', true],
	['health.example', '*.health.example', false],
	['a.health.example', '*.health.example', true],
	['xhealth.example', 'health.example', false],
	['health.example', '*.', false],
	['health.example', '*', false],
])('%s is allowed by %p: %p', (host, allowedDomains, isFine) => {
	const credential = { baseUrl: `https://${host}`, allowedHttpRequestDomains: 'domains', allowedDomains };
	expect(outcome(credential) === 'OK').toBe(isFine);
	for (const other of ['all', 'none', undefined])
		expect(outcome({ ...credential, allowedHttpRequestDomains: other })).toBe('OK');
});

it.each<[string, Partial<ServiceCredential>, object, string, string]>([
	[
		'an unchecked connection',
		{},
		{ rejectUnauthorized: false },
		"'Ignore SSL Issues' of a node is not enough to send the API key over a connection that is not checked",
		"Turn it off in the node, or turn on 'Ignore SSL Issues (Insecure)' in the credential",
	],
	[
		'another connection option',
		{},
		{ agentOptions: { servername: 'other.example' } },
		OTHERS,
		"Remove what the node sets in its SSL certificates or 'agentOptions', except cert, key and passphrase. n8n itself can trust an authority, with NODE_EXTRA_CA_CERTS",
	],
	[
		"a 'Host' header",
		{},
		{ headers: { host: 'other.example' } },
		"The API key is not sent with a 'Host' header of a node",
		"Remove the header 'Host' from the node",
	],
	[
		'a proxy',
		{ allowUnauthorizedCerts: true },
		{ proxy: 'http://proxy.example' },
		'A proxy of a node could read the API key, because the connection to the service is not encrypted and checked',
		"Remove 'Proxy' from the node's options. The administrator of n8n can set one for all nodes, with HTTP_PROXY and HTTPS_PROXY",
	],
	[
		'a domain',
		{ allowedHttpRequestDomains: 'domains', allowedDomains: 'example' },
		{},
		'The credential does not allow requests to health.example',
		"Add it to 'Allowed Domains' in the credential, or set 'Allowed HTTP Request Domains' to All",
	],
	[
		'another origin',
		{},
		{ url: 'https://other.example' },
		'The API key is only sent to the Base URL of its credential',
		'Use an address that starts with https://health.example',
	],
])('%s: what is wrong, and what to do', (_, credential, request, message, description) => {
	expect(() => sentBy(credential, request)).toThrow(
		expect.objectContaining({ message, description, concernsAll: true }),
	);
});

it('adds the key, follows no redirect and keeps all else of the request, with the address in either option', () => {
	const redirects = { disableFollowRedirect: false, followRedirect: true, followAllRedirects: true };
	const sent = sentBy({ apiKey: ' key\n' }, { headers: { a: 'b' }, timeout: 5, ...redirects });
	expect(sent).toEqual({
		url: 'https://health.example/v2/user',
		timeout: 5,
		headers: { a: 'b', 'x-service-api-key': 'key' },
		disableFollowRedirect: true,
		followRedirect: false,
		followAllRedirects: false,
	});
	const byUri = sentBy({}, { url: undefined, uri: 'https://health.example/v2/other' });
	expect(byUri).toMatchObject({ uri: 'https://health.example/v2/other', headers: { 'x-service-api-key': 'key' } });
	expect(byUri.url).toBeUndefined();
	expect(sentBy({ apiKey: undefined }, {}).headers).toEqual({ 'x-service-api-key': '' });
});

it('completes a path with the Base URL, and leaves the address in the option in which n8n has it', () => {
	const sent = sentBy({ baseUrl: 'https://health.example/api/' }, { url: undefined, uri: '/v2/user' });
	expect(sent).toMatchObject({ url: undefined, uri: 'https://health.example/api/v2/user' });
});

it.each(['host', 'Host', ' HOST '])('the header %p names no other host', (name) => {
	expect(outcome({}, { headers: { [name]: 'n8n.example' } })).toBe(
		"The API key is not sent with a 'Host' header of a node",
	);
});

it.each(['TRACE', 'track', ' Connect '])('%s, which may give the key back, is refused', (method) => {
	const name = method.trim().toUpperCase();
	expect(outcome({}, { url: 'https://health.example/v2/user', method })).toBe(`The API key is not sent with ${name}`);
});

it.each(['GET', 'HEAD', 'post', 'DELETE', undefined])('%s is sent', (method) => {
	expect(outcome({}, { url: 'https://health.example/v2/user', method })).toBe('OK');
});

describe('below the path of the Base URL', () => {
	const baseUrl = 'https://health.example/health/v2';
	const given = (url: string) => {
		const [byUrl, byUri] = [{ url }, { url: undefined, uri: url }].map((request) => outcome({ baseUrl }, request));
		expect(byUri).toBe(byUrl);
		return byUrl;
	};
	const ORIGIN = 'https://health.example';

	it.each([
		...['/v2/user', '/v2/user/resolve/a%2Fb', '/v2/user/resolve/a%2F..b%2Fc', '/v2/user/resolve/100%', '//v2/user'],
		...['/health', '/health?a=/../..', '/health/v2/../v2/user', '/health/..webhook', '/health/...'].map(
			(path) => ORIGIN + path,
		),
	])('%s is sent', (url) => {
		expect(given(url)).toBe('OK');
	});

	it.each([
		...['/webhook/steal', '/healthy/webhook', '/Health/v2/user', '//health/v2/user', '/health/../webhook'],
		...['/health/v2/../../webhook', '/health//../../webhook', '/health//..%2fwebhook', '/health/%2e%2e/webhook'],
		...['/health/.%2E/webhook', '/health/..%2Fwebhook', '/health/%2e%2e%2fwebhook', '/health/..%5cwebhook'],
		...['/health/..\\webhook', '/health\\..\\webhook', '/health/..%252fwebhook', '/health/a%2F..%2Fb'],
		...['/health/%25252e%25252e%25252fwebhook', '/health/a%5cb/..%2f..%2fwebhook', '/health/..;/webhook'],
		...['/health/..;a=b/webhook', '/health/..%3b/webhook', '/health/.\t./webhook'],
		'/health/v2/user/resolve/a%2F..%2F..%2F..%2F..%2F..%2Fwebhook',
		// What begins with the origin.
		...['/../webhook', '/..%2fwebhook', '/..\\webhook'],
	])('%s is not', (path) => {
		expect(given(ORIGIN + path)).toBe('The API key is only sent to the Base URL of its credential');
	});

	it('nor any path that leads elsewhere for a server which decodes, splits and merges in some order', () => {
		const marks = ['', 'a', 'health', '.', '..', '/', '\\', ';', '%2e', '%2f', '%5c', '%252e', '%252f', '%3b'];
		const part = fc.constantFrom(...marks);
		const decode = (text: string) => text.replace(/%(25|2e|2f|5c|3b)/gi, (sign) => decodeURIComponent(sign));
		const readings = (path: string) => {
			const decoded = [path, decode(path), decode(decode(path)), decode(decode(decode(path)))];
			return decoded.flatMap((text) => [text.split('/'), text.split(/[/\\]/)]);
		};
		const resolved = (segments: string[], isMerging: boolean) => {
			const found: string[] = [];
			for (const [name] of segments.slice(1).map((segment) => segment.split(';'))) {
				if (name === '..') found.pop();
				else if (name !== '.' && !(isMerging && name === '')) found.push(name);
			}
			return found;
		};
		let sent = 0;
		fc.assert(
			fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
				const path = `/health/${parts.join('')}`;
				if (given(ORIGIN + path) !== 'OK') return;
				sent++;
				const { pathname } = new URL(ORIGIN + path);
				for (const segments of readings(pathname))
					for (const isMerging of [false, true]) expect(resolved(segments, isMerging)[0]).toBe('health');
			}),
		);
		expect(sent).toBeGreaterThan(0);
	});

	it('a Base URL without a path has all paths below it', () => {
		for (const path of ['/webhook', '/../webhook', '//webhook']) expect(outcome({}, { url: ORIGIN + path })).toBe('OK');
	});
});

describe('the checked address is the one that is sent', () => {
	it.each([
		'https://evil.example/v2/user',
		'http://health.example/v2/user',
		'https://health.example:444/',
		'https://health.example@evil.example/',
		'user',
	])('%s is refused', (url) => {
		expect(outcome({}, { url })).toBe('The API key is only sent to the Base URL of its credential');
	});

	it.each(['//evil.example/v2', '/\\evil.example'])('%s is a path of the Base URL', (url) => {
		expect(new URL(sentBy({}, { url }).url).origin).toBe('https://health.example');
	});

	it('of two addresses, n8n sends the one called url', () => {
		const [here, there] = ['https://health.example/a', 'https://other.example/a'];
		expect(outcome({}, { url: there, uri: here })).not.toBe('OK');
		expect(sentBy({}, { url: here, uri: there })).toMatchObject({ url: here, uri: here });
	});

	it('no other base of n8n goes before it, and no blanks around it', () => {
		const sent = sentBy({}, { url: ' https://health.example/a\n', baseURL: 'https://other.example' });
		expect(sent).toEqual(expect.objectContaining({ url: 'https://health.example/a', baseURL: undefined }));
	});
});

describe('Base URL', () => {
	const root = (baseUrl: string, allowHttp = false) => serviceRoot({ baseUrl, apiKey: '', allowHttp });

	it.each([
		['https://h', 'https://h'],
		['https://h/', 'https://h'],
		['https://h/v2', 'https://h'],
		['https://h/v2/', 'https://h'],
		[' https://h//v2// ', 'https://h'],
		['https://h:8443/health/v2', 'https://h:8443/health'],
		['https://h/v2/v2', 'https://h/v2'],
		['https://h/v2/health', 'https://h/v2/health'],
		['https://h/a///v2', 'https://h/a'],
		['https://h/a///', 'https://h/a'],
		['https://h/apiv2', 'https://h/apiv2'],
		['https://h/?a=1#b', 'https://h'],
		['http://localhost:5000/v2/', 'http://localhost:5000'],
		['http://127.0.0.1', 'http://127.0.0.1'],
		['http://127.8.9.10:1', 'http://127.8.9.10:1'],
		['http://[::1]:3000', 'http://[::1]:3000'],
	])('%p is read as %s', (given, expected) => {
		expect(root(given)).toBe(expected);
	});

	it.each(['http://h', 'http://localhost.evil', 'http://127.0.0.1.evil', 'http://notlocalhost', 'http://10.0.0.1'])(
		'%s is refused, unless allowed',
		(given) => {
			const advice =
				'With http:// the API key and health data are sent unencrypted: turn it on only if this network is trusted';
			const message = "must start with https://, or turn on 'Allow Unencrypted HTTP' there";
			expect(() => root(given)).toThrow(expect.objectContaining(refusal(message, advice)));
			expect(root(given, true)).toBe(given);
		},
	);

	const ADDRESS = 'Enter the full address of the service, starting with https://, e.g. https://api.example.com';
	const refusal = (message: string, description = ADDRESS) => ({
		...{ message: `'Base URL' in the credential ${message}`, description },
		...{ concernsAll: true, kind: 'configuration-invalid' },
	});

	it.each([undefined, '', '  '])('%p is empty', (given) => {
		expect(() => root(given as string, true)).toThrow(
			expect.objectContaining(refusal('is empty: enter the address of the service')),
		);
	});

	it.each(['api.example.com', 'ftp://h', 'localhost:3000', 'https://', 'javascript:alert(1)'])(
		'%p is not an address',
		(given) => {
			expect(() => root(given, true)).toThrow(expect.objectContaining(refusal('must start with https://')));
		},
	);
});

describe('a redirect', () => {
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
});
