/** n8n's settings for the tests: n8n-core reads them from this folder and these variables when it is first loaded. */
const { existsSync, mkdirSync, renameSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { CACHE } = require('../../dev/paths');

const encryptionKey = 'for-tests-only';
const folder = join(CACHE, 'n8n-of-tests');
const settings = join(folder, '.n8n', 'config');
// n8n would write it by itself, but not in one step: of two tests that begin together one would read half of it.
if (!existsSync(settings)) {
	mkdirSync(dirname(settings), { recursive: true });
	writeFileSync(`${settings}-${process.pid}`, JSON.stringify({ encryptionKey }), { mode: 0o600 });
	renameSync(`${settings}-${process.pid}`, settings);
}

process.env.N8N_USER_FOLDER = folder;
process.env.N8N_ENCRYPTION_KEY = encryptionKey;
process.env.N8N_LOG_LEVEL = 'silent';
