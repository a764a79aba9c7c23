/** What Linux and the network say of the processes of the tests: memory, and open ports. In JavaScript, since it touches Node. */
const { once } = require('node:events');
const { readFileSync, renameSync } = require('node:fs');
const { connect } = require('node:net');
const { join } = require('node:path');
const { name: NAME } = require('../../package.json');

/**
 * The most that a process has held in memory so far, in MB.
 * @param {{ pid?: number }} process
 */
exports.peakMb = ({ pid }) => {
	const [, kilobytes] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
	return Number(kilobytes) / 1024;
};

/** Half an hour more. */
exports.isLong = process.env.LONG_NIGHTS === '1';

/** @param {string[]} lines for the terminal */
exports.print = (lines) => process.stdout.write(`\n${lines.map((line) => `  ${line}\n`).join('')}\n`);

/** 127.0.0.1 in /proc/net/tcp. */
exports.LOOPBACK = '0100007F';
const LISTENS = '0A';

/**
 * The addresses at which a port is open, as Linux writes them.
 * @param {number} port
 */
exports.addressesOf = (port) => {
	const lines = ['tcp', 'tcp6'].flatMap((file) => readFileSync(`/proc/net/${file}`, 'utf8').split('\n').slice(1));
	return lines.flatMap((line) => {
		const [, local = '', , state] = line.trim().split(/\s+/);
		const [address, hex] = local.split(':');
		return state === LISTENS && parseInt(hex, 16) === port ? [address] : [];
	});
};

/**
 * What a server answers to one line.
 * @param {number} port
 * @param {string} line
 */
exports.tell = async (port, line) => {
	const socket = connect(port, '127.0.0.1');
	socket.write(`${line}\r\n`);
	const [answer] = await once(socket, 'data');
	socket.destroy();
	return String(answer);
};

/** The log of PostgreSQL. @param {string} folder that of the queue */
exports.postgresLog = (folder) => readFileSync(join(folder, 'postgres', 'PostgreSQL.log'), 'utf8');

/** Runs `work` while an n8n lacks the package. @param {string} folder of this n8n @param {() => Promise<unknown>} work */
exports.withoutPackage = async (folder, work) => {
	const [there, away] = [join(folder, '.n8n', 'nodes', 'node_modules', NAME), join(folder, 'away')];
	renameSync(there, away);
	await work().finally(() => renameSync(away, there));
};
