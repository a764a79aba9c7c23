/**
 * What the sources can reach: no files, no environment, no network of their own (SECURITY.md says so).
 * test/package/packedFile.test.js asserts the same of what is published.
 */
const { readdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { emptyFolder, removeFolder } = require('../helpers/folder');
const { reachOf, straysOf } = require('../helpers/reach');

it('is nothing but the service, through n8n', () => {
	const sources = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(join(ROOT, folder), { recursive: true }).map((file) => join(ROOT, folder, String(file))),
	);
	expect(straysOf(sources.filter((file) => file.endsWith('.ts')))).toEqual([]);
});

it.each([
	["import fs from 'fs'", { modules: ['fs'] }],
	["import fs = require('fs')", { modules: ['fs'] }],
	["export * from 'os'", { modules: ['os'] }],
	["require('net')", { modules: ['net'] }],
	["import('net')", { modules: ['net'] }],
	["import('n' + 'et')", { modules: ['one that is worked out'] }],
	['const load = require', { globals: ['require'] }],
	['process.env.HOME', { globals: ['process'] }],
	['export const all = { process }', { globals: ['process'] }],
	['const { process: p } = globalThis', { globals: ['globalThis'] }],
	["eval('1'); new Function('1')", { globals: ['Function', 'eval'] }],
	["fetch('https://elsewhere.example')", { globals: ['fetch'] }],
	['export class A extends XMLHttpRequest {}', { globals: ['XMLHttpRequest'] }],
	['console.log(`${Buffer}`)', { globals: ['Buffer', 'console'] }],
	['context.helpers.httpRequest({})', { helpers: ['httpRequest'] }],
	['const { httpRequest } = context.helpers', { helpers: ['all of them'] }],
	["import type { A } from 'a'; export let a: Map<string, Buffer>; const o = { process: 1 }; o.process", {}],
])('would include %s', (code, found) => {
	const folder = emptyFolder();
	const file = join(folder, 'probe.ts');
	writeFileSync(file, `declare const context: any;\nexport {};\n${code};\n`);
	const reach = reachOf([file]);
	removeFolder(folder);
	expect(reach).toEqual({ modules: [], globals: [], helpers: [], ...found });
});
