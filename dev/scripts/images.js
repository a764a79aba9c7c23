/**
 * Runs the tests that take pictures, of the editor and of a mail, and copies these to docs/images.
 */
const { readSwitches } = require('../install/switches');

readSwitches({
	name: 'node dev/scripts/images.js',
	about:
		'The tests that take pictures, of the editor and of a mail. The pictures go into docs/images, in the place of all that are there.',
});
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { ROOT } = require('../paths');
const { PICTURES } = require('../../test/helpers/folder');
const { setUp } = require('../install/setUp');

const IMAGES = path.join(ROOT, 'docs', 'images');

setUp();
fs.rmSync(PICTURES, { recursive: true, force: true });
const jest = path.join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
const tests = ['test/e2e/editor.test', 'test/e2e/examples/careTeam.test'];
const command = [jest, '--config', 'test/jest.e2e.config.js', ...tests];
const { status } = spawnSync(process.execPath, command, { cwd: ROOT, stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

fs.rmSync(IMAGES, { recursive: true, force: true });
fs.cpSync(PICTURES, IMAGES, { recursive: true });
for (const name of fs.readdirSync(IMAGES)) {
	console.log(`docs/images/${name}  ${Math.ceil(fs.statSync(path.join(IMAGES, name)).size / 1024)} kB`);
}
