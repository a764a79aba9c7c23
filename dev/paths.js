/**
 * Where the repository lies, and where its tools and tests leave what nobody needs to keep. Nothing else works out a
 * path from where its own file is: a file that moves changes nothing but what requires it.
 */
const path = require('node:path');

const ROOT = path.join(__dirname, '..');
/** Logs, locks, stamps, packed tarballs, pictures of the last test: git ignores it, and it may be deleted at any time. */
const CACHE = path.join(ROOT, '.cache');

module.exports = { CACHE, ROOT };
