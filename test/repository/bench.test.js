/** Rows that `npm run bench` writes into dev/bench/results.md. */
const { readFileSync } = require('node:fs');
const { CONTESTS } = require('../../dev/bench/contests');
const { RESULTS, comparison, pollRow, withRows } = require('../../dev/bench/report');

it.each([
	[
		'a contest',
		comparison(
			{ name: 'all', goals: { http: 4, axios: 1.5 } },
			{ ours: 1000, http: 5500, unlimited: 4400, axios: 800 },
		),
		'all | 5.5× | 4.4× | 1.25 | at least 4×, at most 1.5 | 1000 / 5500 / 4400 / 800',
	],
	[
		'a contest without a rate',
		comparison({ name: 'list', goals: { http: 4 } }, { ours: 250, http: 1000, axios: 200 }),
		'list | 4.0× | – | 1.25 | at least 4× | 250 / 1000 / – / 200',
	],
	[
		'a poll',
		pollRow(20_000, {
			ms: 55_000,
			axiosMs: 50_000,
			helperMs: 54_000,
			requests: 20_041,
			peak: 61.2,
			stateMegabytes: 2.213,
		}),
		'20,000 | 1.10 | 1.02 | 55.0 s | 50.0 s | 54.0 s | 20,041 | 61 MB | 2.21 MB',
	],
])('of %s', (_, row, cells) => expect(row.join(' | ')).toBe(cells));

it('replace those of the same name, and no others', () => {
	expect(withRows('| a | 1 |\n| b | 2 |\n', [['b', '3']])).toBe('| a | 1 |\n| b | 3 |\n');
	expect(() => withRows('| a | 1 |\n', [['b', '3']])).toThrow('no row "b"');
});

it('are those of the contests', () => {
	const rows = [...readFileSync(RESULTS, 'utf8').matchAll(/^\| (\(.*?) \|/gm)].map(([, name]) => name);
	expect(rows).toEqual(CONTESTS.map(({ name }) => name));
});
