/**
 * Runner for one installation command: its output goes to a log file, it ends with this process, and a failure throws an error that
 * says what to do. Nothing may be installed yet: Node's own modules only.
 */
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const readline = require('node:readline');
const { CACHE } = require('../paths');
const { cleanEnvironment } = require('./cleanEnvironment');

/** An error for the user of the terminal: print the message, not the stack. */
class ReadableError extends Error {
	name = 'ReadableError';
}

const NETWORK =
	/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED/;
const FULL = /ENOSPC/;
/** In the output of npm and pnpm only: in that of a compiler, the same words mean something else. @type {Array<[RegExp, string]>} */
const REASONS = [
	[
		/gyp ERR!/,
		'A part of it could not be compiled. That needs Python 3, make and a C++ compiler (Debian, Ubuntu: apt install python3 build-essential).',
	],
	[NETWORK, 'The npm registry could not be reached. Run this again once there is a network connection.'],
	[FULL, 'The disk is full. Make room, and run this again.'],
];

/**
 * @param {string} what is being done, for the error: "Installing n8n"
 * @param {string[]} command
 * @param {{ cwd: string, env?: Record<string, string>, usesRegistry?: boolean, onLine?: (line: string) => void }} options
 */
async function run(what, [file, ...args], { cwd, env = cleanEnvironment(), usesRegistry = false, onLine = () => {} }) {
	const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
	const end = () => child.kill();
	process.on('exit', end);
	/** @type {string[]} */
	const lines = [];
	for (const input of [child.stdout, child.stderr]) {
		readline.createInterface({ input }).on('line', (line) => {
			lines.push(line);
			onLine(line);
			// npm goes on for minutes, and calls it a success.
			if (usesRegistry && FULL.test(line)) end();
		});
	}
	/** @type {number | string | null} */
	const ended = await new Promise((resolve) => {
		child.on('error', ({ message }) => resolve(message)).on('close', (code, signal) => resolve(code ?? signal));
	});
	process.off('exit', end);
	if (ended !== 0) throw failure(what, ended, lines, usesRegistry);
}

/** @param {string} what @param {number | string | null} ended @param {string[]} lines @param {boolean} usesRegistry */
function failure(what, ended, lines, usesRegistry) {
	const logFile = path.join(CACHE, `${what.replace(/\W+/g, '-')}.log`);
	// A package that finds no ready-made binary says so with a network error, and then compiles one.
	const text = lines.filter((line) => !line.includes('prebuild-install')).join('\n');
	const [pattern, reason] = (usesRegistry && REASONS.find(([one]) => one.test(text))) || [];
	const tail = pattern === NETWORK || pattern === FULL ? [] : lines.slice(-25);
	try {
		fs.mkdirSync(CACHE, { recursive: true });
		fs.writeFileSync(logFile, lines.join('\n'));
		tail.push(`Full output: ${logFile}`);
	} catch {
		// The disk is full.
	}
	return new ReadableError([`${what} failed${reason ? `. ${reason}` : ` (${ended}).`}`, ...tail].join('\n'));
}

/**
 * Runs the main function of a program. When it fails, the process exits at once, and what it left running ends, too.
 * @param {() => Promise<unknown>} main
 */
async function runAsScript(main) {
	try {
		await main();
	} catch (error) {
		if (error.code === 'ENOSPC') console.error(REASONS[2][1]);
		else console.error(error instanceof ReadableError ? error.message : error);
		process.exit(1);
	}
}

module.exports = { ReadableError, run, runAsScript };
