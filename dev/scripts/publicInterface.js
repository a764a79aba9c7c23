/**
 * Public interface that saved workflows depend on, a line for each part: names and values of fields, defaults (n8n does not
 * save them), columns, trigger events. Once released, none may change; test/repository/public-interface.txt is the record.
 */
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { basename, join, relative } = require('node:path');
const { setUp } = require('../install/setUp');
const { ROOT } = require('../paths');
const { rowLines } = require('./promisedRows');

const RECORD = join(ROOT, 'test', 'repository', 'public-interface.txt');

/** @typedef {import('n8n-workflow').INodeProperties} Field */

/** Fields that show or hide other fields. */
const SELECTORS = ['resource', 'operation', 'event'];

/**
 * @param {string} folder with package.json
 * @param {string} [place] where in it nodes/ and credentials/ are: `.` for the sources, in a test, which compiles them
 * @returns {string[]} in alphabetical order
 */
function publicInterface(folder, place = 'dist') {
	const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
	/** @param {string} listed in package.json, with `dist/` and `.js` */
	const pathOf = (listed) => join(folder, place, relative('dist', listed).replace(/\.js$/, ''));
	/** @param {string} file */
	const ofNode = (file) => {
		/** @type {{ description: import('n8n-workflow').INodeTypeDescription }} */
		const { description } = instanceIn(pathOf(file));
		const codex = JSON.parse(readFileSync(`${pathOf(file)}.json`, 'utf8'));
		const node = `node ${manifest.name}.${description.name}`;
		return [
			...[description.version].flat().map((version) => `${node} has version ${version}`),
			...(description.credentials ?? []).map(({ name }) => `${node} takes credential ${name}`),
			`${node} is in the codex of ${codex.node}`,
			...fieldLines(description.properties, description.name),
		];
	};
	/** @param {string} file */
	const ofCredential = (file) => {
		/** @type {import('n8n-workflow').ICredentialType} */
		const { name, properties } = instanceIn(pathOf(file));
		return fieldLines(properties, name);
	};
	const { nodes, credentials } = manifest.n8n;
	const rows = rowLines(join(folder, place, 'nodes', 'HealthDataService'));
	return [...new Set([...nodes.flatMap(ofNode), ...credentials.flatMap(ofCredential), ...rows])].sort();
}

/** An instance of the class in a file, which has the file's name, as n8n makes it. @param {string} file without `.js` */
function instanceIn(file) {
	const Class = require(file)[basename(file).split('.')[0]];
	return new Class();
}

/**
 * A field has a line for each resource, operation and event that shows it, because an operation may not lose one.
 * @param {Field[]} fields
 * @param {string} owner
 * @returns {string[]}
 */
function fieldLines(fields, owner, prefix = '') {
	return fields.flatMap((field) => {
		const name = prefix + field.name;
		return placesOf(field).flatMap((place) => {
			const at = [owner, ...place].join(' > ');
			const options = field.options ?? [];
			const inside = options.flatMap((option) => ('type' in option ? [option] : []));
			return [
				`${at}: ${name} is ${field.type}, by default ${JSON.stringify(field.default)}`,
				...options.flatMap((option) => ('value' in option ? [`${at}: ${name} can be ${option.value}`] : [])),
				...fieldLines(inside, at, `${name}.`),
				...options.flatMap((option) =>
					'values' in option ? fieldLines(option.values, at, `${name}.${option.name}.`) : [],
				),
				...(field.modes ?? []).map((mode) => `${at}: ${name} can be in mode ${mode.name}`),
			];
		});
	});
}

/** All combinations of the selectors' values that show a field. @param {Field} field */
function placesOf({ displayOptions }) {
	/** @type {unknown[][]} */
	let places = [[]];
	for (const selector of SELECTORS) {
		const values = displayOptions?.show?.[selector];
		if (values) places = places.flatMap((place) => values.map((value) => [...place, value]));
	}
	return places;
}

/** @returns {string[]} */
const recorded = () => (existsSync(RECORD) ? readFileSync(RECORD, 'utf8').trimEnd().split('\n') : []);

/** The lines that a list does not have; more columns may follow those of a line. @param {string[]} list @param {string[]} lines */
const missingIn = (list, lines) =>
	lines.filter((line) => !list.some((one) => one === line || one.startsWith(`${line}, `)));

function record() {
	setUp('--build');
	const before = recorded();
	const added = missingIn(before, publicInterface(ROOT));
	writeFileSync(RECORD, `${[...before, ...added].sort().join('\n')}\n`);
	console.log(added.length === 0 ? 'Nothing is new.' : `Added to the record:\n${added.join('\n')}`);
}

if (require.main === module) record();

module.exports = { missingIn, publicInterface, recorded };
