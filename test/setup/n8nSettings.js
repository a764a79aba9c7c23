/**
 * n8n's settings for the tests: n8n-core reads them from this folder and these variables when it is first loaded.
 */
const { mkdtempSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

process.env.N8N_USER_FOLDER = mkdtempSync(join(tmpdir(), 'health-data-service-test-'));
process.env.N8N_ENCRYPTION_KEY = 'for-tests-only';
process.env.N8N_LOG_LEVEL = 'silent';
