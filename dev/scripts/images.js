/**
 * `npm run images`: runs the test of the editor and copies its screenshots to docs/images.
 */
const { readSwitches } = require('../install/switches');

readSwitches({
	name: 'images',
	about:
		'The browser test again; the pictures it takes of the editor go into docs/images, in the place of all that are there.',
});
const fs = require('node:fs');
const path = require('node:path');
const { ROOT } = require('../paths');
const { PICTURES } = require('../../test/helpers/folder');
const { setUp } = require('../install/setUp');
const { TOOLS, runTool } = require('./tool');

const IMAGES = path.join(ROOT, 'docs', 'images');

setUp('host', 'browser');
const status = runTool([...TOOLS['test:e2e'].commands[0], 'test/e2e/editor.test']);
if (status !== 0) process.exit(status);

fs.rmSync(IMAGES, { recursive: true, force: true });
fs.cpSync(PICTURES, IMAGES, { recursive: true });
for (const name of fs.readdirSync(IMAGES)) {
	console.log(`docs/images/${name}  ${Math.ceil(fs.statSync(path.join(IMAGES, name)).size / 1024)} kB`);
}
