/**
 * The table of dev/scripts/mutation.js: it has every folder of the node, and names only files and tests that are there.
 */
const { existsSync, readdirSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { filesOf, jestOptionsFor, NODE, TESTS, testsOf } = require('../../dev/scripts/mutationTests');
const config = require('../jest.config');

it('has a row for every folder', () => {
	const folders = readdirSync(join(ROOT, NODE), { withFileTypes: true })
		.filter((entry) => entry.isDirectory() && entry.name !== '__schema__')
		.map(({ name }) => name);
	expect(Object.keys(TESTS)).toEqual(expect.arrayContaining(folders));
});

it.each(Object.keys(TESTS))('%s and its tests are there', (what) => {
	expect(existsSync(join(ROOT, NODE, what))).toBe(true);
	const gone = testsOf(what).filter(
		(name) => !['.test.ts', '.test.js'].some((end) => existsSync(join(ROOT, 'test', name + end))),
	);
	expect([gone, testsOf(what).length > 0]).toEqual([[], true]);
});

it('takes a folder, or a file of one, and nothing else', () => {
	expect(filesOf('shared')).toContain('shared/concurrentMap.ts');
	expect(filesOf('resources')).toContain('resources/timeseries/execute.ts');
	expect(filesOf('http/requestQueue.ts')).toEqual(['http/requestQueue.ts']);
	for (const none of ['unknown', 'http/gone.ts', '__schema__', '..']) expect(filesOf(none)).toEqual([]);
});

it('runs the tests in the process that counts, which a memory limit of jest prevents', () => {
	expect({ ...config, ...jestOptionsFor('shared/values.ts').config }.workerIdleMemoryLimit).toBeNull();
});
