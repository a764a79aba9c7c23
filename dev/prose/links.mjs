/**
 * Link check of all pages, without the internet: each relative link leads to a file, each anchor to a heading.
 *
 * One run of linkinator per page: in a run over several pages it skips the anchors of the pages in the list.
 */
import { readdirSync } from 'node:fs';
import { LinkChecker } from 'linkinator';

const EXTERNAL = ['^https?://(?!localhost)', 'security/advisories'];

const pages = ['', 'docs/', 'dev/bench/'].flatMap((folder) =>
	readdirSync(folder || '.').flatMap((name) => (name.endsWith('.md') ? [folder + name] : [])),
);

/** @param {string} page @returns {Promise<string[]>} the broken links, each with its page */
async function brokenLinksOf(page) {
	const { links } = await new LinkChecker().check({
		path: page,
		serverRoot: process.cwd(),
		markdown: true,
		checkFragments: true,
		linksToSkip: EXTERNAL,
	});
	if (links.length < 1) throw new Error(`${page} was not read`);
	return links.filter(({ state }) => state === 'BROKEN').map(({ url }) => `${page}: ${url}`);
}

void Promise.all(pages.map(brokenLinksOf)).then((found) => {
	const broken = new Set(found.flat());
	for (const link of broken) console.error(`Broken link in ${link}`);
	process.exitCode = broken.size > 0 ? 1 : 0;
});
