/**
 * What the sources can reach: no files, no environment, no network of their own (SECURITY.md says so).
 * test/package/packedFile.test.js asserts the same of what is published.
 */
const { readdirSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { straysOf } = require('../helpers/reach');

it('is nothing but the service, through n8n', () => {
	const sources = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(join(ROOT, folder), { recursive: true }).map((file) => join(ROOT, folder, String(file))),
	);
	expect(straysOf(sources.filter((file) => file.endsWith('.ts')))).toEqual([]);
});
