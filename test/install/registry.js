/**
 * npm's registry is the one thing that is played in these tests, because the package is not published yet: this one has
 * copies of the package under test and nothing else. npm itself is the real one, told where the registry is.
 */
const { execFileSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { once } = require('node:events');
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { basename, join } = require('node:path');
const { PACKAGE: NAME } = require('../../dev/host/workflow');
const { packPackage, unpack } = require('../../dev/host/installPackage');

/**
 * The package under test, packed as if it were this version.
 * @param {string} folder
 * @param {string} version
 */
async function packAs(folder, version) {
	const content = join(folder, version, 'package');
	await unpack(await packPackage(), content);
	const file = join(content, 'package.json');
	const manifest = { ...JSON.parse(readFileSync(file, 'utf8')), version };
	writeFileSync(file, JSON.stringify(manifest, null, 2));
	const tarball = join(folder, `${NAME}-${version}.tgz`);
	execFileSync('tar', ['-czf', tarball, '-C', join(folder, version), 'package']);
	return { manifest, tarball };
}

/** @param {string} folder for tarballs and for the `npm` that uses this registry */
async function startRegistry(folder) {
	/** @type {Record<string, object>} */
	const versions = {};
	let latest = '';

	const server = createServer(({ url = '' }, response) => {
		if (url === `/${NAME}`) {
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify({ name: NAME, 'dist-tags': { latest }, versions }));
		} else if (url.endsWith('.tgz')) response.end(readFileSync(join(folder, basename(url))));
		else response.writeHead(404).end('{}');
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
	const address = `http://127.0.0.1:${port}`;

	// An argument, because n8n gives npm a registry as an argument, too; the last one counts.
	const bin = join(folder, 'bin');
	mkdirSync(bin, { recursive: true });
	const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
	writeFileSync(join(bin, 'npm'), `#!/bin/sh\nexec '${npm}' "$@" --registry=${address}\n`, { mode: 0o755 });

	return {
		/** Put first on a PATH, `npm` there is npm with this registry. */
		bin,
		/** @param {string} version which `latest` then means */
		publish: async (version) => {
			const { manifest, tarball } = await packAs(folder, version);
			const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
			versions[version] = { ...manifest, dist: { tarball: `${address}/${basename(tarball)}`, integrity } };
			latest = version;
			return integrity;
		},
		close: () => server.close(),
	};
}

module.exports = { NAME, startRegistry };
