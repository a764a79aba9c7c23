/** Rounds over several polls, of a team that takes longer than one poll: each poll emits what it has read. */
import type { User } from '../../dev/sandbox/schemas';
import { USERS_PER_REQUEST } from '../../nodes/HealthDataService/service/readings/readUsers';
import {
	allUsers,
	failedUsers,
	HOUR,
	isPassComplete,
	MINUTE,
	onBothSchedulers,
	stateNow,
	valuesOf,
	watch,
} from '../helpers/watch';

/** One poll sends requests for one second: with two of 100 ms at once that is about 15 users. */

const BUDGET_MS = 1500;
const LATENCY_MS = 100;
const options = { concurrency: 2 };
const USERS = 25;

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	let team: readonly User[];
	beforeEach(() => {
		w.history.team.users = [];
		for (let i = 0; i < USERS; i++) w.history.addUser(`user ${i}`);
		team = w.history.team.users;
	});
	const latency = (ms: number) => {
		w.used.sandbox.switches.latencyMs = ms;
	};
	/** A trigger that has seen all users. */
	const watching = async (more = {}) => {
		const n8n = w.trigger({ ...allUsers, options: { ...options, ...more } }, { budgetMs: BUDGET_MS });
		await n8n.start();
		expect(isDone(n8n)).toBe(true);
		w.used.sandbox.requests.length = 0;
		latency(LATENCY_MS);
		return n8n;
	};
	type N8n = ReturnType<typeof w.trigger>;
	const names = (rows: Array<Record<string, unknown>>) => rows.map((row) => String(row.client_user_id));
	const isDone = (n8n: N8n) => isPassComplete(stateNow(n8n));
	/** Polls until a round is done that begins now. */
	const finish = async (n8n: N8n) => {
		latency(0);
		for (let rounds = isDone(n8n) ? 1 : 2; rounds > 0; rounds -= isDone(n8n) ? 1 : 0) await n8n.tick();
	};
	const addForAll = (users: readonly User[], systolic = 120) =>
		users.forEach((user) => w.history.add(user, w.reading(0, systolic)));

	it('each user is read once in a round, and emitted in the poll in which they were read', async () => {
		const n8n = await watching();
		addForAll(team);
		let polls = 0;
		do {
			w.pass(MINUTE);
			const before = w.time.elapsed;
			const rows = (await n8n.tick()) ?? [];
			expect(w.time.elapsed - before).toBeLessThanOrEqual(BUDGET_MS);
			polls++;
			const emitted = names(n8n.executions.flat());
			expect(emitted).toEqual(team.slice(0, emitted.length).map((user) => user.client_user_id));
			expect(rows.length).toBeGreaterThan(0);
			expect(failedUsers(stateNow(n8n))).toBe(0);
		} while (!isDone(n8n));
		expect(polls).toBe(2);
		expect(new Set(w.readingRequests()).size).toBe(USERS);
		// Those in work when the time was up are requested again in the next poll.
		expect(w.readingRequests().length).toBeLessThanOrEqual(USERS + USERS_PER_REQUEST * options.concurrency);

		await finish(n8n);
		expect(names(n8n.executions.flat()).sort()).toEqual(team.map((user) => user.client_user_id).sort());
		w.pass(HOUR);
		addForAll([team[0], team[USERS - 1]], 130);
		await finish(n8n);
		expect(valuesOf(n8n.executions.flat().slice(USERS))).toEqual([130, 130]);
	});
});
