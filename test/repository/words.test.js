/**
 * Words of the pages: each label that they name is one of this package or a known one of n8n, and each message in docs/errors.md is
 * one that the code writes.
 */
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { sectionOf, textOf } = require('../helpers/pages');

const { HealthDataServiceApi } = require('../../credentials/HealthDataServiceApi.credentials');
const { HealthDataService } = require('../../nodes/HealthDataService/HealthDataService.node');
const { HealthDataServiceTrigger } = require('../../nodes/HealthDataService/HealthDataServiceTrigger.node');

const SECTIONS = [
	...['Credential', 'Your first table', 'Your first alert', 'Operations', 'Trigger'].map((name) => ['README.md', name]),
	['docs/operations.md', 'Fields'],
	['docs/errors.md', 'Messages'],
];

/** Labels that no description has: of n8n itself, of other nodes, and of rows of pickers. Most are clicked by test/e2e. */
const OF_OTHERS = new Set([
	...['Add first step…', 'Actions', 'Add option', 'Execute step', 'Fetch Test Event', 'Publish', 'Save'],
	...['Credential', 'Authentication', 'Predefined Credential Type', 'Allowed HTTP Request Domains'],
	...['Poll Times', 'Mode', 'Every X', 'Minutes', 'On new blood pressure reading', 'All Providers'],
	...['Settings', 'On Error', 'Continue', 'Continue (using error output)', 'Retry On Fail', 'Request Options', 'Proxy'],
	...['HTTP Request', 'AI Agent', 'Sort', 'Send a message', 'Message Text'],
]);

/** All labels of a description: fields, choices, actions, modes and options. @param {any} one @returns {string[]} */
const labelsIn = (one) =>
	typeof one !== 'object' || one === null
		? []
		: Object.entries(one).flatMap(([key, value]) =>
				['displayName', 'name', 'action'].includes(key) && typeof value === 'string' ? [value] : labelsIn(value),
			);
const LABELS = new Set(
	[new HealthDataServiceApi(), new HealthDataService().description, new HealthDataServiceTrigger().description].flatMap(
		labelsIn,
	),
);

/** What a section names in bold or italics, without sentences. @param {string} section */
const namedIn = (section) =>
	[...section.replace(/`[^`]*`/g, '').matchAll(/(?<!\*)(\*\*?)(?![\s*])([^*\n]+?)\1(?!\*)/g)]
		.flatMap(([, , label]) => label.split(/ → |, /))
		.filter((label) => /^[A-Z]/.test(label));

it.each(SECTIONS)('%s, %s: every label is on the screen', (page, name) => {
	const named = namedIn(sectionOf(textOf(page), name));
	expect(named).not.toEqual([]);
	expect([...new Set(named)].filter((label) => !LABELS.has(label) && !OF_OTHERS.has(label))).toEqual([]);
});

describe('errors', () => {
	const source = ['nodes', 'credentials']
		.flatMap((folder) =>
			readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(ROOT, folder, file)),
		)
		.filter((file) => file.endsWith('.ts'))
		.map((file) => readFileSync(file, 'utf8'))
		.join('\n');
	/** n8n's own words, what no screen says, and what test/e2e/editor.test.ts sees: its words stand in several places. */
	const others = [
		...['No output data returned', 'Unrecognized node type', 'The trigger does not start for a reading'],
		"'Start Date' is not a date",
	];
	const messages = [...sectionOf(textOf('docs/errors.md'), 'Messages').matchAll(/^\| ([^|]+?)(?: …)? \|/gm)]
		.map(([, message]) => message)
		.filter((message) => message !== 'What you see' && !others.includes(message));

	it('are many', () => expect(messages.length).toBeGreaterThan(10));

	it.each(messages)('%s', (message) => {
		// The code fills in names of fields and numbers.
		const pattern = message
			.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
			.replace(/'[^']+'(?= )/g, "\\\\?'[^'\\n]+'")
			.replace(/\d[\d,]*/g, '(?:$&|\\$\\{[^}]*\\})');
		expect(source).toMatch(new RegExp(`['"\`]${pattern}`));
	});
});
