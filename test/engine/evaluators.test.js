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

// Seen with n8n 2.41; in the isolate of 2.39 it was a text.
it('a Luxon date of {{ }} is a DateTime, in the isolate too', async () => {
	const [date] = await valuesOf(['DateTime.fromMillis(0, { zone: "utc" })']);
	expect(DateTime.isDateTime(date)).toBe(true);
	expect(JSON.stringify(date)).toBe('"1970-01-01T00:00:00.000Z"');
});
