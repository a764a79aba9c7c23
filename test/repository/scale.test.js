/**
 * The scale plan (docs/scale.md): its tables are what `npm run scale` prints, and the model stays near what was measured.
 */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { readTeam } = require('../../dev/bench/scale/model');
const { TOLERANCE, allTables, deviation, filledIn } = require('../../dev/bench/scale/tables');

const page = readFileSync(join(ROOT, 'docs', 'scale.md'), 'utf8');
/** @type {import('../../dev/bench/scale/tables').Measured} */
const measured = JSON.parse(readFileSync(join(ROOT, 'dev', 'bench', 'scale', 'measured.json'), 'utf8'));
const tables = allTables(measured);

describe('docs/scale.md', () => {
	it.each(Object.entries(tables))('shows the %s that the script prints', (name, text) => {
		expect(page).toContain(`<!-- ${name} -->\n${text}\n<!-- /${name} -->`);
	});

	it('is what a new measurement would write', () => expect(filledIn(page, tables)).toBe(page));
});

describe('the model', () => {
	it('was held against one worker and against two', () => {
		expect(measured.points.map(({ workers }) => workers)).toEqual(expect.arrayContaining([1, 2]));
	});

	it.each(measured.points)(
		'is near $seconds s of $workers worker(s), $requests requests at once, $latencyMs ms',
		(point) => {
			expect(Math.abs(deviation(measured, point))).toBeLessThanOrEqual(TOLERANCE);
		},
	);

	const setup = {
		users: 10_000,
		shard: 500,
		workers: 1,
		executions: 10,
		requests: 8,
		latencyMs: 100,
		cpuMs: 1,
		mainCpuMs: 0.1,
	};
	it.each([
		// Two rounds of ten shards: a page of the list, and 500 users at 100 / 8 + 1 ms each.
		['waiting for answers', {}, {}, 2 * (0.1 + 500 * 0.0135)],
		['CPU of the workers', { latencyMs: 1 }, {}, 10],
		['CPU of the main process', { latencyMs: 1, mainCpuMs: 2 }, {}, 20],
		['the limit', {}, { requestsPerSecond: 50 }, 10_020 / 50],
		['the limit of the list', {}, { listsPerSecond: 10 / 60 }, 120],
		['the step after', {}, { rowsPerSecond: 100 }, 100],
	])('is held up by %s', (heldUpBy, changes, limits, seconds) => {
		const result = readTeam({ ...setup, ...changes }, limits);
		expect(result.heldUpBy).toBe(heldUpBy);
		expect(result.seconds).toBeCloseTo(seconds);
	});

	it('gives a team that fits into one shard no use of a second worker', () => {
		const small = { ...setup, users: 400 };
		expect(readTeam({ ...small, workers: 32 })).toEqual(readTeam(small));
	});
});
