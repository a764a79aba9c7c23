/**
 * SECURITY.md tells people how to configure n8n: the variables it names are n8n's, and their defaults are what it says. What it
 * says of this package is held against the code.
 */
const { readdirSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { ROOT } = require('../../dev/paths');

const page = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');
const config = dirname(require.resolve('@n8n/config', { paths: [require.resolve('n8n-core')] }));
const { ExecutionsConfig } = require(join(config, 'configs', 'executions.config'));
/** @param {string} file */
const sourceOf = (file) => readFileSync(join(config, 'configs', file), 'utf8');

it('gives the defaults of n8n for what executions keep', () => {
	const rows = [...page.matchAll(/^\|.*\| `(EXECUTIONS_\w+)`.*\| `(\w+)`(?: \(.*\))? \|$/gm)];
	expect(rows).toHaveLength(8);
	const source = sourceOf('executions.config.js');
	const defaults = new ExecutionsConfig();
	for (const [, variable, value] of rows) {
		const [, property] = new RegExp(`Env\\)\\('${variable}'\\)[^}]*?prototype, "(\\w+)"`).exec(source) ?? [];
		expect([variable, value]).toEqual([variable, String(defaults[property])]);
	}
});

it('names only variables that there are', () => {
	const others = [...page.matchAll(/`((?:N8N|DB)_\w+)`/g)].map(([, name]) => name);
	const storage = readFileSync(join(dirname(require.resolve('n8n-core')), 'storage.config.js'), 'utf8');
	const files = ['instance-settings-config.js', 'database.config.js', 'diagnostics.config.js'].map(sourceOf);
	const known = [storage, ...files].join();
	// Of a module of n8n itself, which these tests do not install.
	const unread = ['N8N_OTEL_ENABLED'];
	expect(others.filter((name) => !known.includes(`Env)('${name}'`))).toEqual(unread);
	expect(others).toContain('N8N_ENCRYPTION_KEY');
});

describe('what it says of this package is what the code does', () => {
	/** The one text that a sentence has where the pattern has its group. @param {RegExp} sentence */
	const said = (sentence) => {
		const [, text, ...others] = sentence.exec(page) ?? [];
		if (text === undefined) throw new Error(`SECURITY.md does not say ${sentence}`);
		return [text, ...others];
	};
	const sources = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(join(ROOT, folder), { recursive: true })
			.map((file) => join(folder, String(file)))
			.filter((file) => file.endsWith('.ts')),
	);
	/** The files of the node that have it. @param {string | RegExp} what */
	const filesWith = (what) =>
		sources
			.filter((file) => readFileSync(join(ROOT, file), 'utf8').search(what) >= 0)
			.map((file) => file.replace('nodes/HealthDataService/', ''));

	it('requests leave through one file, and all of them are GET', () => {
		const [place] = said(/send through one function \(`([^`]+)`\)/);
		expect(place).toBe('http/client.ts');
		expect(filesWith('httpRequestWithAuthentication')).toEqual(['http/transport.ts']);
		expect(filesWith(/\bcreateSend\(/).sort()).toEqual([place, 'http/transport.ts']);
		expect(filesWith(/method: '(?!GET')/)).toEqual([]);
		expect(filesWith("method: 'GET'")).toContain('http/transport.ts');
	});

	it('the key is put on a request in one file, as one header', () => {
		const [place] = said(/gets the key from one place \(`([^`]+)`\)/);
		const [header] = said(/It is sent as the header `([^`]+)`/);
		expect(filesWith(header)).toEqual([place]);
		const { authenticate } = require('../../nodes/HealthDataService/http/authenticate');
		const request = authenticate({ baseUrl: 'https://a.example', apiKey: 'key' }, { url: '/v2/user' });
		expect(request.headers).toEqual({ [header]: 'key' });
		// No sender, n8n's HTTP Request node included, follows a redirect with it.
		expect(request).toMatchObject({ disableFollowRedirect: true, followRedirect: false, followAllRedirects: false });
	});
});
