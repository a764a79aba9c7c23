/**
 * Offline run of n8n's verification scanner: the two lint runs of `npx @n8n/scan-community-package <name>`, one over the
 * sources and one over what would be published. The rest of the scanner (provenance, download) needs a published package.
 */
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { packPackage, unpack } = require('../host/installPackage');
const { runAsScript } = require('../install/command');
const { installWithNpm } = require('../install/npm');
const { once } = require('../install/once');
const { setUp } = require('../install/setUp');
const { remove, temporaryFolder } = require('../install/temporary');
const { ROOT } = require('../paths');

const SCANNER = path.join(ROOT, 'dev', 'scan');
const STAMP = path.join(SCANNER, 'node_modules', '.installed');
const PUBLISHED_FILES = ['**/*.js', 'package.json'];

async function installScanner() {
	const files = () => ['package.json', 'package-lock.json'].map((file) => path.join(SCANNER, file));
	await once({ name: 'scanner', stamp: STAMP, files }, async () => {
		console.log("Installing n8n's scanner (about 220 MB; 10 to 30 seconds, this once)");
		// Its scripts compile things that linting does not touch.
		await installWithNpm('Installing the scanner', SCANNER, ['--ignore-scripts']);
	});
}

async function scan() {
	await installScanner();
	const script = path.join(SCANNER, 'node_modules', '@n8n', 'scan-community-package', 'scanner', 'scanner.mjs');
	const { analyzePackage, SOURCE_FILE_PATTERNS } = await import(pathToFileURL(script).href);

	// Outside the repository, so that no setting of the repository applies to it.
	const published = temporaryFolder();
	try {
		await unpack(await packPackage(), published);
		for (const [leg, folder, patterns] of [
			['sources', ROOT, SOURCE_FILE_PATTERNS],
			['published package', published, PUBLISHED_FILES],
		]) {
			const result = await analyzePackage(folder, patterns);
			console.log(`${result.passed ? 'PASS' : 'FAIL'}  ${leg} (${patterns.join(', ')})`);
			if (result.passed) continue;
			process.exitCode = 1;
			console.log([result.message, result.details].filter(Boolean).join('\n'));
		}
	} finally {
		remove(published);
	}
}

setUp('--build');
void runAsScript(scan);
