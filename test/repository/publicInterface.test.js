/**
 * What saved workflows depend on (public-interface.txt), the one place that knows the values of Output, and what n8n's strict rules
 * ask of package.json: as in the sources.
 */
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { missingIn, publicInterface, recorded } = require('../../dev/scripts/publicInterface');
const { OUTPUTS } = require('../../nodes/HealthDataService/resources/timeseries/output');

// New lines are added at any time; `npm run release:check` requires them in the record.
it('keeps every name, value and default that saved workflows depend on', () => {
	expect(recorded().length).toBeGreaterThan(100);
	const lost = missingIn(publicInterface(ROOT, '.'), recorded());
	if (lost.length > 0) {
		throw new Error(
			`These lines of test/repository/public-interface.txt are missing or different now:\n${lost.join('\n')}`,
		);
	}
});

it('no file but the table of outputs compares the value of Output', () => {
	const folder = join(ROOT, 'nodes', 'HealthDataService', 'resources');
	const values = OUTPUTS.map((/** @type {{ value: string }} */ { value }) => value);
	const compared = new RegExp(`[!=]==? '(${values.join('|')})'|\\.value [!=]==`);
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
	expect(files.length).toBeGreaterThan(5);
	expect(files.filter((file) => compared.test(readFileSync(join(folder, file), 'utf8')))).toEqual([]);
});

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

it("package.json asks for n8n's strict rules, and changes none of them", () => {
	expect(manifest.n8n).toMatchObject({ n8nNodesApiVersion: 1, strict: true });
	const template = 'node_modules/@n8n/node-cli/dist/template/templates/shared/default/eslint.config.mjs';
	const [ours, theirs] = ['eslint.config.mjs', template].map((file) => readFileSync(join(ROOT, file), 'utf8'));
	expect(ours.split(/\s+/)).toEqual(theirs.split(/\s+/));
});
