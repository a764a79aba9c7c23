/**
 * Ends the process, with a sentence, when Node is too old. Required before anything else, and written so that an old Node
 * can read it: it would stumble over the rest with an error that explains nothing.
 */
var OLDEST_NODE = [20, 19];

/** @param {string} running @returns {string | undefined} what to tell the reader of the terminal */
function tooOld(running) {
	var parts = running.split('.').map(Number);
	var isOld = parts[0] < OLDEST_NODE[0] || (parts[0] === OLDEST_NODE[0] && parts[1] < OLDEST_NODE[1]);
	if (!isOld) return undefined;
	return (
		'This needs Node ' + OLDEST_NODE.join('.') + ' or newer; here runs ' + running + ' (' + process.execPath + ').'
	);
}

var problem = tooOld(process.versions.node);
if (problem) {
	console.error(problem);
	process.exit(1);
}

module.exports = { tooOld: tooOld };
