/**
 * Progress under trouble that lasts: hanging, slow and failing users, and limits of the service. The readings of sound users are
 * emitted within two rounds, sound users are read equally often, and trouble is reported by the second poll, then hourly.
 */
import type { User } from '../../dev/sandbox/schemas';
import type { Fault } from '../../dev/sandbox/troubles';
import { RETRY_LIMITS } from '../../nodes/HealthDataService/http/retry';
import { isLong } from '../helpers/properties';
import {
	allUsers,
	HOUR,
	MINUTE,
	NOON,
	failedUsers,
	isPassComplete,
	onBothSchedulers,
	stateNow,
	watch,
} from '../helpers/watch';

/** The larger one only where there is time. */
const TEAM = isLong ? 120 : 36;

const HANGS: Fault = { delayMs: 100 * HOUR };

/** Of a user by place, from 0, at the service's time (ms). */
type FaultOf = (place: number, now: number) => Fault | undefined;

/** A limit of so many requests in each window of `ms`, which refused requests do not use up. */
function limitOf(count: number, ms: number, withRetryAfter: boolean) {
	let window = -1;
	let left = 0;
	return (now: number): Fault | undefined => {
		if (Math.floor(now / ms) !== window) [window, left] = [Math.floor(now / ms), count];
		if (left > 0) return void left--;
		const seconds = Math.ceil((ms - (now % ms)) / 1000);
		return { status: 429, ...(withRetryAfter && { headers: { 'retry-after': String(seconds) } }) };
	};
}

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	const users = () => w.history.team.users;
	const { baseDelayMs, maxDelayMs } = RETRY_LIMITS;
	// As in use, and not as short as in other tests.
	beforeAll(() => void Object.assign(RETRY_LIMITS, { baseDelayMs: 500, maxDelayMs: 30_000 }));
	afterAll(() => void Object.assign(RETRY_LIMITS, { baseDelayMs, maxDelayMs }));
	const isDurable = scheduler === 'durable';

	interface Play {
		count: number;
		polls: number;
		/** Between two polls. */
		minutes?: number;
		faultOf?: FaultOf;
		/** For all requests, those of the list included. */
		limit?: (now: number) => Fault | undefined;
		isSound?: (place: number) => boolean;
	}

	/** Polls a team, of whom a sound user has a new reading before each poll. */
	async function play({ count, polls, minutes = 5, faultOf, limit, isSound = () => true }: Play) {
		for (let i = users().length; i < count; i++) w.history.addUser(`user ${i}`);
		const places = new Map(users().map(({ user_id }, place) => [user_id, place]));
		const sound = users().filter((_, place) => isSound(place));
		const reads = new Map(sound.map(({ user_id }) => [user_id, 0]));
		const n8n = w.trigger(allUsers);
		await n8n.start();
		w.used.sandbox.switches.fault = (_, url) => {
			const now = w.clock - NOON + w.time.elapsed;
			const refused = limit?.(now);
			if (refused) return refused;
			const id = /timeseries\/([^/]+)\//.exec(url)?.[1];
			if (id === undefined) return undefined;
			if (reads.has(id)) reads.set(id, reads.get(id)! + 1);
			return faultOf?.(places.get(id)!, now);
		};
		const arrived = new Map<string, number>();
		const waits: number[] = [];
		const tookMs: number[] = [];
		const errors: Error[] = [];
		let silent = 0;
		let reportedAt: number | undefined;
		let longestSilence = 0;
		let failed = 0;
		for (let poll = 0; poll < polls; poll++) {
			w.pass(minutes * MINUTE);
			const user: User = sound[(poll * 37) % sound.length];
			w.history.add(user, w.reading(0));
			const key = (id: string, timestamp: string) => `${id} ${Date.parse(timestamp)}`;
			arrived.set(key(user.user_id, new Date(w.clock).toISOString()), poll);
			const begun = w.time.elapsed;
			const reportsBefore = errors.length + n8n.reported.length;
			const items = await n8n.tick().catch((error: Error) => void errors.push(error));
			tookMs.push(w.time.elapsed - begun);
			if (errors.length + n8n.reported.length === 0) silent++;
			longestSilence = Math.max(longestSilence, w.clock - (reportedAt ?? w.clock));
			if (errors.length + n8n.reported.length > reportsBefore) reportedAt = w.clock;
			failed = Math.max(failed, failedUsers(stateNow(n8n)));
			for (const { user_id, timestamp } of items ?? []) {
				const one = key(String(user_id), String(timestamp));
				waits.push(poll - arrived.get(one)!);
				arrived.delete(one);
			}
		}
		const counts = [...reads.values()];
		const result = {
			out: `${waits.length} of ${polls}`,
			longestWait: Math.max(...waits, ...[...arrived.values()].map((poll) => polls - poll)),
			difference: Math.max(...counts) - Math.min(...counts),
			unread: counts.filter((n) => n === 0).length,
			errors: errors.length,
			reports: n8n.reported.length,
			silent,
			longestSilence,
			failed,
			firstMs: tookMs[0],
			laterMs: Math.max(...tookMs.slice(1)),
		};
		return { ...result, n8n, messages: [...new Set(n8n.reported.map(({ message }) => message))] };
	}
	const stretch = (from: number, length: number) => (place: number) => place >= from && place < from + length;

	it('all users hang: reported by the first poll', async () => {
		const { silent, reports, errors } = await play({ count: 20, polls: 3, faultOf: () => HANGS });
		expect([silent, reports, errors]).toEqual([0, 1, 0]);
	});

	it.each<[string, number, Fault, number]>([
		...(isLong ? [['some hang', 16, HANGS, 12] satisfies [string, number, Fault, number]] : []),
		['many hang', 60, HANGS, 12],
		['many answer 500', 60, { status: 500 }, 6],
		['many answer 503', 60, { status: 503 }, 6],
	])('%s in a row: all others are read in each second poll', async (_, most, fault, mostPolls) => {
		// After twenty failures in a row a poll asks whether the service fails as a whole.
		const [length, polls] = isLong ? [most, mostPolls] : [20, 3];
		const isBroken = stretch(TEAM / 3, length);
		const faultOf = (place: number) => (isBroken(place) ? fault : undefined);
		const isSound = (place: number) => !isBroken(place);
		const { longestWait, difference, errors, reports, silent } = await play({ count: TEAM, polls, faultOf, isSound });
		expect([silent, errors, reports]).toEqual([0, 0, Math.ceil((polls * 5) / 60)]);
		expect(longestWait).toBeLessThanOrEqual(2);
		expect(difference).toBeLessThanOrEqual(2);
	});

	it('answers take 5 to 15 seconds: the round moves on in each poll', async () => {
		let request = 0;
		const faultOf = () => ({ delayMs: 5000 + ((request++ * 3700) % 10_000) });
		const { longestWait, difference, reports, errors } = await play({
			count: isLong ? 60 : 36,
			polls: isDurable ? (isLong ? 24 : 9) : isLong ? 6 : 2,
			faultOf,
		});
		expect([errors, reports]).toEqual([0, 0]);
		// Durable, a poll has time for two or three answers in each of eight places.
		expect(longestWait).toBeLessThanOrEqual(isDurable ? 8 : 2);
		expect(difference).toBeLessThanOrEqual(2);
	});

	it.each([true, false])('a third of the team a minute, Retry-After: %s', async (withRetryAfter) => {
		const limit = limitOf(TEAM / 3, MINUTE, withRetryAfter);
		const { longestWait, difference, errors, messages, failed } = await play({
			count: TEAM,
			polls: isDurable ? (isLong ? 12 : 8) : isLong ? 4 : 2,
			limit,
		});
		expect([errors, failed]).toEqual([0, 0]);
		// In memory, the random delays decide whether one poll has time for all users.
		const isTold = isDurable || longestWait + difference > 0;
		expect(messages).toEqual(isTold ? [expect.stringContaining('The service limits the requests')] : []);
		expect(longestWait).toBeLessThanOrEqual(isDurable ? 8 : 2);
		expect(difference).toBeLessThanOrEqual(2);
	});

	it.each([true, false])('less than half of the team an hour, Retry-After: %s', async (withRetryAfter) => {
		// The delays are random, and the same whichever tests ran before.
		w.time.random = 1234;
		const limit = limitOf(isLong ? 25 : 10, HOUR, withRetryAfter);
		const [count, minutes, hours] = isLong ? [60, 5, 8] : [24, 15, 5];
		const polls = (hours * 60) / minutes;
		const { longestWait, longestSilence, unread, difference, messages, failed } = await play({
			count,
			polls,
			minutes,
			limit,
		});
		expect(messages).not.toEqual([]);
		for (const message of messages) expect(message).toContain('The service limits the requests');
		// Hourly, with the next poll.
		expect(longestSilence).toBeLessThanOrEqual(HOUR + minutes * MINUTE);
		expect([unread, difference <= 2, failed]).toEqual([0, true, 0]);
		// A round takes three hours.
		expect(longestWait).toBeLessThanOrEqual((2 * 3 * 60) / minutes);
	});

	it('half of the team in each poll, without Retry-After: reported though each second poll completes its round', async () => {
		const limit = limitOf(8, 20 * MINUTE, false);
		const { silent, errors, reports } = await play({ count: 12, polls: 8, minutes: 20, limit });
		// Backoff is random.
		expect([silent <= 3, errors, reports > 0]).toEqual([true, 0, true]);
	});

	it.each([true, false])('every request is refused, Retry-After: %s: one failed execution an hour', async (is) => {
		const headers = { 'retry-after': '1800' };
		const limit = () => ({ status: 429, ...(is && { headers }) });
		const { silent, errors, reports } = await play({ count: 3, polls: 12, minutes: 15, limit });
		expect([silent, errors + reports]).toEqual([0, 3]);
	});

	it('requests that a limit holds back end with the poll', async () => {
		const limit = limitOf(17, HOUR, false);
		const faultOf = (place: number) => (place < 12 ? { status: 500 } : undefined);
		const { firstMs, laterMs } = await play({ count: 14, polls: 3, faultOf, limit });
		// The budget, and a step of the timers.
		expect(Math.max(firstMs, laterMs)).toBeLessThanOrEqual(isDurable ? 36_200 : 300_200);
	});

	it('a limit that two polls in a row meet is reported, also if the first of them read all users', async () => {
		let begun = -Infinity;
		let polls = 0;
		let requests = 0;
		const limit = (now: number) => {
			if (now - begun >= 5 * MINUTE) [begun, requests, polls] = [now, 0, polls + 1];
			requests++;
			const isRefused = polls === 1 ? requests === 1 : requests > 10;
			return isRefused ? { status: 429 } : undefined;
		};
		const { messages, silent, errors } = await play({ count: TEAM, polls: 2, minutes: 10, limit });
		expect([errors, silent, messages]).toEqual([0, 1, [expect.stringContaining('The service limits the requests')]]);
	});

	it('a limit that holds back the user list until the poll is almost over is reported', async () => {
		let begun = -Infinity;
		const limit = (now: number) => {
			if (now - begun < 5 * MINUTE) return undefined;
			begun = now;
			return { status: 429, headers: { 'retry-after': isDurable ? '19' : '239' } };
		};
		const faultOf = () => ({ delayMs: 2000 });
		const { messages, errors } = await play({ count: 20, polls: 1, minutes: 10, limit, faultOf });
		expect([errors, messages]).toEqual([0, [expect.stringContaining('The service limits the requests')]]);
	});

	// A poll in memory has time for slow answers of larger teams.
	if (isDurable)
		it('answers are slow: failed users are tried in each second poll, and reported hourly', async () => {
			const faultOf = (place: number) => (place === 2 ? { status: 500 } : { delayMs: 11_500 });
			const isSound = (place: number) => place !== 2;
			const story = { count: 14, polls: 8, minutes: 30, faultOf, isSound };
			const { reports, longestSilence, longestWait, errors } = await play(story);
			expect([errors, reports, longestSilence / HOUR, longestWait <= 2]).toEqual([0, 4, 1, true]);
		});

	it('one user never answers: others wait for one timeout, and in later polls for a part of it', async () => {
		const faultOf = (place: number) => (place === 0 ? HANGS : undefined);
		const { firstMs, laterMs, longestWait } = await play({
			count: 20,
			polls: 3,
			faultOf,
			isSound: (place) => place > 0,
		});
		expect(longestWait).toBe(0);
		expect([firstMs, laterMs].map((ms) => Math.round(ms / 1000))).toEqual(isDurable ? [16, 8] : [60, 30]);
	});

	it.each([
		['first', 0],
		['in the middle', 3],
		['last', 8],
	])('the user who is %s in the list is refused in each poll: keeps no round open for long', async (_, refused) => {
		// For three polls in a row it may be the limit of all.
		const most = 4;
		for (const withRetryAfter of [true, false]) {
			const refusal = { status: 429, ...(withRetryAfter && { headers: { 'retry-after': '5' } }) };
			const faultOf = (place: number) => (place === refused ? refusal : { delayMs: 100 });
			const isSound = (place: number) => place !== refused;
			const { longestWait, difference, errors, messages, failed, n8n } = await play({
				count: 9,
				polls: most + 3,
				faultOf,
				isSound,
			});
			expect([errors, difference <= 2, failed, isPassComplete(stateNow(n8n))]).toEqual([0, true, 0, true]);
			for (const message of messages) expect(message).toContain('The service limits the requests');
			expect(longestWait).toBeLessThanOrEqual(most);
			w.history.team.users = [];
		}
	});
});
