/**
 * Shape of the shipped code, for `npm run check`: no function is too long or has too many branches, and state belongs to its file: a
 * field of a class or a type is written only by the file that declares it.
 */
const { join, relative } = require('node:path');
const ts = require('typescript');

const ROOT = join(__dirname, '../..');
/** Leaves of the syntax tree, without comments: no formatter changes their number. */
const MAX_LEAVES = 300;
const MAX_BRANCHES = 12;
/** Fields that other files write. State, results and the queue have none. */
const MAX_FOREIGN_FIELDS = 6;
const OWNED = new Set(['TriggerState', 'Cursor', 'Cursors', 'PollResult', 'PollEnd', 'RequestQueue']);

const { SyntaxKind } = ts;
const BRANCHES = new Set([
	SyntaxKind.IfStatement,
	SyntaxKind.ConditionalExpression,
	SyntaxKind.CaseClause,
	SyntaxKind.ForStatement,
	SyntaxKind.ForOfStatement,
	SyntaxKind.ForInStatement,
	SyntaxKind.WhileStatement,
	SyntaxKind.DoStatement,
	SyntaxKind.CatchClause,
]);
const LOGICAL = new Set([SyntaxKind.AmpersandAmpersandToken, SyntaxKind.BarBarToken, SyntaxKind.QuestionQuestionToken]);

/** @param {ts.Node} node */
const isDoc = ({ kind }) => kind >= SyntaxKind.FirstJSDocNode && kind <= SyntaxKind.LastJSDocNode;

/** @param {ts.Node} node @param {ts.SourceFile} file @returns {number} */
function leavesOf(node, file) {
	const children = node.getChildren(file);
	if (children.length === 0) return Number(node.getEnd() > node.getStart(file));
	return children.reduce((sum, child) => sum + (isDoc(child) ? 0 : leavesOf(child, file)), 0);
}

/** Without those of the functions inside. @param {ts.Node} node @returns {number} */
function branchesOf(node) {
	let count = BRANCHES.has(node.kind) || (ts.isBinaryExpression(node) && LOGICAL.has(node.operatorToken.kind)) ? 1 : 0;
	node.forEachChild((child) => {
		if (!ts.isFunctionLike(child)) count += branchesOf(child);
	});
	return count;
}

/** What a statement writes to. @param {ts.Node} node @returns {ts.Node | undefined} */
function targetOf(node) {
	if (ts.isDeleteExpression(node)) return node.expression;
	if (ts.isPostfixUnaryExpression(node)) return node.operand;
	if (ts.isPrefixUnaryExpression(node)) {
		const isStep = node.operator === SyntaxKind.PlusPlusToken || node.operator === SyntaxKind.MinusMinusToken;
		return isStep ? node.operand : undefined;
	}
	if (!ts.isBinaryExpression(node)) return undefined;
	const { kind } = node.operatorToken;
	return kind >= SyntaxKind.FirstAssignment && kind <= SyntaxKind.LastAssignment ? node.left : undefined;
}

/** The field of another file of ours that is written. @param {ts.Node} node @param {ts.TypeChecker} checker */
function foreignField(node, checker) {
	const target = targetOf(node);
	if (!target || !ts.isPropertyAccessExpression(target)) return undefined;
	const declaration = checker.getSymbolAtLocation(target.name)?.declarations?.[0];
	const home = declaration?.getSourceFile();
	if (!declaration || !home || home.isDeclarationFile || home === node.getSourceFile()) return undefined;
	const holder = /** @type {ts.NamedDeclaration} */ (declaration.parent).name?.getText() ?? '';
	return { holder, field: `${holder}.${target.name.text}` };
}

/** @param {ts.Node} node @param {ts.SourceFile} file @param {string} place @returns {string[]} */
function sizeOf(node, file, place) {
	const body = 'body' in node && /** @type {ts.Node | undefined} */ (node.body);
	if (!ts.isFunctionLike(node) || !body) return [];
	const { name } = /** @type {ts.NamedDeclaration} */ (node.name ? node : node.parent);
	const called = `${place} ${name?.getText(file) ?? 'function'}`;
	const leaves = leavesOf(body, file);
	const branches = branchesOf(body);
	return [
		...(leaves > MAX_LEAVES ? [`${called} has ${leaves} leaves`] : []),
		...(branches > MAX_BRANCHES ? [`${called} has ${branches} branches`] : []),
	];
}

/** @returns {string[]} what is wrong */
function findings() {
	const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
	const config = ts.getParsedCommandLineOfConfigFile(join(ROOT, 'tsconfig.json'), {}, host);
	const { fileNames = [], options = {} } = config ?? {};
	// Fields of other packages are not ours: without their types this takes a third of the time.
	const compiler = ts.createCompilerHost(options);
	compiler.resolveModuleNameLiterals = (literals, file) =>
		literals.map(({ text }) =>
			text.startsWith('.') ? ts.resolveModuleName(text, file, options, ts.sys) : { resolvedModule: undefined },
		);
	const program = ts.createProgram(fileNames, { ...options, types: [] }, compiler);
	const checker = program.getTypeChecker();
	/** @type {string[]} */
	const wrong = [];
	/** @type {Set<string>} */
	const foreign = new Set();
	for (const path of fileNames) {
		const file = /** @type {ts.SourceFile} */ (program.getSourceFile(path));
		const place = relative(join(ROOT, 'nodes/HealthDataService'), path);
		/** @param {ts.Node} node */
		const visit = (node) => {
			wrong.push(...sizeOf(node, file, place));
			const written = foreignField(node, checker);
			if (written) foreign.add(written.field);
			if (written && OWNED.has(written.holder)) wrong.push(`${place} writes ${written.field}`);
			node.forEachChild(visit);
		};
		visit(file);
	}
	if (foreign.size > MAX_FOREIGN_FIELDS) wrong.push(`fields that other files write: ${[...foreign].join(', ')}`);
	return wrong;
}

const wrong = findings();
for (const line of wrong) console.error(line);
process.exitCode = Math.min(1, wrong.length);
