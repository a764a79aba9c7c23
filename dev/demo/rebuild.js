/** Rebuild of the package inside a running n8n: each change below nodes/ or credentials/ is in the editor after a few seconds. */
const { join } = require('node:path');
const ts = require('typescript');

/** With this, n8n loads a package again when a file of it has changed, and tells the open editors. */
const RELOADS = { N8N_DEV_RELOAD: 'true' };

/**
 * Prints what TypeScript finds, as `tsc --watch` does.
 * @param {string} sources folder with tsconfig.json
 * @param {string} installed folder of the installed package
 * @returns {() => void} ends it
 */
function rebuildOnChange(sources, installed) {
	const options = { outDir: join(installed, 'dist'), preserveWatchOutput: true };
	const host = ts.createWatchCompilerHost(join(sources, 'tsconfig.json'), options, ts.sys);
	const watch = ts.createWatchProgram(host);
	return () => watch.close();
}

module.exports = { RELOADS, rebuildOnChange };
