/**
 * Error messages for failed installation steps: the reason, and what to do.
 */
const TAIL_LINES = 25;

/** An error with a message for the user of the terminal: print the message, not the stack. */
class ReadableError extends Error {
	/**
	 * @param {string} message
	 * @param {{ signal?: NodeJS.Signals, isNetwork?: boolean }} [cause] `signal`: it was stopped by that
	 */
	constructor(message, { signal, isNetwork = false } = {}) {
		super(message);
		this.name = 'ReadableError';
		this.signal = signal;
		this.isNetwork = isNetwork;
	}
}

const NETWORK =
	/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED/;

/**
 * @param {string[]} output
 * @returns {{ reason?: string, isNetwork?: boolean, isClear?: boolean }} `isClear`: the reason says it all
 */
function explain(output) {
	// A package that finds no ready-made binary says so with a network error, and then compiles one.
	const text = output.filter((line) => !line.includes('prebuild-install')).join('\n');
	if (/gyp ERR!/.test(text))
		return {
			reason:
				'A part of it could not be compiled. That needs Python 3, make and a C++ compiler (Debian, Ubuntu: apt install python3 build-essential).',
		};
	if (NETWORK.test(text))
		return {
			reason:
				'The npm registry could not be reached. This step needs a network connection; run it again once there is one.',
			isNetwork: true,
			isClear: true,
		};
	if (/ENOSPC/.test(text)) return { reason: 'The disk is full.', isClear: true };
	return {};
}

/**
 * @param {string} what
 * @param {number | string | null} ended
 * @param {string[]} output
 * @param {{ logFile: string, usesRegistry?: boolean }} options
 */
function failure(what, ended, output, { logFile, usesRegistry = false }) {
	// Elsewhere, in the output of a compiler for one, the same words mean something else.
	const { reason, isNetwork, isClear } = usesRegistry ? explain(output) : {};
	const lines = [
		reason ? `${what} failed. ${reason}` : `${what} failed (${ended}).`,
		...(isClear ? [] : output.slice(-TAIL_LINES)),
		`Full output: ${logFile}`,
	];
	return new ReadableError(lines.join('\n'), { isNetwork });
}

module.exports = { ReadableError, failure };
