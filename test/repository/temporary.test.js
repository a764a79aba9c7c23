/**
 * What commands and tests put into the machine's temporary folder goes again, also after a run that was killed.
 */
const { spawnSync } = require('node:child_process');
const { existsSync, mkdirSync, readdirSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { basename, dirname, join } = require('node:path');
const { leavingNothing, remove, temporaryFolder } = require('../../dev/install/temporary');

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

describe('work that leaves files', () => {
	/** @param {string[]} names of what is left @param {number} status */
	async function leave(names, status) {
		const said = jest.spyOn(console, 'error').mockImplementation(() => {});
		let place = '';
		const ended = await leavingNothing((env) => {
			const { stdout } = spawnSync(process.execPath, ['-p', 'os.tmpdir() + "\\n" + process.env.XDG_CACHE_HOME'], {
				encoding: 'utf8',
				env: { ...process.env, ...env },
			});
			const places = new Set(stdout.trim().split('\n'));
			expect(places.size).toBe(1);
			[place] = places;
			for (const name of names) mkdirSync(join(place, name));
			return status;
		});
		const lines = said.mock.calls.flat();
		said.mockRestore();
		return { ended, lines, isThere: existsSync(place), place };
	}

	it('is named, has failed, and it goes', async () => {
		const { ended, lines, isThere, place } = await leave(['forgotten', 'tsx-1000', 'else'], 0);
		expect(place).toContain(`health-data-service-${process.pid}-`);
		expect({ ended, lines, isThere }).toEqual({
			ended: 1,
			lines: ['\nFailed: left behind in the temporary folder: else, forgotten'],
			isThere: false,
		});
		expect((await leave(['forgotten'], 130)).ended).toBe(130);
	});

	it('or nothing but caches of tools: the status is that of the work', async () => {
		const caches = ['tsx-1000', 'node-compile-cache'];
		expect(await leave(caches, 0)).toMatchObject({ ended: 0, lines: [], isThere: false });
		expect(await leave([], 3)).toMatchObject({ ended: 3, lines: [], isThere: false });
	});
});
