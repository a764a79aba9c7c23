/**
 * SECURITY.md tells people how to configure n8n: the variables it names are n8n's, and their defaults are what it says.
 */
const { readFileSync } = require('node:fs');
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
	expect(others).toEqual(['N8N_ENCRYPTION_KEY', 'DB_SQLITE_VACUUM_ON_STARTUP']);
	const known = ['instance-settings-config.js', 'database.config.js'].map(sourceOf).join();
	for (const name of others) expect(known).toContain(`Env)('${name}'`);
});
