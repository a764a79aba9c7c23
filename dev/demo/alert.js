/**
 * Puts the example "High blood pressure alert" into a running n8n, against a running sandbox, and runs it once.
 * Used by `npm run demo`; test/e2e/examples/examples.test.ts runs all examples.
 */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../paths');

const EXAMPLE = join(ROOT, 'examples', 'high-blood-pressure-alert.json');
const OUR_NODES = 'n8n-nodes-health-data-service.';
const CREDENTIAL_TYPE = 'healthDataServiceApi';
const CREDENTIAL_NAME = 'Sandbox';
const MANUAL_TRIGGER = 'When clicking Execute workflow';

/** @typedef {import('../host/rest').Rest} Rest a client of dev/host/n8n.js */
/** @typedef {{ baseUrl: string, apiKey: string }} Service */
/** @typedef {{ name: string, nodes: Array<{ name: string, type: string, credentials?: object, disabled?: boolean }> }} Workflow */
/** @typedef {{ systolic: number, diastolic: number, timestamp: string, text: string }} Message */
/** @typedef {{ workflow: { id: string }, messages: Message[], users: number, readings: number }} AlertResult */

/** Creates the sandbox's credential, or points the one of an earlier run to this sandbox. Gives its id. @param {Rest} rest @param {Service} service @returns {Promise<string>} */
async function putCredential(rest, { baseUrl, apiKey }) {
	const credential = { name: CREDENTIAL_NAME, type: CREDENTIAL_TYPE, data: { baseUrl, apiKey } };
	const known = (await rest.get('/rest/credentials')).find(
		(/** @type {{ name: string, type: string }} */ { name, type }) =>
			name === CREDENTIAL_NAME && type === CREDENTIAL_TYPE,
	);
	if (!known) return await rest.createCredential(credential);
	await rest.patch(`/rest/credentials/${known.id}`, credential);
	return known.id;
}

/** The example as it is in the repository, but with the sandbox's credential and with Slack switched off. @param {string} credentialId @returns {Workflow} */
function exampleWorkflow(credentialId) {
	const workflow = JSON.parse(readFileSync(EXAMPLE, 'utf8'));
	for (const node of workflow.nodes) {
		if (node.type.startsWith(OUR_NODES))
			node.credentials = { [CREDENTIAL_TYPE]: { id: credentialId, name: CREDENTIAL_NAME } };
		if (node.name === 'Slack') node.disabled = true;
	}
	return workflow;
}

/** Imports the example; one of an earlier run is replaced. Gives the stored workflow. @param {Rest} rest @param {Workflow} workflow @returns {Promise<{ id: string }>} */
async function putWorkflow(rest, workflow) {
	const earlier = (await rest.get('/rest/workflows')).filter(
		(/** @type {Workflow} */ { name }) => name === workflow.name,
	);
	for (const { id } of earlier) {
		await rest.post(`/rest/workflows/${id}/archive`);
		await rest.delete(`/rest/workflows/${id}`);
	}
	return await rest.importWorkflow(workflow);
}

/**
 * @param {Rest} rest
 * @param {Service} service
 * @returns {Promise<AlertResult>} what the last step before Slack gave
 */
async function runAlert(rest, service) {
	const workflow = await putWorkflow(rest, exampleWorkflow(await putCredential(rest, service)));
	const { status, error, runData } = await rest.runWorkflow(workflow.id, MANUAL_TRIGGER);
	if (status !== 'success')
		throw new Error(`The workflow ended with "${status}": ${error?.message ?? 'no reason given'}`);

	/** @param {string} name @returns {Array<{ json: Message }>} */
	const itemsOf = (name) => runData[name]?.[0]?.data?.main?.[0] ?? [];
	return {
		workflow,
		users: itemsOf('Users').length,
		readings: itemsOf('Blood Pressure').length,
		messages: itemsOf('Message').map(({ json }) => json),
	};
}

module.exports = { runAlert };
