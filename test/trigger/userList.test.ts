/**
 * User lists that a poll cannot read to their end, or that are wrong for a while: users within reach are read again and again, nobody
 * seems to have joined, and nothing is lost.
 */
import type { INodeParameters } from 'n8n-workflow';
import type { User } from '../../dev/sandbox/schemas';
import type { Fault } from '../../dev/sandbox/switches';
import { USERS_PER_REQUEST } from '../../nodes/HealthDataService/service/readings/readUsers';
import { allUsers, failedUsers, HOUR, isPassComplete, MINUTE, savedState, valuesOf, watch } from '../helpers/watch';

const limited = (seconds: number): Fault => ({ status: 429, headers: { 'retry-after': String(seconds) } });

describe('a list that is not read to its end', () => {
	const w = watch('durable', { names: [], isPatient: true });

	it.each<[string, INodeParameters | undefined, number, Record<string, Fault>]>([
		['takes longer than a poll', undefined, 18, { '/v2/user?': { delayMs: 14_400 } }],
		['has a page that hangs', undefined, 4, { 'offset=1': { delayMs: 10 * HOUR } }],
		['takes almost a whole poll at a low rate', { requestsPerSecond: 0.5 }, 20, {}],
	])('because it %s: the users at its beginning are read in each pass', async (_, options, count, faults) => {
		const users = w.users(count);
		w.switches.userPageCap = 1;
		const n8n = w.trigger({ ...allUsers, ...(options && { options }) }, { budgetMs: 36_000 });
		await n8n.start().catch(() => undefined);
		w.answer(faults);
		await w.polls(n8n, 6, 6 * MINUTE);
		w.measure(users[0], 131);
		expect(valuesOf(await w.polls(n8n, 8, 6 * MINUTE))).toEqual([131]);
		expect(w.errors).toEqual([]);
	});

	it('because a limit allows fewer pages in a poll: the users at its beginning are read, and it is told', async () => {
		const users = w.users(20);
		w.switches.userPageCap = 2;
		let [since, lists] = [0, 0];
		const ofList = () => {
			if (w.clock - since >= MINUTE) [since, lists] = [w.clock, 0];
			return ++lists > 10 ? { status: 429 } : undefined;
		};
		w.answer({ '/v2/user?': ofList });
		const n8n = await w.started(allUsers, { budgetMs: 36_000 });
		await w.polls(n8n, 11, 6 * MINUTE);
		w.measure(users[0], 131);
		expect(valuesOf(await w.polls(n8n, 4, 6 * MINUTE))).toEqual([131]);
		expect(n8n.reported.at(-1)!.message).toContain('not reached for an hour');
	});

	it('for hours is told each hour, though all users within reach are read', async () => {
		w.users(4);
		w.switches.userPageCap = 2;
		w.answer({ 'offset=2': { delayMs: 10 * HOUR } });
		const n8n = await w.started();
		await w.polls(n8n, 10, 20 * MINUTE);
		expect(n8n.reported.length).toBeGreaterThan(1);
		for (const { message } of n8n.reported) expect(message).toContain('The last users of the list were not reached');
	});
});

describe('a list that is limited', () => {
	const w = watch('memory');
	const limitFrom = (offset: number, seconds: number) => (url: string) =>
		Number(/offset=(\d+)/.exec(url)?.[1] ?? 0) >= offset ? limited(seconds) : undefined;

	it.each(['bloodPressure', 'user'])('in the first pass, for hours: nothing old goes out (%s)', async (event) => {
		w.measure(w.ben, 190, 20 * HOUR);
		w.switches.userPageCap = 1;
		w.answer({ '/v2/user?': limitFrom(1, 3600) });
		const n8n = await w.started({ ...allUsers, event });
		for (let poll = 0; poll < 3; poll++) {
			if (poll === 2) w.answer({});
			expect(await w.after(n8n, 61 * MINUTE)).toEqual([]);
		}
	});

	it('and a user of the first page fails: the others of that page are read, and that user once sound', async () => {
		w.history.addUser('carl');
		w.switches.userPageCap = 2;
		const n8n = await w.started();
		w.answer({ [w.anna.user_id]: { status: 422 } });
		await w.after(n8n);
		w.answer({ [w.anna.user_id]: { status: 422 }, '/v2/user?': limitFrom(1, 290) });
		const values = [190, 191, 192, 193, 194, 195];
		for (const value of values) {
			w.measure(w.ben, value);
			await w.after(n8n, 5 * MINUTE);
		}
		expect(valuesOf(n8n.executions.flat())).toEqual(expect.arrayContaining(values.slice(0, 5)));
		w.answer({ '/v2/user?': limitFrom(1, 290) });
		w.measure(w.anna, 200);
		for (let poll = 0; poll < 6; poll++) await w.after(n8n, 5 * MINUTE);
		expect(valuesOf(n8n.executions.flat())).toContain(200);
	});
});

