/** PostgreSQL and Redis of the tests: reached from this machine only, and with the password only. */
import { installPrograms } from '../../dev/host/queue/programs';
import { connect } from '../../dev/host/queue/psql';
import type { Queue } from './nightly';
import { addressesOf, LOOPBACK, postgresLog, tell } from './processes';
import { statementLike } from './statements';

/** @param queue known once the tests run @param folder of all services */
export function describeServices(queue: () => Queue, folder: string) {
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

	it('PostgreSQL logs the values of a failed statement, and no longer once the page has been followed', async () => {
		const { postgres } = queue();
		const fail = async (value: string) =>
			await postgres.query('postgres', `SELECT 1 / 0 AS "${value}"`).catch(() => {});
		await fail('142/88');
		expect(postgresLog(folder)).toContain('142/88');
		const settings = [/^ALTER ROLE n8n SET log_min_error/, /^ALTER ROLE n8n SET log_error/].map(statementLike);
		await postgres.query('postgres', settings.join(';'));
		await fail('151/93');
		expect(postgresLog(folder)).not.toContain('151/93');
	});
}
