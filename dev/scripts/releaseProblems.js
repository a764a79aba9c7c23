/**
 * Checks of a release before the file to publish is packed: version, changelog, tag, branch, addresses, record. Each returns
 * undefined when all is well, else the problem and what to do.
 */

/** @param {string} files as `git status --short` gives them */
const uncommittedProblem = (files) =>
	files && `Commit or remove these, so that what is checked is what is tagged:\n${files}`;

/**
 * @param {string} version in package.json
 * @param {string} locked in package-lock.json
 * @param {string} changelog
 */
function versionProblem(version, locked, changelog) {
	if (!/^\d+\.\d+\.\d+$/.test(version))
		return `'version' in package.json is ${version}. Make it a semantic version like 1.2.3.`;
	if (locked !== version)
		return `package-lock.json says ${locked}, package.json ${version}: npm version ${version} --no-git-tag-version --allow-same-version`;
	const [, heading = ''] = /^## (.*)$/m.exec(changelog) ?? [];
	const [, number, date] = /^(\S+) \((\d{4}-\d{2}-\d{2})\)$/.exec(heading) ?? [];
	if (number !== version || Number.isNaN(Date.parse(date))) {
		return `The first heading of CHANGELOG.md is "${heading}". Make it "${version} (YYYY-MM-DD)", with the day of the release.`;
	}
	return undefined;
}

/**
 * @param {string} version
 * @param {string[]} here tags of the commit
 * @param {string[]} all tags of the repository
 */
function tagProblem(version, here, all) {
	const tag = `v${version}`;
	const stray = here.find((one) => /^v\d/.test(one) && one !== tag);
	if (stray) return `This commit is tagged ${stray}, but package.json says ${version}. Set 'version' and tag anew.`;
	if (all.includes(tag) && !here.includes(tag))
		return `${tag} is the tag of another commit. What was released stays: raise 'version'.`;
	return undefined;
}

/** @param {boolean} isOnMain whether origin/main has the commit */
const branchProblem = (isOnMain) =>
	!isOnMain && 'This commit is not on origin/main. Merge it there, push, fetch, and release from there.';

/** Reserved domain names (RFC 2606). */
const RESERVED = /[@.](example|invalid|localhost|test|example\.(com|net|org))$/i;

/**
 * @param {{ name: string, author: { email: string }, repository: { url: string } }} manifest package.json
 * @param {string} origin where this clone comes from, by any protocol
 * @param {Record<string, string>} texts file → text; their links to the repository must match `origin`
 */
function addressProblem({ name, author, repository }, origin, texts) {
	if (RESERVED.test(author.email))
		return `The e-mail ${author.email} is a placeholder. Set 'author' in package.json to the person or company responsible for this package.`;
	const ours = ownerAndName(repository.url);
	if (!ours || ours !== ownerAndName(origin)) {
		return `'repository' in package.json is ${repository.url}, but this clone comes from ${origin || 'nowhere'}. Set it to the public repository, and clone that.`;
	}
	const address = `https://github.com/${ours}`;
	for (const [file, text] of Object.entries(texts)) {
		const other = (text.match(/https:\/\/github\.com\/[\w-]+\/[\w-]+/g) ?? []).find(
			(link) => link.endsWith(`/${name}`) && link !== address,
		);
		if (other) return `${file} links to ${other}. Change that to ${address}.`;
	}
	return undefined;
}

/** @param {string} url */
const ownerAndName = (url) => /github\.com[/:]([\w-]+\/[\w.-]+?)(\.git)?$/.exec(url)?.[1];

/** @param {string[]} missing */
const recordProblem = (missing) =>
	missing.length > 0 &&
	`These are not recorded yet. Released, they can never change: look at them, run \`node dev/scripts/publicInterface.js\`, commit.\n${missing.join('\n')}`;

module.exports = { addressProblem, branchProblem, recordProblem, tagProblem, uncommittedProblem, versionProblem };
