/** Budget of a poll: attempts take half of it at most, and nothing is named once it is used up. */
import type { INodeParameters } from 'n8n-workflow';
import { RETRY_LIMITS } from '../../nodes/HealthDataService/http/retry';
import { MAX_PAGE_SIZE } from '../../nodes/HealthDataService/service/users';
import type { HostOptions } from '../helpers/pollingHost';
import { HOUR, MINUTE, watch } from '../helpers/watch';

const BUDGET_MS = 18_000;
const w = watch();

describe('a service that is down', () => {
	const { baseDelayMs, maxDelayMs } = RETRY_LIMITS;
	beforeAll(() => void Object.assign(RETRY_LIMITS, { baseDelayMs: 2000, maxDelayMs: 4000 }));
	afterAll(() => void Object.assign(RETRY_LIMITS, { baseDelayMs, maxDelayMs }));

	it('is retried for half of the budget', async () => {
		const n8n = w.trigger(undefined, { budgetMs: BUDGET_MS });
		await n8n.start();
		w.used.sandbox.switches.fault = () => ({ status: 503 });
		const begun = w.time.elapsed;
		await expect(n8n.tick()).rejects.toMatchObject({
			httpCode: '503',
			description: expect.stringMatching(/^Tried \d times in \d seconds\. /),
		});
		const tookMs = w.time.elapsed - begun;
		expect(tookMs).toBeGreaterThan(BUDGET_MS / 4);
		expect(tookMs).toBeLessThanOrEqual(BUDGET_MS / 2);
	});
});

it('an n8n that knows no budgets polls without one', async () => {
	const onContext: HostOptions['onContext'] = (context) => Object.assign(context, { getPollBudgetMs: undefined });
	const n8n = w.trigger(undefined, { onContext });
	await n8n.start();
	w.history.add(w.anna, w.reading(0));
	expect(await n8n.tick()).toHaveLength(1);
});

it('a picked user is not named when the request would come after the deadline', async () => {
	const parameters: INodeParameters = {
		event: 'bloodPressure',
		userScope: 'one',
		user: { __rl: true, mode: 'list', value: w.anna.user_id, cachedResultName: 'anna (Omron)' },
		// A request every ten seconds: the first reads, the second would name.
		options: { requestsPerSecond: 0.1 },
	};
	const sentWithin = async (budgetMs: number) => {
		const n8n = w.trigger(parameters, { budgetMs });
		await n8n.start();
		w.pass(MINUTE);
		w.history.add(w.anna, w.reading(0, 121));
		w.used.sandbox.requests.length = 0;
		expect(await n8n.tick()).toMatchObject([{ systolic: 121 }]);
		return w.used.sandbox.requests.map((url) => (url.includes('/resolve/') ? 'name' : 'readings'));
	};
	expect(await sentWithin(12_000)).toEqual(['readings']);
	expect(await sentWithin(20_000)).toEqual(['readings', 'name']);
});

describe('a page of the user list after the deadline', () => {
	/** How long a poll takes that requests the second page ten seconds after the first. */
	const pollMs = async (budgetMs: number, pageMs: number) => {
		for (let place = 0; place < 2 * MAX_PAGE_SIZE; place++) w.history.addUser(`user ${place}`);
		const n8n = w.trigger({ event: 'user', options: { requestsPerSecond: 0.1 } }, { budgetMs });
		await n8n.start();
		w.used.sandbox.switches.fault = (_, url) => (/offset=[1-9]/.test(url) ? { delayMs: pageMs } : undefined);
		const begun = w.time.elapsed;
		await n8n.tick().catch(() => undefined);
		return w.time.elapsed - begun;
	};

	it('is not sent once the budget is used up', async () => {
		expect(await pollMs(6000, 0)).toBeLessThanOrEqual(6100);
	});

	it('is not awaited once the budget is used up', async () => {
		expect(await pollMs(12_000, HOUR)).toBeLessThanOrEqual(12_100);
	});
});
