/**
 * Paths of the repository and of the cache, for tools and tests. No other file derives a path from its own place, so moving a
 * file changes only its imports.
 */
const path = require('node:path');

const ROOT = path.join(__dirname, '..');
/** Logs, locks, stamps, packed tarballs, pictures of the last test: git ignores it, and it may be deleted at any time. */
const CACHE = path.join(ROOT, '.cache');

module.exports = { CACHE, ROOT };
