/**
 * Run by Node 24 after an installation: loads the compiled parts that n8n cannot start without. One that was broken off
 * while compiling throws here, while pnpm takes it for complete.
 */
const fs = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { HOST, N8N_BIN } = require('./paths');

createRequire(fs.realpathSync(N8N_BIN))('sqlite3');

// Not a dependency of n8n itself but of a package below it: pnpm links those in one common folder.
const deeper = createRequire(path.join(HOST, 'node_modules', '.pnpm', 'node_modules', 'any.js'));
const { Isolate } = deeper('isolated-vm');
new Isolate().dispose();
