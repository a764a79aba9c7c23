/**
 * The import rule: what `dev/importRule.config.mjs` reports of a file with some imports more. One run of ESLint, which takes seconds.
 */
const { execFileSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');

const FILE = 'nodes/HealthDataService/http/classify.ts';
const CIRCLE = 'import-x/no-cycle';
const UPWARDS = 'import-x/no-restricted-paths';

/** @type {Array<[line: string, rule?: string]>} */
const IMPORTS = [
	["import { isObject } from '../shared/values';"],
	["import { metrics } from '../service/readings/metrics';", UPWARDS],
	["import type { Metric } from '../service/readings/metrics';", UPWARDS],
	["import { networkError } from './errors';", CIRCLE],
	["import type { Send } from './transport';", CIRCLE],
	["export type { RequestOptions } from './retry';", CIRCLE],
];

it('reports imports that go up or close a circle, those of types too', () => {
	const code = readFileSync(join(ROOT, FILE), 'utf8');
	const input = [...IMPORTS.map(([line]) => line), code].join('\n');
	const eslint = [join(ROOT, 'node_modules/eslint/bin/eslint.js'), '--config', 'dev/importRule.config.mjs'];
	const options = ['--format', 'json', '--stdin', '--stdin-filename', FILE];
	let report = '';
	try {
		execFileSync(process.execPath, [...eslint, ...options], { cwd: ROOT, input, encoding: 'utf8' });
	} catch (error) {
		report = /** @type {{ stdout: string }} */ (error).stdout;
	}
	const [{ messages }] = JSON.parse(report);
	const reported = messages.map((/** @type {{ line: number, ruleId: string }} */ { line, ruleId }) => [line, ruleId]);
	expect(reported).toEqual(IMPORTS.flatMap(([, rule], index) => (rule ? [[index + 1, rule]] : [])));
});
