/**
 * Pages for users: their length, the index of all pages, and the pictures of docs/images: each on one page,
 * with a description, and small.
 */
const { readdirSync, statSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { PAGES, sectionInPages, textOf } = require('../helpers/pages');

const images = join(ROOT, 'docs', 'images');

/** @param {string} page */
const linesOf = (page) => textOf(page).trimEnd().split('\n').length;

/** @param {string} page */
const wordsOf = (page) => textOf(page).trim().split(/\s+/).length;

it('README.md has at most 110 lines and 1,400 words', () => {
	expect(linesOf('README.md')).toBeLessThanOrEqual(110);
	expect(wordsOf('README.md')).toBeLessThanOrEqual(1400);
});

it('docs/ has at most 1,130 lines and 18,000 words, its page on the trigger at most 70 lines', () => {
	const docs = PAGES.filter((page) => page !== 'README.md');
	expect(docs.reduce((sum, page) => sum + linesOf(page), 0)).toBeLessThanOrEqual(1130);
	expect(docs.reduce((sum, page) => sum + wordsOf(page), 0)).toBeLessThanOrEqual(18_000);
	expect(linesOf('docs/trigger.md')).toBeLessThanOrEqual(70);
});

it('the index names every page, each once', () => {
	const named = [...textOf('docs/README.md').matchAll(/\]\(([\w./-]+\.md)\)/g)].map(([, link]) => join('docs', link));
	expect(named.filter((page) => PAGES.includes(page)).sort()).toEqual(
		PAGES.filter((page) => page !== 'docs/README.md').sort(),
	);
});

it('the table of examples has each example once', () => {
	const named = [...sectionInPages('examples').matchAll(/\]\(\.\.\/examples\/([\w-]+\.json)\)/g)].map(
		([, name]) => name,
	);
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
