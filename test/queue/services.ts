/** PostgreSQL and Redis of the tests: reached from this machine only, and with the password only. */
import { installPrograms } from '../../dev/host/queue/programs';
import { connect } from '../../dev/host/queue/psql';
import type { Queue } from './nightly';
import { addressesOf, LOOPBACK, tell } from './processes';

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
		expect(await tell(port, 'PING')).toMatch(/^-NOAUTH/);
	});
}
