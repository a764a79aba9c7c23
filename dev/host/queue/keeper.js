/**
 * Runs a program that knows nothing of our lifeline (PostgreSQL, Redis) and ends it when it is told to end itself,
 * which the lifeline does when the process that started us is gone.
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
// To PostgreSQL this one says: end now, in order, without waiting for clients. Redis takes both alike.
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill('SIGINT'));
