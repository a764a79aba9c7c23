/**
 * The trigger against an oracle that knows none of its code: random histories of the service, of n8n and of its clock, on both
 * schedulers, in virtual time. It is the program of `npm run model`, which also shortens what it finds.
 */
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');

const HISTORIES = 2000;

it(`keeps its promises in ${HISTORIES} random histories`, () => {
	const args = [join(__dirname, 'model.js'), '--histories', String(HISTORIES)];
	const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
	expect(stderr + (status === 0 ? '' : stdout)).toBe('');
	// A test of nothing would pass, too.
	expect(Number(/(\d+) rows handed out/.exec(stdout)?.[1])).toBeGreaterThan(HISTORIES);
}, 600_000);
