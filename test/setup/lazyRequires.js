/**
 * Transform of n8n's compiled packages: each `require` at the top of a file runs where its result is first used. n8n-core reads 2,000
 * files when it is loaded, of which a test needs about 400, and jest loads it again for each test file.
 */
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');

/** As TypeScript compiles an import. */
const IMPORT = /^const (\w+) = ((?:__import(?:Default|Star)\()?require\("[^"]+"\)\)?);$/gm;

/** @param {string} source @param {string} name */
const uses = (source, name) => source.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;

/** @param {string} source */
function withLazyRequires(source) {
	let code = source;
	for (const [statement, name, load] of source.matchAll(IMPORT)) {
		const member = new RegExp(`(?<![\\w.$])${name}\\.`, 'g');
		// A module that is handed on as a whole stays as it is: the other use is the declaration.
		if (uses(source, name) !== (source.match(member)?.length ?? 0) + 1) continue;
		code = code.replace(statement, () => `let ${name}_loaded; const ${name} = () => (${name}_loaded ??= ${load});`);
		code = code.replace(member, `(${name}()).`);
	}
	return code;
}

const VERSION = readFileSync(__filename);

/** @type {import('@jest/transform').SyncTransformer} */
module.exports = {
	process: (source) => ({ code: withLazyRequires(source) }),
	getCacheKey: (source) => createHash('sha256').update(source).update(VERSION).digest('hex').slice(0, 32),
};
