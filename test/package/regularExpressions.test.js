/**
 * Regular expressions of the package: none takes more than linear time, so that no text of the service and no field can hold up
 * n8n. recheck proves it without a clock, or gives an input that breaks the rule.
 */
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { check } = require('recheck');
const ts = require('typescript');
const { ROOT } = require('../../dev/paths');
const { HealthDataService } = require('../../nodes/HealthDataService/HealthDataService.node');
const { UUID } = require('../../nodes/HealthDataService/service/users/users');

const sources = ['nodes', 'credentials'].flatMap((folder) =>
	readdirSync(join(ROOT, folder), { recursive: true })
		.map((file) => join(folder, String(file)))
		.filter((file) => file.endsWith('.ts')),
);

/** The texts of all nodes of the syntax trees that `isWanted`. @param {(node: import('typescript').Node) => boolean} isWanted */
function textsOf(isWanted) {
	/** @type {string[]} */
	const texts = [];
	for (const file of sources) {
		const tree = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.ES2022, true);
		/** @param {import('typescript').Node} node */
		const visit = (node) => {
			if (isWanted(node)) texts.push(node.getText());
			ts.forEachChild(node, visit);
		};
		visit(tree);
	}
	return [...new Set(texts)];
}

/** Fields that n8n checks against a pattern. */
const patternsOfFields = [
	...JSON.stringify(new HealthDataService().description).matchAll(/"regex":("(?:[^"\\]|\\.)*")/g),
].map(([, text]) => JSON.parse(text));

const literals = textsOf(ts.isRegularExpressionLiteral);

/** The longest input that recheck may think of; without a time limit the result is the same on a busy machine. */
const OPTIONS = { timeout: null };

beforeAll(() => void (process.env.RECHECK_BACKEND = 'pure'));

it('all are literals, but for user IDs', () => {
	const built = textsOf(
		(node) => (ts.isNewExpression(node) || ts.isCallExpression(node)) && /^(new )?RegExp\(/.test(node.getText()),
	);
	expect(built).toEqual(['new RegExp(`^${UUID}$`)']);
	expect(patternsOfFields).toEqual([`^\\s*${UUID}\\s*$`]);
	expect(literals.length).toBeGreaterThan(30);
});

it.each([...literals, `/^${UUID}$/`, ...patternsOfFields.map((pattern) => `/${pattern}/`)])('%s', async (literal) => {
	const end = literal.lastIndexOf('/');
	const result = await check(literal.slice(1, end), literal.slice(end + 1), OPTIONS);
	expect(result.status === 'vulnerable' ? result.attack.pattern : result.status).toBe('safe');
});
