/** Code nodes of the examples, run without n8n: the code gets the items of other nodes, and n8n's globals. */
const { createContext, Script } = require('node:vm');
const { DateTime } = require('luxon');
const { readExample } = require('../e2e/examples/files');

/**
 * @param {string} file of examples/
 * @param {string} name of the Code node
 * @param {Record<string, object[]>} output rows of each node that has run
 * @param {string} zone of the workflow
 * @returns {any[]} items
 */
exports.runCodeNode = (file, name, output, zone) => {
	const { jsCode } = readExample(file).nodes.find(
		(/** @type {{ name: string }} */ node) => node.name === name,
	).parameters;
	const $ = (/** @type {string} */ node) => {
		const items = (output[node] ?? []).map((json) => ({ json }));
		return { isExecuted: node in output, all: () => items, first: () => items[0] };
	};
	const context = createContext({ $, $now: DateTime.now().setZone(zone), DateTime, Buffer });
	return new Script(`(() => {${jsCode}\n})()`).runInContext(context);
};
