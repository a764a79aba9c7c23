/**
 * Wrapper for a program without the lifeline (PostgreSQL, Redis): ends the program when the lifeline ends this process, because
 * its parent is gone.
 *   node --require ../process/lifeline.js keeper.js '{ "file": "redis-server", "args": [], "options": {} }'
 */
const { spawn } = require('node:child_process');

const { file, args, options } = JSON.parse(process.argv[2]);
const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
child.on('error', ({ message }) => {
	console.error(message);
	process.exit(1);
});
child.on('exit', (code) => process.exit(code ?? 1));
// PostgreSQL takes SIGINT as a fast shutdown, without waiting for clients. Redis treats it like SIGTERM.
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill('SIGINT'));
