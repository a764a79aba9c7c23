/** Import of the examples into a running n8n, beside a running sandbox, and the run of one. */
const { CREDENTIAL_TYPE } = require('../host/workflow');
const { exampleForDemo, exampleNames, OUR_NODES } = require('./examples');

const CREDENTIAL_NAME = 'Sandbox';

/** @typedef {import('../host/rest').Rest} Rest a client of dev/host/n8n.js */
/** @typedef {import('n8n-workflow').IDataObject} Row */
/** @typedef {{ name: string, rows: Row[] }} Step */
/** @typedef {import('./examples').Workflow & { id: string }} Stored */
/** @typedef {{ failure?: string, read: Step[], withheld: Step[] }} Result the items of our nodes, and those that reached the disabled steps */

/** Creates the sandbox's credential, or points the one of an earlier run to this sandbox. Gives its id. @param {Rest} rest @param {{ baseUrl: string, apiKey: string }} service @returns {Promise<string>} */
async function putCredential(rest, service) {
	const credential = { name: CREDENTIAL_NAME, type: CREDENTIAL_TYPE, data: service };
	const known = (await rest.get('/rest/credentials')).find(
		(/** @type {{ name: string, type: string }} */ { name, type }) =>
			name === CREDENTIAL_NAME && type === CREDENTIAL_TYPE,
	);
	if (!known) return await rest.createCredential(credential);
	await rest.patch(`/rest/credentials/${known.id}`, credential);
	return known.id;
}

/**
 * Imports all examples and replaces those of an earlier run.
 * @param {Rest} rest
 * @param {{ baseUrl: string, apiKey: string }} service
 * @returns {Promise<Record<string, Stored>>} by their names in examples/
 */
async function putExamples(rest, service) {
	const credentials = { [CREDENTIAL_TYPE]: { id: await putCredential(rest, service), name: CREDENTIAL_NAME } };
	const types = await rest.get('/types/nodes.json');
	/** @type {Array<{ id: string, name: string }>} */
	const earlier = await rest.get('/rest/workflows');
	/** @type {Record<string, Stored>} */
	const stored = {};
	for (const name of exampleNames()) {
		const workflow = exampleForDemo(name, types, credentials);
		for (const { id } of earlier.filter((one) => one.name === workflow.name)) {
			await rest.post(`/rest/workflows/${id}/archive`);
			await rest.delete(`/rest/workflows/${id}`);
		}
		stored[name] = await rest.importWorkflow(workflow);
	}
	return stored;
}

/** @param {Rest} rest @param {Stored} workflow @returns {Promise<Result>} */
async function runExample(rest, { id, nodes }) {
	const { status, error, runData } = await rest.runWorkflow(id);
	/** @param {(node: import('n8n-workflow').INode) => boolean | undefined} which @returns {Step[]} those that were reached */
	const steps = (which) =>
		nodes
			.filter((node) => which(node) && node.name in runData)
			.map(({ name }) => ({
				name,
				rows: runData[name].flatMap((run) => run.data?.main?.[0] ?? []).map(({ json }) => json),
			}));
	return {
		...(status !== 'success' && { failure: error?.message ?? `it ended with "${status}"` }),
		read: steps(({ type }) => type.startsWith(OUR_NODES)),
		withheld: steps(({ disabled }) => disabled),
	};
}

module.exports = { putExamples, runExample };
