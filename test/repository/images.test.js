/**
 * The pictures in docs/images (`npm run images`): each is shown in the README, with words for who cannot see it, and small.
 */
const { readdirSync, readFileSync, statSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');

const images = join(ROOT, 'docs', 'images');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

it('the README shows every picture, and no other', () => {
	const shown = [...readme.matchAll(/!\[[^\]]{10,}\]\(docs\/images\/([^)]+)\)/g)].map(([, name]) => name);
	expect(shown.sort()).toEqual(readdirSync(images).sort());
});

it.each(readdirSync(images))('%s is below 60 kB', (name) => {
	expect(statSync(join(images, name)).size).toBeLessThan(60_000);
});
