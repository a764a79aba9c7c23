/** Operations on a running n8n for the tests and the demo: credentials, workflows, executions. */
const fs = require('node:fs');
const path = require('node:path');
const { N8N_BIN, N8N_HOME } = require('./hostPaths');
const { RestClient, RestError } = require('./restClient');
const { until } = require('./process/until');

const UNFINISHED = ['new', 'running', 'waiting', 'unknown'];

/** Without a name: the manual trigger, else a node that nothing leads into (notes aside). @param {any} workflow @returns {string} */
function triggerOf(workflow) {
	const targets = new Set(
		Object.values(workflow.connections)
			.flatMap((byType) => Object.values(byType).flat(2))
			.map((connection) => connection?.node),
	);
	const manual = workflow.nodes.find((/** @type {any} */ node) => node.type === 'n8n-nodes-base.manualTrigger');
	return (
		manual ??
		workflow.nodes.find(
			(/** @type {any} */ node) => node.type !== 'n8n-nodes-base.stickyNote' && !targets.has(node.name),
		)
	).name;
}

/** The data of an execution, by n8n's own `flatted`: JSON with references. @param {string} text @returns {any} */
function parse(text) {
	// Next to n8n itself, or in the folder where pnpm links the dependencies of n8n's dependencies.
	const paths = [fs.realpathSync(N8N_BIN), path.join(N8N_HOME, 'node_modules', '.pnpm')];
	return require(require.resolve('flatted', { paths })).parse(text);
}

class Rest extends RestClient {
	/** @param {{ name: string, type: string, data: Record<string, unknown> }} credential @returns {Promise<string>} its id */
	async createCredential({ name, type, data }) {
		return (await this.post('/rest/credentials', { name, type, data })).id;
	}

	/**
	 * Stores a workflow as a new one, whatever its own id. Its manual executions are saved, because `runWorkflow` reads results there.
	 * @param {any} json an exported workflow, or `{ name, nodes, connections }`
	 * @returns {Promise<any>}
	 */
	async importWorkflow(json) {
		const { name = 'Workflow', nodes, connections, settings = {}, pinData, staticData } = json;
		const readable = { ...settings, saveManualExecutions: true };
		return await this.post('/rest/workflows', { name, nodes, connections, settings: readable, pinData, staticData });
	}

	/**
	 * Runs a workflow like the editor's button and waits for its end. A failed node does not make this throw.
	 * @param {string} id
	 * @param {string} [triggerNodeName] needed when there are several triggers
	 * @param {{ everyMs?: number }} [options] how often to ask: each time costs n8n a little
	 * @returns {Promise<{ id: string, status: string, error: any, runData: Record<string, any[]> }>}
	 */
	async runWorkflow(id, triggerNodeName, options = {}) {
		// Older versions of n8n run the workflow in the request, newer ones the stored one.
		const workflowData = await this.get(`/rest/workflows/${id}`);
		const name = triggerNodeName ?? triggerOf(workflowData);
		const { executionId } = await this.post(`/rest/workflows/${id}/run`, {
			workflowData,
			triggerToStartFrom: { name },
		});
		if (!executionId) throw new Error(`Workflow ${id} did not start: "${name}" waits for a call from outside`);
		return await this.finishedExecution(executionId, options);
	}

	/** @param {string} id @param {{ everyMs?: number }} [options] */
	async finishedExecution(id, { everyMs = 50 } = {}) {
		const isFinished = async () => !UNFINISHED.includes((await this.get(`/rest/executions/${id}`)).status);
		await until(`The end of execution ${id}`, isFinished, { everyMs });
		const { status, data } = await this.execution(id);
		return { id, status, error: data?.resultData?.error, runData: data?.resultData?.runData ?? {} };
	}

	/**
	 * The saved executions of a workflow, the latest first, without their data.
	 * @param {string} workflowId
	 * @param {string} [status] only those with it
	 * @returns {Promise<Array<{ id: string, status: string, startedAt: string, stoppedAt: string }>>}
	 */
	async executions(workflowId, status) {
		const filter = encodeURIComponent(JSON.stringify({ workflowId, ...(status && { status: [status] }) }));
		return (await this.get(`/rest/executions?filter=${filter}&limit=100`)).results;
	}

	/** @param {string} id @returns {Promise<any>} the execution, its `data` decoded */
	async execution(id) {
		const execution = await this.get(`/rest/executions/${id}`);
		return { ...execution, data: typeof execution.data === 'string' ? parse(execution.data) : execution.data };
	}

	/**
	 * Activates a workflow and waits until its triggers run: n8n says "active" at once, and also when they fail.
	 * @param {{ id: string, versionId: string }} workflow as `importWorkflow` gave it
	 */
	async activate({ id, versionId }) {
		await this.post(`/rest/workflows/${id}/activate`, { versionId });
		// For a moment n8n still gives the status of before.
		return await this.#settled(id, ['in_progress', 'not_published']);
	}

	/** @param {{ id: string }} workflow */
	async deactivate({ id }) {
		await this.post(`/rest/workflows/${id}/deactivate`);
		return await this.#settled(id, ['in_progress', 'published']);
	}

	/** @param {string} id @param {string[]} unsettled statuses that do not last */
	async #settled(id, unsettled) {
		const settled = async () => {
			const publication = await this.#publication(id);
			return !unsettled.includes(publication.status) && publication;
		};
		return await until(`The triggers of workflow ${id}`, settled);
	}

	/** @param {string} id */
	async #publication(id) {
		try {
			return await this.get(`/rest/workflows/${id}/publication-status`);
		} catch (error) {
			if (!(error instanceof RestError) || error.status !== 404) throw error;
			// Older versions of n8n have no such state: they answer an activation when it is done, or with an error.
			const { active } = await this.get(`/rest/workflows/${id}`);
			return { status: active ? 'published' : 'not_published' };
		}
	}
}

module.exports = { Rest };
