/** PostgreSQL of the tests: what its log holds, before and after the page is followed. */
import type { Queue } from './nightly';
import { postgresLog } from './processes';
import { statementLike } from './statements';

/** @param queue known once the tests run @param folder of all services */
export function describeServices(queue: () => Queue, folder: string) {
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
