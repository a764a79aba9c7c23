/**
 * PostgreSQL and Redis of the tests: reached from this machine only, and by nobody without the password.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { installPrograms } from '../../dev/host/queue/programs';
import { connect } from '../../dev/host/queue/psql';
import type { Queue } from './nightly';

/** Of /proc/net/tcp, for 127.0.0.1. */
const LOOPBACK = '0100007F';
const LISTENS = '0A';

/** The addresses at which a port is open, as Linux writes them. */
function addressesOf(port: number): string[] {
	const lines = ['tcp', 'tcp6'].flatMap((file) => readFileSync(`/proc/net/${file}`, 'utf8').split('\n').slice(1));
	return lines.flatMap((line) => {
		const [, local = '', , state] = line.trim().split(/\s+/);
		const [address, hex] = local.split(':');
		return state === LISTENS && parseInt(hex, 16) === port ? [address] : [];
	});
}

/** @param queue known once the tests run */
export function describeServices(queue: () => Queue) {
	it('PostgreSQL listens on loopback only and asks for the password', async () => {
		const { postgres } = queue();
		expect(addressesOf(postgres.port)).toEqual([LOOPBACK]);
		const { psql } = await installPrograms(() => {});
		const stranger = connect(psql, { ...postgres, password: 'wrong' });
		await expect(stranger.query('postgres', 'SELECT 1')).rejects.toThrow('password authentication failed');
		expect(await postgres.query('postgres', 'SELECT 1')).toBe('1');
	});

	it('Redis listens on loopback only and asks for the password', async () => {
		const { port } = queue().redis;
		expect(addressesOf(port)).toEqual([LOOPBACK]);
		const socket = connectTcp(port, '127.0.0.1');
		socket.write('PING\r\n');
		const [answer] = await once(socket, 'data');
		socket.destroy();
		expect(String(answer)).toMatch(/^-NOAUTH/);
	});
}
