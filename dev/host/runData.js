/**
 * Decoder for the data that n8n stores of an execution. n8n writes it with `flatted` (JSON with references), so it is read with
 * the same `flatted`, from the installation of n8n.
 */
const fs = require('node:fs');
const path = require('node:path');
const { N8N_BIN, N8N_HOME } = require('./hostPaths');

/** @type {undefined | ((text: string) => any)} */
let parse;

function loadParse() {
	// Next to n8n itself, or in the folder where pnpm links the dependencies of n8n's dependencies.
	const places = [fs.realpathSync(N8N_BIN), path.join(N8N_HOME, 'node_modules', '.pnpm')];
	return require(require.resolve('flatted', { paths: places })).parse;
}

/**
 * @param {unknown} data `data` of an execution as REST gives it
 * @returns {any} `{ resultData: { runData, error, … }, … }`
 */
function decodeExecutionData(data) {
	if (typeof data !== 'string') return data;
	parse ??= loadParse();
	return /** @type {(text: string) => any} */ (parse)(data);
}

module.exports = { decodeExecutionData };
