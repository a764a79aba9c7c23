/**
 * Puts the pictures that the test of the editor took last into docs/images: `npm run images` does both.
 */
const fs = require('node:fs');
const path = require('node:path');
const { ROOT } = require('../paths');
const { PICTURES } = require('../../test/helpers/folder');

const IMAGES = path.join(ROOT, 'docs', 'images');

fs.rmSync(IMAGES, { recursive: true, force: true });
fs.cpSync(PICTURES, IMAGES, { recursive: true });
for (const name of fs.readdirSync(IMAGES)) {
	console.log(`docs/images/${name}  ${Math.ceil(fs.statSync(path.join(IMAGES, name)).size / 1024)} kB`);
}
