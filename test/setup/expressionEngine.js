/**
 * n8n evaluates {{ }} in an isolate; n8n-workflow alone falls back to evaluating in-process ("legacy").
 * EXPRESSION_ENGINE=quickjs runs the same tests in an isolate that works on every Node; see dev/scripts/test.js.
 */
/** @typedef {'legacy' | 'vm' | 'quickjs'} Engine */
const engine = /** @type {Engine} */ (process.env.EXPRESSION_ENGINE ?? 'legacy');

if (engine !== 'legacy') {
	const { Expression } = require('n8n-workflow');
	const options = {
		engine,
		poolSize: 1,
		maxCodeCacheSize: 1024,
		bridgeTimeout: 5000,
		bridgeMemoryLimit: 128,
		lazyAcquire: false,
	};
	beforeAll(async () => await Expression.initExpressionEngine(options));
	afterAll(async () => await Expression.disposeExpressionEngine());
}
