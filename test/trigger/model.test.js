/**
 * Model test of the trigger against an independent oracle: random histories of the service, of n8n and of its clock, on both
 * schedulers, in virtual time. It is the program of test/trigger/model.js, which also shrinks failures; CI runs many more.
 */
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { seedOf } = require('./model');

const HISTORIES = 50;

it(`keeps its promises in ${HISTORIES} histories: random ones, of one lasting trouble, of several`, () => {
	const args = [join(__dirname, 'model.js'), '--histories', String(HISTORIES), '--kinds', 'all'];
	const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
	expect(stderr + (status === 0 ? '' : stdout)).toBe('');
	// A test of nothing would pass, too.
	expect(Number(/(\d+) rows emitted/.exec(stdout)?.[1])).toBeGreaterThan(HISTORIES);
});

it('takes its seed from the day on request', () => {
	expect(seedOf('today', new Date('2026-01-31T23:59:59Z'))).toBe(20_260_131);
	expect(seedOf('7')).toBe(7);
	expect(() => seedOf('tomorrow')).toThrow('--seed takes a number');
});
