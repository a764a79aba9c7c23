/** Addresses to which the API key is sent: the Base URL and what is below it, for any server. */
import type { IHttpRequestOptions } from 'n8n-workflow';
import { authenticate, type ServiceCredential } from '../../../nodes/HealthDataService/http/authenticate';
import type { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { fc } from '../../helpers/properties';

const sentBy = (credential: Partial<ServiceCredential>, request: object) =>
	authenticate({ baseUrl: 'https://health.example', apiKey: 'key', ...credential }, request as IHttpRequestOptions);
const outcome = (credential: Partial<ServiceCredential>, request: object) => {
	try {
		sentBy(credential, request);
		return 'OK';
	} catch (error) {
		return (error as Problem).message;
	}
};

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
