/**
 * `npm run images`: runs the tests that take pictures, of the editor and of a mail, and copies these to docs/images.
 */
const { readSwitches } = require('../install/switches');

readSwitches({
	name: 'images',
	about:
		'The tests that take pictures, of the editor and of a mail. The pictures go into docs/images, in the place of all that are there.',
});
const fs = require('node:fs');
const path = require('node:path');
const { ROOT } = require('../paths');
const { PICTURES } = require('../../test/helpers/folder');
const { setUp } = require('../install/setUp');
const { TOOLS, runTool } = require('./tool');

const IMAGES = path.join(ROOT, 'docs', 'images');

setUp('host', 'browser');
fs.rmSync(PICTURES, { recursive: true, force: true });
const status = runTool([...TOOLS['test:e2e'].commands[0], 'test/e2e/editor.test', 'test/e2e/examples/careTeam.test']);
if (status !== 0) process.exit(status);

fs.rmSync(IMAGES, { recursive: true, force: true });
fs.cpSync(PICTURES, IMAGES, { recursive: true });
for (const name of fs.readdirSync(IMAGES)) {
	console.log(`docs/images/${name}  ${Math.ceil(fs.statSync(path.join(IMAGES, name)).size / 1024)} kB`);
}
