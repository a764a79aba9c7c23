/**
 * Expression engine of the tests: n8n evaluates expressions in an isolate, n8n-workflow alone in this process ("legacy").
 * EXPRESSION_ENGINE=quickjs takes an isolate that works on every Node; test/jest.isolated.config.js sets it.
 */
const { Expression } = require('n8n-workflow');

/** @typedef {'legacy' | 'quickjs'} Engine */
const engine = /** @type {Engine} */ (process.env.EXPRESSION_ENGINE ?? 'legacy');
if (!['legacy', 'quickjs'].includes(engine)) throw new Error(`EXPRESSION_ENGINE is legacy or quickjs, not '${engine}'`);
const isIsolated = engine !== 'legacy';

if (isIsolated) {
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

// The isolated run finds its tests by name, so the mark and the test must agree.
const expression = /** @type {{ renderExpression: (this: unknown, ...args: unknown[]) => unknown }} */ (
	/** @type {unknown} */ (Expression.prototype)
);
const { renderExpression } = expression;
let isEvaluated = false;
expression.renderExpression = function (/** @type {unknown[]} */ ...args) {
	isEvaluated = true;
	return renderExpression.apply(this, args);
};
beforeEach(() => (isEvaluated = false));
afterEach(() => {
	const isMarked = (expect.getState().currentTestName ?? '').includes('{{');
	if (isEvaluated && !isMarked) throw new Error('This test evaluates an expression: write {{ }} into its name');
	if (isIsolated && !isEvaluated) throw new Error('This test evaluates no expression: take {{ }} out of its name');
});
