/**
 * fast-check for the property tests, from one seed: what passed once passes everywhere. To look further: PROPERTIES_SEED=7 npm run test:unit.
 */
const { default: fc } = require('fast-check');

const { PROPERTIES_SEED = '2026' } = process.env;

fc.configureGlobal({ seed: Number(PROPERTIES_SEED) });

module.exports = { fc };
