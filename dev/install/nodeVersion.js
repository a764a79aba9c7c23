/** Check of Node's version, required before anything else: an old Node fails at the other files with an unclear error. */
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
	console.error(`This needs Node 20.19 or newer; here runs ${process.version} (${process.execPath}).`);
	process.exit(1);
}

module.exports = {};
