/**
 * What a Base URL may be, what becomes of it, and what is refused.
 */
import { serviceRoot } from '../../nodes/HealthDataService/http/baseUrl';

const root = (baseUrl: string, allowHttp = false) => serviceRoot({ baseUrl, apiKey: '', allowHttp });

it.each([
	['https://h', 'https://h'],
	['https://h/', 'https://h'],
	['https://h/v2', 'https://h'],
	['https://h/v2/', 'https://h'],
	[' https://h//v2// ', 'https://h'],
	['https://h:8443/health/v2', 'https://h:8443/health'],
	['https://h/v2/v2', 'https://h/v2'],
	['https://h/apiv2', 'https://h/apiv2'],
	['https://h/?a=1#b', 'https://h'],
	['http://localhost:5000/v2/', 'http://localhost:5000'],
	['http://127.0.0.1', 'http://127.0.0.1'],
	['http://127.8.9.10:1', 'http://127.8.9.10:1'],
	['http://[::1]:3000', 'http://[::1]:3000'],
])('%p is read as %s', (given, expected) => {
	expect(root(given)).toBe(expected);
});

it.each(['http://h', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example', 'http://10.0.0.1'])(
	'%s is refused, unless allowed',
	(given) => {
		expect(() => root(given)).toThrow('starts with http://');
		expect(root(given, true)).toBe(given);
	},
);

it.each(['', '  ', 'api.example.com', 'ftp://h', 'localhost:3000', 'https://', 'javascript:alert(1)'])(
	'%p is not an address',
	(given) => {
		expect(() => root(given, true)).toThrow("'Base URL' in the credential is");
	},
);
