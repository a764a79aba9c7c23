/**
 * fast-check for the property tests: from one seed, so that they give the same everywhere, and with 200 values each; CI takes 500.
 * To look further: PROPERTIES_SEED=7 PROPERTIES_RUNS=5000 npm run test:unit.
 */
const { default: fc } = require('fast-check');

const { PROPERTIES_SEED = '2026', PROPERTIES_RUNS = '200' } = process.env;

fc.configureGlobal({ seed: Number(PROPERTIES_SEED), numRuns: Number(PROPERTIES_RUNS) });

/** Whether there is time for long histories, as in CI. */
const isLong = Number(PROPERTIES_RUNS) > 400;

/** Whether the test of whole days takes all of them, which takes long. */
const EVERY_DAY = Boolean(process.env.EVERY_DAY);

module.exports = { EVERY_DAY, fc, isLong };
