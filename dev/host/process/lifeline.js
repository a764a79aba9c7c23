/**
 * Loaded into n8n before n8n itself: ends it when the process that started it is gone, however that ended (Ctrl-C,
 * a crashed test, kill -9). The starter holds the other end of pipe 3 and never writes to it.
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
