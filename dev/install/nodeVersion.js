/**
 * Check of Node's version: prints a message and exits when it is too old. Required before anything else, in syntax that an old
 * Node can parse; on the other files it would fail with an unclear syntax error.
 */
var OLDEST_NODE = [20, 19];

/** @param {string} running @returns {string | undefined} the message to print */
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
