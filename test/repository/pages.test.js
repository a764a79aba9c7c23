/**
 * The pages for users: README.md short enough to be read, every page in the index once, and the pictures of docs/images
 * (`npm run images`) each on one page, with words for who cannot see it, and small.
 */
const { readdirSync, statSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { PAGES, sectionInPages, textOf } = require('../helpers/pages');

const images = join(ROOT, 'docs', 'images');

it('README.md has at most 240 lines', () => {
	expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(240);
});

it('the index names every page, each once', () => {
	const named = [...textOf('docs/README.md').matchAll(/\]\(([\w./-]+\.md)\)/g)].map(([, link]) => join('docs', link));
	expect(named.filter((page) => PAGES.includes(page)).sort()).toEqual(
		PAGES.filter((page) => page !== 'docs/README.md').sort(),
	);
});

it('README.md names every example, each once', () => {
	const named = [...sectionInPages('examples').matchAll(/\]\(examples\/([\w-]+\.json)\)/g)].map(([, name]) => name);
	expect(named.sort()).toEqual(readdirSync(join(ROOT, 'examples')).sort());
});

it('the pages show every picture, each once, and no other', () => {
	const shown = PAGES.flatMap((page) =>
		[...textOf(page).matchAll(/!\[[^\]]{10,}\]\((?:docs\/)?images\/([^)]+)\)/g)].map(([, name]) => name),
	);
	expect(shown.sort()).toEqual(readdirSync(images).sort());
});

it.each(readdirSync(images))('%s is below 60 kB', (name) => {
	expect(statSync(join(images, name)).size).toBeLessThan(60_000);
});
