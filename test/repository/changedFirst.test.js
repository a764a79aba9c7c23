/** Order of the tests while code is changed. */
const { rankOf } = require('../setup/changedFirst');

const changed = ['nodes/HealthDataService/http/retry.ts', 'README.md'];

it.each([
	['test/unit/http/retry.test.ts', 0],
	['test/unit/http/retry.attempts.test.ts', 0],
	['test/unit/http/requestQueue.test.ts', 1],
	['test/engine/outputs.test.ts', 2],
])('%s has the rank %s', (test, expected) => {
	expect(rankOf(`/clone/${test}`, changed)).toBe(expected);
});
