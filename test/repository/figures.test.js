/**
 * Figures of the pages that the code decides and that would mislead a user: limits, attempts, times, statuses and versions. Sentences
 * may be rewritten freely around them.
 */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { PAGES, textOf } = require('../helpers/pages');

const { authenticate } = require('../../nodes/HealthDataService/http/authenticate');
const { DEFAULT_CONCURRENCY } = require('../../nodes/HealthDataService/http/requestQueue');
const { RETRY_LIMITS } = require('../../nodes/HealthDataService/http/retry');
const { classifyStatus, isRetryable } = require('../../nodes/HealthDataService/http/classify');
const { MAX_ROWS } = require('../../nodes/HealthDataService/service/readings/rowLimit');
const { MAX_ROWS_PER_POLL } = require('../../nodes/HealthDataService/trigger/results');
const { DEFAULT_BUDGET_MS, START_BUDGET_MS } = require('../../nodes/HealthDataService/trigger/scheduler');
const { HealthDataService } = require('../../nodes/HealthDataService/HealthDataService.node');
const { HealthDataServiceTrigger } = require('../../nodes/HealthDataService/HealthDataServiceTrigger.node');

const MINUTE = 60_000;
/** @typedef {import('n8n-workflow').INodeProperties} Field */
/** @param {Field[]} fields @param {string} name */
const fieldOf = (fields, name) => /** @type {Field} */ (fields.find((one) => one.name === name));
const ofNode = new HealthDataService().description.properties;
const triggerOptions = fieldOf(new HealthDataServiceTrigger().description.properties, 'options').options;
const LOOKBACK_HOURS = Number(fieldOf(/** @type {Field[]} */ (triggerOptions), 'lookback').default);
const [, LISTED_USERS] = /At most ([\d,]+)/.exec(fieldOf(ofNode, 'userIds').description ?? '') ?? [];

/**
 * Pages with figures and the word near which each stands: within three words of it, on either side.
 * @type {Array<[string, number, string]>}
 */
const FIGURES = [
	['README.md', LOOKBACK_HOURS, 'Lookback Hours'],
	['docs/operations.md', Number(LISTED_USERS.replace(',', '')), 'users'],
	['docs/reliability.md', DEFAULT_CONCURRENCY, 'requests'],
	['docs/reliability.md', RETRY_LIMITS.maxAttempts, 'attempts'],
	['docs/reliability.md', RETRY_LIMITS.retryForMs / MINUTE, 'minutes'],
	['docs/reliability.md', RETRY_LIMITS.maxRetryAfterMs / MINUTE, 'minute'],
	['docs/reliability.md', RETRY_LIMITS.timeoutMs / MINUTE, 'minutes'],
	['docs/reliability.md', MAX_ROWS, 'rows'],
	['docs/scale.md', DEFAULT_CONCURRENCY, 'requests'],
	['docs/scale.md', MAX_ROWS, 'rows'],
	['docs/scale.md', LOOKBACK_HOURS, 'hours'],
	['docs/trigger.md', LOOKBACK_HOURS, 'Default'],
	['docs/trigger.md', DEFAULT_BUDGET_MS / MINUTE, 'minutes'],
	['docs/trigger.md', START_BUDGET_MS / MINUTE, 'minute'],
	['docs/trigger.md', MAX_ROWS_PER_POLL, 'rows'],
];

const WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** A figure in digits, with or without a comma, or as a word. @param {number} value */
function written(value) {
	const forms = [String(value), value.toLocaleString('en'), ...(WORDS[value - 1] ? [WORDS[value - 1]] : [])];
	return `(?:${[...forms, ...(value === 1 ? ['an?'] : [])].join('|')})`;
}

/** A figure with its word near it. @param {number} value @param {string} word */
function near(value, word) {
	const figure = `(?<![\\w,.])${written(value)}(?![\\w]|[,.]\\d)`;
	const between = '(?:\\W+[\\w-]+){0,3}?\\W+';
	return new RegExp(`${figure}${between}${word}\\b|\\b${word}${between}${figure}`, 'i');
}

