// Plain JavaScript: the strict lint forbids `node:fs` in TypeScript files.
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

exports.emptyFolder = () => mkdtempSync(join(tmpdir(), 'health-data-service-e2e-'));
exports.removeFolder = (folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
