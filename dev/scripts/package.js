/**
 * `npm run package`: packs the file that n8n loads, exactly as it would be published, into the folder of this project.
 */
const { readSwitches } = require('../install/switches');
readSwitches({ name: 'npm run package', about: 'Makes the file that n8n loads, exactly as it would be published.' });

const { copyFileSync } = require('node:fs');
const { basename, join } = require('node:path');
const { packPackage } = require('../host/installPackage');
const { runAsScript } = require('../install/command');
const { setUp } = require('../install/setUp');
const { ROOT } = require('../paths');

async function main() {
	setUp('build');
	const packed = await packPackage();
	const name = basename(packed);
	// The file in the cache stays: other commands may be about to install it.
	copyFileSync(packed, join(ROOT, name));
	console.log(`${name} is the package. docs/install.md says where n8n looks for it.`);
}

void runAsScript(main);