describe('a team that takes two polls', () => {
	const w = watch('durable', { names: [] });
	/** In one second, two requests of 100 ms at once read about 15 users. */
	const BUDGET_MS = 1500;
	const concurrency = 2;

	it('each user is read once, and emitted in the poll that read the user', async () => {
		const team = w.users(25);
		const namesOf = (users: readonly User[]) => users.map((user) => user.client_user_id);
		const n8n = await w.started({ ...allUsers, options: { concurrency } }, { budgetMs: BUDGET_MS });
		expect(isPassComplete(savedState(n8n))).toBe(true);
		w.used.sandbox.requests.length = 0;
		w.switches.latencyMs = 100;
		for (const user of team) w.measure(user);
		for (const isDone of [false, true]) {
			const begun = w.time.elapsed;
			expect(await w.after(n8n)).not.toEqual([]);
			expect(w.time.elapsed - begun - MINUTE).toBeLessThanOrEqual(BUDGET_MS);
			const emitted = n8n.executions.flat().map(({ client_user_id }) => client_user_id);
			expect(emitted).toEqual(namesOf(team).slice(0, emitted.length));
			expect(failedUsers(savedState(n8n))).toBe(0);
			expect(isPassComplete(savedState(n8n))).toBe(isDone);
		}
		expect(new Set(w.readingRequests()).size).toBe(25);
		// Those in work when the time was up are requested again in the next poll.
		expect(w.readingRequests().length).toBeLessThanOrEqual(25 + USERS_PER_REQUEST * concurrency);
		expect(n8n.executions.flat()).toHaveLength(25);
	});
});

describe('a list', () => {
	const w = watch('durable');
	const EMPTY: Fault = { status: 200, body: { users: [], total: 0, offset: 0, limit: 500 } };
	const empty = (isEmpty: boolean) => w.answer(isEmpty ? { '/v2/user?': EMPTY } : {});
	const showBen = (isShown: boolean) => {
		w.history.team.users = isShown ? [w.anna, w.ben] : [w.anna];
	};
	/** The values of so many polls with a wrong list, and of two polls after it. */
	const around = async (change: (isWrong: boolean) => void, polls: number, ms: number) => {
		const n8n = await w.started();
		const rows: unknown[] = [];
		for (let poll = 0; poll < polls + 2; poll++) {
			change(poll < polls);
			w.measure(w.anna, 200 + poll);
			w.measure(w.ben, 300 + poll);
			rows.push(...(await w.after(n8n, ms)));
		}
		const expected = Array.from({ length: polls + 2 }, (_, poll) => [200 + poll, 300 + poll]).flat();
		expect(rows.sort()).toEqual(expected.sort());
		return n8n;
	};

	it('that is empty for longer than the lookback loses no reading, and is told', async () => {
		const n8n = await around(empty, 6, 12 * HOUR);
		expect(n8n.reported).toHaveLength(6);
		expect(n8n.reported[0].message).toContain('The user list of the service is empty, and had users before');
	});

	it('that is empty for longer than two lookbacks: a user who joined at the beginning is new from then on', async () => {
		const n8n = await w.started();
		empty(true);
		w.pass(HOUR);
		w.measure(w.history.addUser('carl'), 150);
		for (let poll = 0; poll < 10; poll++) await w.after(n8n, 11 * HOUR);
		empty(false);
		expect(await w.after(n8n, HOUR)).toEqual([150]);
	});

	it('that lacks a user for less than the lookback loses no reading; meanwhile that user is not read or reported', async () => {
		const n8n = await around((isWrong) => showBen(!isWrong), 5, 8 * HOUR);
		expect(n8n.reported).toEqual([]);
	});

	it('that shows a missing user again, who fails then: told', async () => {
		const n8n = await w.started();
		showBen(false);
		await w.after(n8n, HOUR);
		showBen(true);
		w.switches.users = { ben: 'fails' };
		await w.after(n8n, HOUR);
		expect(n8n.reported).toHaveLength(1);
	});

	it.each<[string, number, number]>([
		['is empty', 72, 0],
		['lacks a user', 50, 1],
	])('that %s for %i hours, then New User: %i new', async (what, hours, count) => {
		const n8n = await w.started({ event: 'user' });
		await n8n.tick();
		const polls = [true, true, true, false, false];
		for (const isWrong of polls) {
			if (what === 'is empty') empty(isWrong);
			else showBen(!isWrong);
			await w.after(n8n, (hours * HOUR) / 2);
		}
		expect(n8n.executions.flat()).toHaveLength(count);
	});

	it.each([
		['bloodPressure', [122]],
		['user', [undefined]],
	])('that is empty at the publication: who was there is not new (%s)', async (event, expected) => {
		w.measure(w.anna, 121);
		empty(true);
		const n8n = await w.started({ ...allUsers, event });
		empty(false);
		expect(await w.after(n8n)).toEqual([]);
		w.measure(w.anna, 122);
		w.history.addUser('carl');
		expect(await w.after(n8n)).toEqual(expected);
	});

	it('of a team that gets its first user: what is older than the lookback is not new', async () => {
		const { users } = w.history.team;
		w.history.team.users = [];
		const n8n = await w.started();
		for (let day = 0; day < 10; day += 2) await w.after(n8n, 48 * HOUR);
		w.history.team.users = users;
		w.measure(w.anna, 160, 60 * HOUR);
		w.measure(w.anna, 120, 20 * HOUR);
		expect(await w.after(n8n)).toEqual([120]);
		expect(n8n.reported).toEqual([]);
	});
});
