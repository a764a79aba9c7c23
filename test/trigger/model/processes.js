/**
 * Processes of n8n: the node's modules, loaded once for each, so that what a process keeps in memory is gone with it.
 *
 * @typedef {() => import('n8n-workflow').INodeType} Create
 */

/** More kills than that in a history, and the oldest process comes back, with what it remembers of then. */
const PROCESSES = 4;

/** For a fault, a second attempt shows as much as a seventh. */
const QUICK = { maxAttempts: 2, baseDelayMs: 100, maxDelayMs: 100 };

const OURS = /[\\/](nodes|credentials)[\\/]/;

/** @param {Partial<typeof QUICK>} limits @returns {Create} */
function newProcess(limits) {
	for (const file of Object.keys(require.cache))
		if (OURS.test(file) && !file.includes('node_modules')) delete require.cache[file];
	const { RETRY_LIMITS } = require('../../../nodes/HealthDataService/http/retry');
	const { HealthDataServiceTrigger } = require('../../../nodes/HealthDataService/HealthDataServiceTrigger.node.ts');
	Object.assign(RETRY_LIMITS, limits);
	return () => new HealthDataServiceTrigger();
}

module.exports = {
	processes: Array.from({ length: PROCESSES }, () => newProcess(QUICK)),
	/** With the limits of the node, and never killed. */
	patientProcess: newProcess({}),
};
