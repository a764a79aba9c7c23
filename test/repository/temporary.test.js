/** What commands and tests put into the machine's temporary folder goes again, also after a run that was killed. */
const { spawnSync } = require('node:child_process');
const { existsSync, mkdirSync, readdirSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { basename, dirname, join } = require('node:path');
const { remove, temporaryFolder } = require('../../dev/install/temporary');

/** @type {string} */
let folder;
beforeEach(() => {
	folder = temporaryFolder();
});
afterEach(() => remove(folder));

/** A process that has ended. */
const gone = () => spawnSync(process.execPath, ['--version']).pid;

it('is empty, in the temporary folder, and names its process', () => {
	expect(readdirSync(folder)).toEqual([]);
	expect(dirname(folder)).toBe(tmpdir());
	expect(basename(folder)).toMatch(new RegExp(`^health-data-service-${process.pid}-\\w+$`));
});

it('takes those along that killed processes have left, and no others', () => {
	const dead = join(tmpdir(), `health-data-service-${gone()}-left`);
	const others = [`health-data-service-${process.ppid}-runs`, 'health-data-service-else', `else-${gone()}-x`];
	const kept = others.map((name) => join(tmpdir(), name));
	for (const one of [dead, ...kept]) mkdirSync(one);
	writeFileSync(join(dead, 'file'), '');
	try {
		remove(temporaryFolder());
		expect(existsSync(dead)).toBe(false);
		expect(kept.filter((one) => !existsSync(one))).toEqual([]);
	} finally {
		for (const one of [dead, ...kept]) remove(one);
	}
});
