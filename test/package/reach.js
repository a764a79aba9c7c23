/**
 * Static analysis of what compiled code can reach: modules, globals, and n8n's helpers, from its syntax tree.
 * TypeScript's compiler is given nothing but the files, so whatever they do not declare themselves is a global.
 */
const ts = require('typescript');

const OPTIONS = {
	noResolve: true,
	noLib: true,
	types: [],
	allowJs: true,
	target: ts.ScriptTarget.ES2022,
	module: ts.ModuleKind.CommonJS,
};

/** @typedef {import('typescript').Node} Node */
/** @typedef {import('typescript').Identifier} Identifier */

/**
 * What they reach, except each other.
 * @param {string[]} files
 */
function reachOf(files) {
	const program = ts.createProgram(files, OPTIONS);
	const checker = program.getTypeChecker();
	/** @type {Record<'modules' | 'globals' | 'helpers', Set<string>>} */
	const reach = { modules: new Set(), globals: new Set(), helpers: new Set() };

	/** @param {Node} node */
	const visit = (node) => {
		const specifier = specifierOf(node);
		if (specifier) reach.modules.add(ts.isStringLiteralLike(specifier) ? specifier.text : 'one that is worked out');
		if (ts.isPropertyAccessExpression(node) && node.name.text === 'helpers') reach.helpers.add(helperName(node));
		if (ts.isIdentifier(node) && isValue(node) && !isDeclared(node, checker)) reach.globals.add(node.text);
		ts.forEachChild(node, visit);
	};
	for (const file of files) visit(/** @type {Node} */ (program.getSourceFile(file)));

	const others = [...reach.modules].filter((name) => !name.startsWith('.'));
	return { modules: others.sort(), globals: [...reach.globals].sort(), helpers: [...reach.helpers].sort() };
}

/**
 * @param {Node} node
 * @returns {node is import('typescript').CallExpression}
 */
const isRequireOrImport = (node) =>
	ts.isCallExpression(node) &&
	(node.expression.kind === ts.SyntaxKind.ImportKeyword ||
		(ts.isIdentifier(node.expression) && node.expression.text === 'require'));

/**
 * What names the module in any form of an import.
 * @param {Node} node
 */
function specifierOf(node) {
	if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
	return isRequireOrImport(node) ? node.arguments[0] : undefined;
}

/** @param {Node} node `….helpers` */
const helperName = ({ parent }) => (ts.isPropertyAccessExpression(parent) ? parent.name.text : 'all of them');

/**
 * Whether a name stands for a value, rather than for a member of something else.
 * @param {Identifier} name
 */
function isValue(name) {
	const { parent } = name;
	if (ts.isPropertyAccessExpression(parent)) return parent.name !== name;
	if (ts.isBindingElement(parent)) return parent.propertyName !== name;
	if (isRequireOrImport(parent)) return parent.expression !== name;
	return !ts.isImportSpecifier(parent) && !ts.isExportSpecifier(parent);
}

/**
 * @param {Identifier} name
 * @param {import('typescript').TypeChecker} checker
 */
function isDeclared(name, checker) {
	const isShorthand = ts.isShorthandPropertyAssignment(name.parent);
	const symbol = isShorthand
		? checker.getShorthandAssignmentValueSymbol(name.parent)
		: checker.getSymbolAtLocation(name);
	return Boolean(symbol?.declarations?.length);
}

/** What the package may reach: no files, no environment, no network but through the helper that adds the credential. */
const ALLOWED = {
	modules: ['luxon', 'n8n-workflow', 'node:crypto'],
	globals: [
		...'AbortController AbortSignal Array BigInt Boolean Buffer Date Error Infinity JSON Map Math NaN Number'.split(
			' ',
		),
		...'Object Promise RangeError ReferenceError RegExp Set String Symbol SyntaxError TypeError URL'.split(' '),
		...'URLSearchParams WeakMap WeakSet'.split(' '),
		...'decodeURIComponent encodeURIComponent performance undefined'.split(' '),
	],
	helpers: ['httpRequestWithAuthentication'],
};

/**
 * What is reached and not allowed. Nothing at all would mean that the files were not read.
 * @param {string[]} files
 */
function straysOf(files) {
	const reach = reachOf(files);
	if (!reach.modules.includes('n8n-workflow')) throw new Error(`Nothing was read of ${files.length} files`);
	const kinds = /** @type {const} */ (['modules', 'globals', 'helpers']);
	return kinds.flatMap((kind) => reach[kind].filter((name) => !ALLOWED[kind].includes(name)));
}

module.exports = { straysOf };
