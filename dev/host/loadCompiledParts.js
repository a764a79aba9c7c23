/**
 * Check of the compiled parts that n8n cannot start without, run by Node 24 after an installation: loads them. After an
 * interrupted compilation, a part throws here, though pnpm takes it for complete.
 */
const fs = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { N8N_BIN, N8N_HOME } = require('./hostPaths');

createRequire(fs.realpathSync(N8N_BIN))('sqlite3');

// Not a dependency of n8n itself but of a package below it: pnpm links those in one common folder.
const below = path.join(N8N_HOME, 'node_modules', '.pnpm', 'node_modules');
// Older versions of n8n evaluate expressions without it.
if (fs.existsSync(path.join(below, 'isolated-vm'))) {
	const { Isolate } = createRequire(path.join(below, 'any.js'))('isolated-vm');
	new Isolate().dispose();
}
