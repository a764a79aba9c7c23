/** Node helpers of the tests. */
const { getEventListeners } = require('node:events');
const { inspect } = require('node:util');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

/**
 * How many listen for the abort of a signal.
 * @param {AbortSignal} signal
 */
exports.listenersOf = (signal) => getEventListeners(signal, 'abort').length;

/** Timers that are running. */
exports.timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

/** Lets everything that is ready run first. */
exports.nextTurn = async () => await new Promise((resolve) => setImmediate(resolve));

/** Unhandled rejections and exceptions, which would end n8n: all from now on, until `stop`. */
exports.watchUnhandled = () => {
	/** @type {unknown[]} */
	const seen = [];
	/** @param {unknown} reason */
	const note = (reason) => void seen.push(reason);
	process.on('unhandledRejection', note);
	return { seen, stop: () => void process.off('unhandledRejection', note) };
};

/** Bytes in use after a thorough collection. */
exports.heapInUse = () => {
	setFlagsFromString('--expose-gc');
	runInNewContext('gc')();
	return process.memoryUsage().heapUsed;
};

/**
 * What n8n's HTTP Request node calls, though it is deprecated for others.
 * @param {import('n8n-workflow').IExecuteFunctions} context
 * @param {string} credential
 * @param {object} request
 */
exports.requestAsHttpRequestNode = async (context, credential, request) =>
	await context.helpers.requestWithAuthentication.call(context, credential, /** @type {any} */ (request), undefined, 0);

/** The log that the contexts of n8n's engine write to. @returns {import('@n8n/backend-common').Logger} */
exports.n8nLogger = () => {
	// The copies of the engine: the linter brings others, of an older n8n.
	const ofEngine = { paths: [require.resolve('n8n-core')] };
	const { Container } = require(require.resolve('@n8n/di', ofEngine));
	const { Logger } = require(require.resolve('@n8n/backend-common', ofEngine));
	return Container.get(Logger);
};

/** All that is reachable from `value`, hidden properties too, as text: for looking for what must not be there. @param {unknown} value */
exports.everythingIn = (value) =>
	inspect(value, { depth: 12, showHidden: true, maxArrayLength: null, maxStringLength: null });
