/** Base URL: accepted forms, their normal form, and refusals. */
import { serviceRoot } from '../../../nodes/HealthDataService/http/authenticate';

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
