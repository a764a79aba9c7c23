/**
 * The scale plan (docs/scale.md): its tables are what `npm run scale` prints, and the model stays near what was measured.
 */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { pollTeam, readTeam } = require('../../dev/bench/scale/model');
const { SCHEDULERS, pollTimes } = require('../../dev/bench/scale/pollTimes');
const { TOLERANCE, allTables, deviation, filledIn, pollDeviation } = require('../../dev/bench/scale/tables');

const page = readFileSync(join(ROOT, 'docs', 'scale.md'), 'utf8');
/** @type {import('../../dev/bench/scale/tables').Measured} */
const measured = JSON.parse(readFileSync(join(ROOT, 'dev', 'bench', 'scale', 'measured.json'), 'utf8'));
const tables = allTables(measured);

describe('docs/scale.md', () => {
	it.each(Object.entries(tables))('shows the %s that the script prints', (name, text) => {
		expect(page).toContain(`<!-- ${name} -->\n${text}\n<!-- /${name} -->`);
	});

	it('is what a new measurement would write', () => expect(filledIn(page, tables)).toBe(page));

	it('shows other numbers to whoever gives others', () => {
		const { teams, trigger } = allTables(measured, { latencyMs: 300, rowsPerUser: 20 });
		expect(teams).toContain('20 rows of each user');
		expect(teams).not.toBe(tables.teams);
		expect(trigger).not.toBe(tables.trigger);
	});
});

describe('the model', () => {
	it('was held against one worker and against two, with rows written and without', () => {
		expect(measured.points.map(({ workers }) => workers)).toEqual(expect.arrayContaining([1, 2]));
		expect(measured.points.map(({ rowsPerUser }) => rowsPerUser > 0)).toEqual(expect.arrayContaining([true, false]));
	});

	it.each(measured.points)(
		'is near $seconds s of $workers worker(s), $requests requests at once, $latencyMs ms, $rowsPerUser rows per user',
		(point) => {
			expect(Math.abs(deviation(measured, point))).toBeLessThanOrEqual(TOLERANCE);
		},
	);

	it('was held against two polls of the trigger', () => expect(measured.polls).toHaveLength(2));

	it.each(measured.polls)('is near a poll of $seconds s: $users users at $latencyMs ms', (point) => {
		expect(Math.abs(pollDeviation(measured, point))).toBeLessThanOrEqual(TOLERANCE);
	});

	const setup = {
		users: 10_000,
		shard: 500,
		workers: 1,
		executions: 10,
		requests: 8,
		latencyMs: 100,
		rowsPerUser: 0,
		cpuMs: 1,
		mainCpuMs: 0.1,
		rowCpuMs: 0.01,
		rowMs: 0.03,
		statementMs: 5,
	};
	/** Twenty pages of the list, eight at once; two rounds of ten shards: 500 users at 100 / 8 + 1 ms each. */
	const reading = 20 * 0.0125 + 2 * 500 * 0.0135;
	it.each([
		['waiting for answers', {}, {}, reading],
		// A statement in each round, and 5,000 rows: read, and written.
		['waiting for answers', { rowsPerUser: 10 }, {}, reading + 2 * (0.005 + 5000 * 0.00004)],
		['CPU of the workers', { latencyMs: 1 }, {}, 10],
		['CPU of the workers', { latencyMs: 1, rowsPerUser: 10, rowCpuMs: 0.1 }, {}, 20],
		['CPU of the main process', { latencyMs: 1, mainCpuMs: 2 }, {}, 20],
		['PostgreSQL', { workers: 8, rowsPerUser: 100 }, {}, 30],
		['the limit', {}, { requestsPerSecond: 50 }, 10_020 / 50],
		['the limit of the list', {}, { listsPerSecond: 10 / 60 }, 120],
	])('is held up by %s', (heldUpBy, changes, limits, seconds) => {
		const result = readTeam({ ...setup, ...changes }, limits);
		expect(result.heldUpBy).toBe(heldUpBy);
		expect(result.seconds).toBeCloseTo(seconds);
	});

	it('gives a team that fits into one shard no use of a second worker', () => {
		const small = { ...setup, users: 400 };
		expect(readTeam({ ...small, workers: 32 })).toEqual(readTeam(small));
	});

	it('reads a round of the trigger in one piece, in as many polls as it needs', () => {
		// Twenty-one pages of the list, of which the last is empty.
		const whole = { seconds: 20 * 0.0125 + 10_000 * 0.0135, polls: 1, requests: 10_021 };
		expect(pollTeam(setup)).toEqual(whole);
		expect(pollTeam(setup, SCHEDULERS['in memory'])).toEqual(whole);
		expect(pollTeam(setup, SCHEDULERS.durable)).toEqual({ ...whole, polls: 6 });
	});
});

describe('Poll Times', () => {
	it.each([
		[1.4, SCHEDULERS['in memory'], 1, 'every minute'],
		[15, SCHEDULERS['in memory'], 1, 'every minute'],
		[16, SCHEDULERS['in memory'], 5, 'every 5 minutes'],
		[136, SCHEDULERS['in memory'], 10, 'every 10 minutes'],
		[240, SCHEDULERS['in memory'], 30, 'every 30 minutes'],
		// More than one poll takes: they follow each other.
		[1300, SCHEDULERS['in memory'], 5, 'every 5 minutes'],
		[24, SCHEDULERS.durable, 5, 'every 5 minutes'],
		[136, SCHEDULERS.durable, 1, 'every minute'],
		// Longer than any that is usual.
		[3000, 4000, 60, 'every 60 minutes'],
	])('for a round of %d s in polls of %d s', (seconds, pollSeconds, minutes, text) => {
		expect(pollTimes(seconds, pollSeconds)).toEqual({ minutes, text });
	});

	it("leaves of n8n's budget what the trigger does", () => {
		const poll = readFileSync(join(ROOT, 'nodes', 'HealthDataService', 'trigger', 'poll.ts'), 'utf8');
		expect(poll).toContain('const TIMEOUT_MS = 60_000;');
		expect(poll).toContain('Math.min(limits.timeoutMs, budgetMs / 3)');
		expect(SCHEDULERS).toEqual({ 'in memory': 300 - 60, durable: 36 - 36 / 3 });
	});
});
