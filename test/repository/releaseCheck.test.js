/**
 * What `npm run release:check` says before it runs the tests: each check passes what is right and names what is not.
 */
const { addressProblem, recordProblem, versionProblem } = require('../../dev/scripts/releaseCheck');

describe('version, changelog and tag', () => {
	const changelog = '# Changelog\n\nIn plain words.\n\n## 1.2.0 (2026-12-01)\n\n- New.\n\n## 1.1.0 (2026-11-01)\n';

	it.each([
		['before the tag', '1.2.0', changelog, ['']],
		['with it', '1.2.0', changelog, ['v1.2.0', 'nightly']],
	])('agree: %s', (_, version, text, tags) => expect(versionProblem(version, text, tags)).toBeFalsy());

	it.each([
		['no semantic version', '1.2', changelog, [''], 'semantic version'],
		['changelog of another version', '1.3.0', changelog, [''], '"1.2.0 (2026-12-01)". Make it "1.3.0 (YYYY-MM-DD)"'],
		['no day', '1.2.0', changelog.replace('2026-12-01', 'not released yet'), [''], 'Make it "1.2.0 (YYYY-MM-DD)"'],
		['no such day', '1.2.0', changelog.replace('2026-12-01', '2026-13-01'), [''], 'Make it "1.2.0 (YYYY-MM-DD)"'],
		['no changelog', '1.2.0', '', [''], 'Make it "1.2.0 (YYYY-MM-DD)"'],
		['another tag', '1.2.0', changelog, ['v1.1.0'], 'tagged v1.1.0, but package.json says 1.2.0'],
	])('do not: %s', (_, version, text, tags, said) => expect(versionProblem(version, text, tags)).toContain(said));
});

describe('addresses', () => {
	const manifest = {
		name: 'our-nodes',
		author: { email: 'people@company.io' },
		repository: { url: 'git+https://github.com/owner/our-nodes.git' },
	};
	const origin = 'git@github.com:owner/our-nodes.git';
	const texts = {
		'README.md':
			'See https://github.com/owner/our-nodes#readme and https://github.com/others/work, e.g. https://api.example.com',
	};

	it.each([origin, 'https://github.com/owner/our-nodes', 'https://github.com/owner/our-nodes.git'])(
		'are real in a clone of %s',
		(from) => expect(addressProblem(manifest, from, texts)).toBeUndefined(),
	);

	it.each([
		['an e-mail on a reserved name', { ...manifest, author: { email: 'a@b.example' } }, origin, texts, "Set 'author'"],
		['one of example.com', { ...manifest, author: { email: 'a@example.com' } }, origin, texts, "Set 'author'"],
		[
			'a clone of another repository',
			manifest,
			'https://github.com/fork/our-nodes',
			texts,
			'comes from https://github.com/fork/our-nodes',
		],
		['a clone of nothing', manifest, '', texts, 'comes from nowhere'],
		[
			'no repository on GitHub',
			{ ...manifest, repository: { url: 'https://git.example/x' } },
			'https://git.example/x',
			texts,
			"'repository'",
		],
		[
			'a link to where it was',
			manifest,
			origin,
			{ 'a.md': 'https://github.com/old/our-nodes#readme' },
			'a.md links to https://github.com/old/our-nodes.',
		],
	])('are not: %s', (_, given, from, pages, said) => expect(addressProblem(given, from, pages)).toContain(said));
});

it('asks to record what is new', () => {
	expect(recordProblem([])).toBeFalsy();
	expect(recordProblem(['node x has version 2'])).toMatch(/npm run interface:record[^]*node x has version 2/);
});
