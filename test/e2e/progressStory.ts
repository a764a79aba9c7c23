/**
 * Progress of the trigger in a real n8n that polls every two seconds: whatever lasts, the readings of the sound users go out, and
 * one failed execution reports all of it. Hanging users are for the
 * durable scheduler: in memory, their timeouts take minutes.
 */
import type { Fault } from '../../dev/sandbox/switches';
import { until } from '../../dev/host/process/until';
import { PATIENCE, useWorkflow } from './triggerWorkflow';

const TEAM = 12;

/** @param env n8n's variables for this scheduler */
export function describeProgress(scheduler: 'memory' | 'durable', env: Record<string, string>) {
	const w = useWorkflow(env);
	const users = Array.from({ length: TEAM }, (_, i) => w.history.addUser(`user ${i}`));
	const setTroubles = (trouble: 'fails' | 'drips', from: number, to: number) => {
		w.sandbox.switches.users = Object.fromEntries(users.slice(from, to).map(({ user_id }) => [user_id, trouble]));
	};
	const setFault = (fault: (url: string) => Fault | undefined) => {
		w.sandbox.switches.fault = (_, url) => fault(url);
	};
	const measureAtBothEnds = () => {
		w.measure(users[0]);
		w.measure(users[TEAM - 1]);
	};
	afterEach(() => {
		w.sandbox.switches.users = {};
		w.sandbox.switches.latencyMs = 0;
		w.sandbox.switches.fault = () => undefined;
	});
	/** Of all that lasts, in an hour. */
	const isReportedOnce = async () => {
		await until('the report', async () => (await w.executions('error')).length > 0, PATIENCE);
		expect(await w.executions('error')).toHaveLength(1);
	};

	it('a stretch of users who answer 500', async () => {
		await w.n8n.rest.activate(w.workflow);
		await w.morePolls(2);
		setTroubles('fails', 1, 11);
		measureAtBothEnds();
		await w.everythingCame();
		await isReportedOnce();
	});

	it('another user fails at each poll', async () => {
		setFault((url) => {
			const { user_id } = users[w.polls() % TEAM];
			return url.includes(user_id) ? { status: 422, body: { detail: 'no' } } : undefined;
		});
		for (const user of users.slice(0, 6)) w.measure(user);
		await w.everythingCame(6);
		await isReportedOnce();
	});

	it.each([
		['that says when', true],
		['that does not say when', false],
	])('a rate limit %s', async (_, isAnnounced) => {
		const WINDOW_MS = 6000;
		let window = 0;
		let count = 0;
		setFault(() => {
			const now = Math.floor(Date.now() / WINDOW_MS);
			count = now === window ? count + 1 : 1;
			window = now;
			if (count <= TEAM - 4) return undefined;
			const seconds = Math.ceil(((now + 1) * WINDOW_MS - Date.now()) / 1000);
			const headers: Record<string, string> = isAnnounced ? { 'retry-after': String(seconds) } : {};
			return { status: 429, body: {}, headers };
		});
		measureAtBothEnds();
		await w.everythingCame(2);
		await isReportedOnce();
	});

	it('answers that take five seconds', async () => {
		w.sandbox.switches.latencyMs = 5000;
		measureAtBothEnds();
		await w.everythingCame(1);
	});

	const onDurable = scheduler === 'durable' ? it : undefined;
	onDurable?.('a stretch of users who never answer', async () => {
		setTroubles('drips', 1, 11);
		measureAtBothEnds();
		await w.everythingCame(1);
		await isReportedOnce();
	});
}
