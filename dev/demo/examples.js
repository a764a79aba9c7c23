/**
 * Workflows of examples/ for the demo: with the sandbox's credential, and with the steps disabled that need an account of another
 * service. Their names must be readable before anything is installed.
 */
const { readdirSync, readFileSync } = require('node:fs');
const { basename, join } = require('node:path');
const { ROOT } = require('../paths');

const FOLDER = join(ROOT, 'examples');
const OUR_NODES = 'n8n-nodes-health-data-service.';

/** What an example needs that the demo does not have. It can be looked at, with all its steps. @type {Record<string, string>} */
const NEEDS = {
	'ai-coach': 'a model: choose your own credential in "OpenAI Chat Model", then click "Open chat"',
	'backfill-and-follow':
		'PostgreSQL, and a later "Start Date" in "History": the sandbox has more than one run can hand on',
	'mcp-server': 'an AI assistant: the notes on its canvas say how',
	'new-reading-alert':
		'a new reading at or above 180/110 or at or below 90/50: click "Fetch Test Event" in its trigger, which shows the latest',
	'nightly-plan': 'PostgreSQL, and "Nightly read: shards" beside it: the notes on its canvas say how',
	'nightly-shards': 'PostgreSQL, and what "Nightly read: plan" has planned',
};

/** @typedef {import('n8n-workflow').INode} INode */
/** @typedef {import('n8n-workflow').INodeTypeDescription} Description */
/** @typedef {{ name: string, nodes: INode[], connections: import('n8n-workflow').IConnections, settings: object }} Workflow */

/** The names that `--example` takes. */
const exampleNames = () =>
	readdirSync(FOLDER)
		.map((file) => basename(file, '.json'))
		.sort();

/** @param {string} name @returns {Workflow} */
const readExample = (name) => JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'));

/**
 * @param {string} name
 * @param {Description[]} types node types of this n8n
 * @param {Record<string, { id: string, name: string }>} credentials those of our nodes
 */
function exampleForDemo(name, types, credentials) {
	const workflow = readExample(name);
	const off = NEEDS[name] ? [] : switchedOff(workflow, types);
	const nodes = workflow.nodes.map((node) => ({
		...node,
		...(node.type.startsWith(OUR_NODES) && { credentials }),
		...(off.includes(node.name) && { disabled: true }),
	}));
	return { ...workflow, nodes };
}

/** @param {Pick<Workflow, 'nodes'>} workflow @param {Description[]} types @returns {string[]} names */
function switchedOff({ nodes }, types) {
	const { credentialTypes } = require('../host/nodeTypes');
	return nodes
		.filter((node) => !node.type.startsWith(OUR_NODES) && credentialTypes(types, node).length > 0)
		.map(({ name }) => name);
}

module.exports = { NEEDS, OUR_NODES, exampleForDemo, exampleNames };
