/**
 * What code can reach beyond itself, read from its syntax tree: modules, globals, and what it uses of n8n's helpers.
 * TypeScript's compiler is given nothing but the files, so whatever they do not declare themselves is a global.
 */
const ts = require('typescript');

const OPTIONS = { noResolve: true, noLib: true, types: [], allowJs: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS };

/**
 * @param {string[]} files .ts or .js
 * @returns what they reach, except each other
 */
function reachOf(files) {
	const program = ts.createProgram(files, OPTIONS);
	const checker = program.getTypeChecker();
	const [modules, globals, helpers] = [new Set(), new Set(), new Set()];

	const visit = (node) => {
		if (isOnlyType(node)) return;
		const specifier = specifierOf(node);
		if (specifier) modules.add(ts.isStringLiteralLike(specifier) ? specifier.text : 'one that is worked out');
		if (ts.isPropertyAccessExpression(node) && node.name.text === 'helpers') helpers.add(helperName(node));
		if (ts.isIdentifier(node) && isValue(node) && !isDeclared(node, checker)) globals.add(node.text);
		ts.forEachChild(node, visit);
	};
	for (const file of files) visit(program.getSourceFile(file));

	const others = [...modules].filter((name) => !name.startsWith('.'));
	return { modules: others.sort(), globals: [...globals].sort(), helpers: [...helpers].sort() };
}

/** Gone when the code is compiled. What a class extends looks like a type, but stays. */
function isOnlyType(node) {
	if (ts.isImportDeclaration(node)) return Boolean(node.importClause?.isTypeOnly);
	if (ts.isHeritageClause(node)) return node.token === ts.SyntaxKind.ImplementsKeyword;
	return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node));
}

const isRequireOrImport = (node) =>
	ts.isCallExpression(node) &&
	(node.expression.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(node.expression) && node.expression.text === 'require'));

/** What names the module in any form of an import. */
function specifierOf(node) {
	if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
	if (ts.isExternalModuleReference(node)) return node.expression;
	return isRequireOrImport(node) ? node.arguments[0] : undefined;
}

const helperName = ({ parent }) => (ts.isPropertyAccessExpression(parent) ? parent.name.text : 'all of them');

/** Whether a name stands for a value, rather than for a member of something else. */
function isValue(name) {
	const { parent } = name;
	if (ts.isPropertyAccessExpression(parent)) return parent.name !== name;
	if (ts.isBindingElement(parent)) return parent.propertyName !== name;
	if (isRequireOrImport(parent)) return parent.expression !== name;
	return !ts.isImportSpecifier(parent) && !ts.isExportSpecifier(parent);
}

function isDeclared(name, checker) {
	const isShorthand = ts.isShorthandPropertyAssignment(name.parent);
	const symbol = isShorthand ? checker.getShorthandAssignmentValueSymbol(name.parent) : checker.getSymbolAtLocation(name);
	return Boolean(symbol?.declarations?.length);
}

/** What the package may reach: no files, no environment, no network but through the helper that adds the credential. */
const ALLOWED = {
	modules: ['luxon', 'n8n-workflow', 'node:crypto'],
	globals: [
		...['Array', 'BigInt', 'Boolean', 'Date', 'Error', 'Infinity', 'JSON', 'Map', 'Math', 'NaN', 'Number', 'Object', 'Promise', 'RegExp'],
		...['Set', 'String', 'Symbol', 'URL', 'URLSearchParams', 'WeakMap', 'WeakSet', 'encodeURIComponent', 'performance', 'undefined'],
	],
	helpers: ['httpRequestWithAuthentication'],
};

/** What is reached and not allowed. Nothing at all would mean that the files were not read. */
function straysOf(files) {
	const reach = reachOf(files);
	if (!reach.modules.includes('n8n-workflow')) throw new Error(`Nothing was read of ${files.length} files`);
	return Object.entries(ALLOWED).flatMap(([kind, names]) => reach[kind].filter((name) => !names.includes(name)));
}

module.exports = { reachOf, straysOf };
