/** File headers: every file of code begins with a comment that says what is in it. */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { repositoryFiles } = require('../helpers/repositoryFiles');

/** n8n's strict mode allows not a word more in it. */
const AS_N8N_HAS_IT = 'eslint.config.mjs';
const code = repositoryFiles().filter((file) => /\.(ts|js|mjs)$/.test(file) && file !== AS_N8N_HAS_IT);

it('is there', () => {
	expect(code.length).toBeGreaterThan(100);
	expect(code.filter((file) => !readFileSync(join(ROOT, file), 'utf8').startsWith('/**'))).toEqual([]);
});
