/**
 * Lifeline of a child process, loaded before n8n itself: exits when the parent process is gone, however that ended (Ctrl-C,
 * a crashed test, kill -9). The parent holds the other end of pipe 3 and never writes to it.
 */
const net = require('node:net');

const GRACE_MS = 10_000;
const lifeline = new net.Socket({ fd: 3 });
lifeline.on('error', () => {});
lifeline.on('close', () => {
	process.kill(process.pid, 'SIGTERM');
	setTimeout(() => process.exit(1), GRACE_MS).unref();
});
lifeline.resume();
lifeline.unref();
