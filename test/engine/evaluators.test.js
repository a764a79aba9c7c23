/**
 * Evaluators of expressions: what they give the node, and that the isolated run does use the isolate
 * (test/setup/expressionEngine.js).
 */
const { DateTime } = require('luxon');
const { Workflow } = require('n8n-workflow');

/**
 * The values of expressions, as a node is given them.
 * @param {string[]} expressions
 * @param {import('n8n-workflow').IDataObject} [json] of the input item
 */
async function valuesOf(expressions, json = {}) {
	const type = /** @type {any} */ ({ description: { properties: [] } });
	const workflow = new Workflow({
		nodes: [{ id: 'node', name: 'Node', type: 'any', typeVersion: 1, position: [0, 0], parameters: {} }],
		connections: {},
		active: false,
		nodeTypes: { getByName: () => type, getByNameAndVersion: () => type, getKnownTypes: () => ({}) },
	});
	const { expression } = workflow;
	const valueOf = (/** @type {string} */ one) =>
		expression.getParameterValue(`={{ ${one} }}`, null, 0, 0, 'Node', [{ json }], 'manual', {});
	return await expression.withIsolate(async () => expressions.map(valueOf));
}

it('values of {{ }} arrive unchanged', async () => {
	const item = { text: 'a', number: 2, no: false, nothing: null, list: [1, 'b'], object: { deep: { is: true } } };
	const paths = Object.keys(item).map((key) => `$json.${key}`);
	expect(await valuesOf(['undefined', 'null', '""', '"  "', '" 3 "'])).toEqual([undefined, null, '', '  ', ' 3 ']);
	expect(await valuesOf(['3', '2.5', '-1', 'true', 'false'])).toEqual([3, 2.5, -1, true, false]);
	expect(await valuesOf(['[]', '["omron"]', '({ a: 1 })'])).toEqual([[], ['omron'], { a: 1 }]);
	expect(await valuesOf(paths, item)).toEqual(Object.values(item));
	expect(await valuesOf(['$json'], item)).toEqual([item]);
	expect(await valuesOf(['new Date(0)'])).toEqual([new Date(0)]);
});

// Seen with n8n 2.39. If this fails, the isolated run may not use the isolate, or n8n has changed what becomes of a date.
it('a Luxon date of {{ }} is a text in the isolate and a DateTime without', async () => {
	const [date] = await valuesOf(['DateTime.fromMillis(0, { zone: "utc" })']);
	if (process.env.EXPRESSION_ENGINE === 'quickjs') expect(date).toBe('1970-01-01T00:00:00.000Z');
	else expect(date).toBeInstanceOf(DateTime);
});

it('an unknown evaluator is refused', () => {
	const { EXPRESSION_ENGINE } = process.env;
	process.env.EXPRESSION_ENGINE = 'quikjs';
	const load = () => jest.isolateModules(() => jest.requireActual('../setup/expressionEngine'));
	expect(load).toThrow("EXPRESSION_ENGINE is legacy or quickjs, not 'quikjs'");
	if (EXPRESSION_ENGINE === undefined) delete process.env.EXPRESSION_ENGINE;
	else process.env.EXPRESSION_ENGINE = EXPRESSION_ENGINE;
});
