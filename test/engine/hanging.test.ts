/** Users who hang: an error of each, and every reading of the others. An outage is believed only if the user list fails too. */
import type { INode, INodeParameters } from 'n8n-workflow';
import type { TroubleName } from '../../dev/sandbox/troubles';
import { createWorld } from '../../dev/sandbox/world';
import { runNode } from '../helpers/engine';
import { KEY } from '../helpers/people';
import { bloodPressureOf, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const MINUTE = 60_000;
const USERS = 90;
const used = useSandbox(() => ({ world: createWorld([{ key: KEY, users: USERS }]) }));
useVirtualTime();

const shard: INodeParameters = bloodPressureOf('', {
	userScope: 'all',
	output: 'summary',
	dateRange: 'days',
	startDate: '2026-03-01',
	endDate: '2026-03-02',
});
const run = async (onError: INode['onError'] = 'continueRegularOutput', concurrency = 8) => {
	const begunAt = Date.now();
	const parameters = { ...shard, options: { concurrency } };
	const { rows, error } = await runNode({ credential: used.credential, parameters, onError });
	const minutes = (Date.now() - begunAt) / MINUTE;
	return { rows, error, failed: rows.filter((row) => row.error), minutes };
};
const idsFrom = (first: number, count: number) =>
	Array.from({ length: count }, (_, index) => `app-user-${String(first + index).padStart(4, '0')}`);
const hanging = (ids: string[]) => Object.fromEntries(ids.map((id) => [id, 'hangs' as const]));

it.each([1, 31])('60 users in a row from number %i on: 60 errors, 30 sound rows', async (first) => {
	const ids = idsFrom(first, 60);
	used.sandbox.switches.users = hanging(ids);
	const { rows, error, failed, minutes } = await run();
	expect(error).toBeUndefined();
	expect(rows).toHaveLength(USERS);
	expect(failed.map((row) => row.client_user_id)).toEqual(ids);
	// Two attempts of five minutes, eight at a time: 75 minutes.
	expect(minutes).toBeLessThan(100);
});

describe('where the list fails too', () => {
	/** The list answers until the first readings are requested. */
	const troubled = (ids: string[], trouble: TroubleName) => {
		used.sandbox.switches.users = Object.fromEntries(ids.map((id) => [id, trouble]));
		let hasBegun = false;
		used.sandbox.switches.fault = (_, url) => {
			hasBegun ||= url.includes('timeseries');
			return hasBegun && url.startsWith('/v2/user') ? { status: 500 } : undefined;
		};
	};

	it.each<[TroubleName, number]>([
		['hangs', 8],
		['fails', 1],
	])('60 users in a row (each %s) are an outage: one error, soon', async (trouble, concurrency) => {
		troubled(idsFrom(31, 60), trouble);
		const { rows, minutes } = await run('continueRegularOutput', concurrency);
		const error = expect.stringMatching(/^The service could not/);
		expect(rows).toEqual([{ error, details: expect.any(String) }]);
		expect(minutes).toBeLessThan(30);
	});

	it('40 users in a row who fail at once are no outage: an error of each', async () => {
		const ids = idsFrom(31, 40);
		troubled(ids, 'fails');
		const { rows, failed } = await run('continueRegularOutput', 1);
		expect(rows).toHaveLength(USERS);
		expect(failed.map((row) => row.client_user_id)).toEqual(ids);
	});
});

it('with On Error Stop, the first ends the node', async () => {
	used.sandbox.switches.users = hanging(idsFrom(1, 60));
	const { error, minutes } = await run('stopWorkflow');
	expect(error?.message).toMatch(/^The readings of the user .* could not be read\. The service could not be reached/);
	expect(minutes).toBeLessThan(20);
});
