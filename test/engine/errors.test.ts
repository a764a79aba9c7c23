/**
 * Error messages in n8n's engine: words about the fields on the screen, linked to the item, never a key or a reading. And retries
 * over HTTP, through n8n's own helper: what it makes of answers that are cut, drip or do not come. Which failure is retried and
 * when: unit/http/classify.test.ts and retry.test.ts.
 */
import type { Fault } from '../../dev/sandbox/switches';
import { RETRY_LIMITS } from '../../nodes/HealthDataService/http/retry';
import { useRunner } from '../helpers/engine';
import { everythingIn, listenersOf } from '../helpers/machine';
import { plainService } from '../helpers/listeners';
import { OTHER_KEY, STEADY } from '../helpers/people';
import { bloodPressureOf, byUserId, listUsers } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const used = useRunner();
const { run } = used;
const time = useVirtualTime();

describe('a message', () => {
	const steady = () => bloodPressureOf(byUserId(STEADY.user_id));
	it('a wrong key is an error after one request', async () => {
		const { error } = await run(steady(), { credential: { ...used.credential, apiKey: 'wrong-key-of-mine' } });
		expect(error).toMatchObject({ message: 'The service did not accept the API key (status 401)', httpCode: '401' });
		expect(error?.description).toContain("Check 'API Key' and 'Base URL' in the credential together");
		expect(everythingIn(error)).not.toContain('wrong-key-of-mine');
		expect(used.sandbox.requests).toHaveLength(1);
	});

	it('a user of another team is unknown, and the error names the key', async () => {
		const { error } = await run(steady(), { credential: { ...used.credential, apiKey: OTHER_KEY } });
		expect(error?.message).toBe("There is no such user: the service does not know the 'User'");
		expect(error?.description).toContain('key belongs to the team of this user');
	});

	it('a service that does not listen is named', async () => {
		const { error } = await run(listUsers(), { credential: { baseUrl: 'http://127.0.0.1:9', apiKey: 'key-of-mine' } });
		expect(error?.message).toBe('The service could not be reached');
		expect(error?.description).toBe(
			"Tried 7 times in 0 s. Nothing answers at 127.0.0.1:9. Check 'Base URL' in the credential",
		);
		expect(everythingIn(error)).not.toContain('key-of-mine');
	});
});

describe('retries', () => {
	const normal = { ...RETRY_LIMITS };
	afterEach(() => Object.assign(RETRY_LIMITS, normal, { baseDelayMs: 2, maxDelayMs: 10 }));

	const always = (fault: Fault) => Object.assign(used.sandbox.switches, { fault: () => fault });

	it('an answer that drips ends at once when the execution is cancelled, and is no timeout', async () => {
		always({ dripMs: 2000 });
		let cancelledAt = 0;
		const cancelWhen = (async () => {
			while (used.sandbox.requests.length === 0) await time.pass(5);
			await time.pass(6000);
			cancelledAt = time.now;
		})();
		const { run: execution } = await run(listUsers({ limit: 4 }), { cancelWhen });
		expect(time.now).toBe(cancelledAt);
		expect(everythingIn(execution)).not.toContain('did not answer in time');
		expect(used.sandbox.requests).toHaveLength(1);
	});

	it('Timeout of the Request Options is kept', async () => {
		RETRY_LIMITS.maxAttempts = 1;
		always({ delayMs: 2000 });
		const begun = time.now;
		const { error } = await run({ ...listUsers({ limit: 4 }), requestOptions: { timeout: 100 } });
		expect(time.now - begun).toBe(100);
		expect(error?.description).toMatch(
			/did not answer in time\. Try again later, or raise 'Timeout' if the request options have it$/,
		);
	});

	it('the request accepts JSON', async () => {
		const service = await plainService();
		await run(listUsers({ limit: 4 }), {
			credential: { ...used.credential, baseUrl: `http://127.0.0.1:${service.port}` },
		});
		await service.close();
		expect(service.handed[0]).toMatch(/ Accept application\/json /i);
	});

	it('leaves no listener on the signal of the execution', async () => {
		const signals = new Set<AbortSignal>();
		const add = jest.spyOn(AbortSignal.prototype, 'addEventListener').mockImplementation(function (
			this: AbortSignal,
			...args
		) {
			signals.add(this);
			return EventTarget.prototype.addEventListener.apply(this, args as never);
		});
		await run(bloodPressureOf(byUserId(STEADY.user_id)));
		add.mockRestore();
		expect(signals.size).toBeGreaterThan(0);
		expect([...signals].map((signal) => listenersOf(signal))).toEqual([...signals].map(() => 0));
	});
});