/** What a page says: no examples of code, no addresses. @param {string} page */
const proseOf = (page) =>
	textOf(page)
		.replace(/```[^]*?```/g, '')
		.replace(/\]\([^)]*\)/g, ']');

it.each(FIGURES)('%s says %s near "%s", as the code has it', (page, value, word) => {
	expect(value).toBeGreaterThan(0);
	expect(proseOf(page)).toMatch(near(value, word));
});

it('docs/reliability.md names each status that is retried', () => {
	const text = proseOf('docs/reliability.md').replace(/\b(\d{3}) to (\d{3})\b/g, (_, first, last) =>
		Array.from({ length: last - first + 1 }, (_, index) => Number(first) + index).join(' '),
	);
	const named = [...text.matchAll(/(?<![\d,])[45]\d\d\b/g)].map(([status]) => Number(status));
	const retried = Array.from({ length: 200 }, (_, index) => 400 + index).filter((status) =>
		isRetryable(classifyStatus(status)),
	);
	// Statuses that are not retried: access to a user, a field that is refused.
	expect([...new Set(named)].filter((status) => ![403, 422].includes(status)).sort()).toEqual(retried);
});

const DATE_RANGE = /\bLast \d+ (?:Hours|Days)\b/g;
const ALL = [...PAGES, 'SECURITY.md', 'CONTRIBUTING.md', 'docs/Dockerfile', 'docs/compose.yaml'];

it('every page names the header of the key as it is sent', () => {
	const { headers } = authenticate({ baseUrl: 'https://a.example', apiKey: 'key' }, { url: '/v2/user' });
	const named = ALL.flatMap((page) =>
		[...textOf(page).matchAll(/\bx-[a-z-]+-key\b/gi)].map(([name]) => `${page} ${name}`),
	);
	const [header] = Object.keys(headers ?? {});
	expect([...new Set(named)]).toEqual(
		['README.md', 'docs/contract.md', 'SECURITY.md'].map((page) => `${page} ${header}`),
	);
});

it('every page names the Date Ranges that there are', () => {
	const names = (fieldOf(ofNode, 'dateRange').options ?? []).map(({ name }) => name);
	const named = ALL.flatMap((page) => proseOf(page).match(DATE_RANGE) ?? []);
	expect(named).not.toEqual([]);
	expect(named.filter((name) => !names.includes(name))).toEqual([]);
});

describe('versions', () => {
	/** @param {string} file */
	const manifestOf = (file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
	const { version, engines } = manifestOf('package.json');
	const [newest, oldest] = ['newest', 'oldest'].map(
		(name) => manifestOf(`dev/host/${name}/package.json`).dependencies.n8n,
	);

	it.each(ALL)('%s names those of this package and of the n8n that is tested', (page) => {
		const named = [...textOf(page).matchAll(/(?<![\d.])\d+\.\d+\.\d+(?![\d.]*\d)/g)].map(([one]) => one);
		/** The release that CONTRIBUTING.md goes through, and an n8n that was tried by hand, or not. */
		const others =
			{ 'CONTRIBUTING.md': ['1.2.3'], 'docs/install.md': ['2.0.3', '2.41.3'], 'docs/operating.md': ['2.45.0'] }[page] ??
			[];
		expect([...new Set(named)].filter((one) => ![version, newest, oldest, ...others].includes(one))).toEqual([]);
	});

	it('README.md and docs/install.md name the oldest n8n, docs/install.md the newest', () => {
		for (const page of ['README.md', 'docs/install.md']) expect(textOf(page)).toContain(oldest);
		for (const page of ['docs/install.md', 'docs/operating.md', 'docs/Dockerfile'])
			expect(textOf(page)).toContain(newest);
	});

	it('every page names the oldest Node that package.json allows', () => {
		const [, node] = /^>=(\d+\.\d+)/.exec(engines.node) ?? [];
		const named = ALL.flatMap((page) => [...textOf(page).matchAll(/\b20\.\d{1,2}\b/g)].map(([one]) => one));
		expect([...new Set(named)]).toEqual([node]);
	});
});
