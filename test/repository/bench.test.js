/**
 * What `npm run bench` writes (dev/bench/results.md): the figures as they were measured, beside what was wanted.
 */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { report } = require('../../dev/bench/report');
const { SCENARIOS } = require('../../dev/bench/scenarios');
const { ROOT } = require('../../dev/paths');

/** @type {import('../../dev/bench/report').Measured} */
const measured = {
	n8n: '2.41.1',
	cores: 2,
	rounds: 3,
	results: [
		{ name: 'all', targets: { http: 4, axios: 1.5 }, ms: { ours: 1000, http: 5500, unlimited: 4400, axios: 800 } },
		{ name: 'list', targets: { http: 4 }, ms: { ours: 250, http: 1000, axios: 200 } },
	],
	team: { sound: { ms: 5000, requests: 1203 }, broken: { ms: 36_000, requests: 1287 } },
	memory: { loadMs: 14.4, peakMegabytes: 33.6 },
	trigger: { readings: 100_000, stateMegabytes: 2.6, bytesPerReading: 26, bookkeepingMs: 438.4 },
	polls: [
		{
			users: 20_000,
			requests: 20_041,
			pollMs: 55_000,
			floorMs: 50_000,
			helperMs: 54_000,
			peakMegabytes: 61.2,
			stateMegabytes: 2.213,
			readings: 85_100,
		},
	],
};

describe('the report of a benchmark', () => {
	const text = report(measured);

	it.each([
		'| all | 5.5× | 4.4× | 1.25 | at least 4×, at most 1.5 | 1000 / 5500 / 4400 / 800 |',
		'| list | 4.0× | – | 1.25 | at least 4× | 250 / 1000 / – / 200 |',
		'takes 36.0 s and 1287 requests; without them 5.0 s and 1203.',
		'Loading the package takes 14 ms. Reading 100,000 rows in one go takes at most 34 MB',
		'| 20,000 | 1.10 | 1.02 | 55.0 s | 50.0 s | 54.0 s | 20,041 | 61 MB | 2.21 MB, 85,100 readings |',
		'100,000 readings of its window in 2.6 MB (26 bytes each; goal: 2.6 MB)',
		'takes 438 ms beside the requests (goal: 500)',
	])('says %s', (line) => expect(text).toContain(line));

	it('was written by this benchmark', () => {
		const results = readFileSync(join(ROOT, 'dev', 'bench', 'results.md'), 'utf8');
		const rows = [...results.matchAll(/^\| (\(.*?) \|/gm)].map(([, name]) => name);
		expect(rows).toEqual(SCENARIOS.map(({ name }) => name));
		expect(results).toContain('## The trigger');
	});
});
