/**
 * The trigger against a model that remembers everything: random histories of the service, with late, corrected, removed and
 * repeated readings, and random polls, failures, kills, restarts and wrong clocks of n8n. Every poll must emit exactly what
 * is new to the model. The engine's own PollContext, over real HTTP.
 */
import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';
import { RETRY_LIMITS } from '../../nodes/HealthDataService/http/retry';
import type { User } from '../../dev/sandbox/schemas';
import { History, type Entry } from '../helpers/history';
import { bloodPressure } from '../helpers/people';
import { PollingHost } from '../helpers/pollingHost';
import { useSandbox } from '../helpers/requests';

const RUNS = 2000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LOOKBACK = 6 * HOUR;
const NOON = Date.UTC(2026, 5, 1, 12);
const EVERYBODY: INodeParameters = { event: 'bloodPressure', userScope: 'all', options: { lookback: LOOKBACK / HOUR } };

const history = new History();
const used = useSandbox(() => ({ world: history, checksItself: false }));

/** The request of a poll at which the service begins to fail, if it does. */
const failure = fc.option(fc.integer({ min: 1, max: 6 }), { freq: 3, nil: undefined });

/** What happens, one thing after the other. Numbers choose among what there is. */
const step = fc.oneof(
	{
		weight: 5,
		arbitrary: fc.record({
			do: fc.constant('measure' as const),
			user: fc.nat(9),
			source: fc.constantFrom('omron cuff', 'omron phone', 'withings cuff'),
			ago: fc.integer({ min: 0, max: LOOKBACK / MINUTE }),
			late: fc.double({ min: 0, max: 1, noNaN: true }),
			micro: fc.constantFrom('000', '001', '500'),
			systolic: fc.integer({ min: 100, max: 103 }),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant('correct' as const),
			which: fc.nat(99),
			systolic: fc.integer({ min: 100, max: 103 }),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), which: fc.nat(99) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constantFrom('join' as const, 'leave' as const), user: fc.nat(9) }) },
	{
		weight: 3,
		arbitrary: fc.record({
			do: fc.constant('wait' as const),
			minutes: fc.constantFrom(1, 10, 59, 200, 360, 1000, 5000),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({ do: fc.constant('setClock' as const), hours: fc.constantFrom(-100, -5, 0, 0, 5, 100) }),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant('write' as const),
			timestamps: fc.constantFrom('microseconds' as const, 'z' as const, 'offset' as const, 'noZone' as const),
		}),
	},
	{ weight: 5, arbitrary: fc.record({ do: fc.constant('poll' as const), failsAt: failure }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constantFrom('kill' as const, 'activate' as const), failsAt: failure }) },
);

const service = fc.record({
	pageSize: fc.integer({ min: 1, max: 4 }),
	overlap: fc.boolean(),
	emptyPages: fc.boolean(),
});

/** Remembers every reading it was ever shown. */
class Model {
	readonly seen = new Map<string, number>();
	private since?: number;
	private isComplete = false;

	/** What a poll that reads all of `entries` must emit. */
	poll(entries: Entry[], isActivation: boolean): string[] {
		const isNew = ({ reading }: Entry) => this.isComplete || (!isActivation && reading.time > this.since!);
		const expected: string[] = [];
		for (const entry of entries) {
			const { systolic } = entry.reading.point as { systolic: number };
			const known = this.seen.get(keyOf(entry));
			this.seen.set(keyOf(entry), systolic);
			if (known !== systolic && isNew(entry))
				expected.push(`${keyOf(entry)} ${systolic} ${known === undefined ? 'created' : 'updated'}`);
		}
		this.isComplete = true;
		return expected.sort();
	}

	begin(now: number) {
		this.since ??= now;
	}
}

const keyOf = ({ user, reading }: Entry) =>
	[
		user.user_id,
		reading.source.provider,
		reading.source.type,
		reading.time,
		microOf(reading.point as { timestamp: string }),
	].join(' ');

const microOf = ({ timestamp }: { timestamp: string }) =>
	(/\.(\d+)/.exec(timestamp)?.[1] ?? '').padEnd(6, '0').slice(3);

// Tried once: how often a request is repeated is tested elsewhere.
beforeAll(() => Object.assign(RETRY_LIMITS, { tries: 1, firstWaitMs: 0 }));

it('emits every reading and every correction exactly once', async () => {
	let executed = 0;
	const property = fc.asyncProperty(
		fc.array(step, { minLength: 5, maxLength: 40 }),
		service,
		failure,
		async (steps, switches, firstFailsAt) => {
			Object.assign(used.sandbox.switches, { ...switches, timestamps: 'microseconds', fault: () => undefined });
			history.entries = [];
			history.team.users = [];
			const users: User[] = [0, 1, 2].map((name) => history.addUser(String(name)));
			let now = NOON;
			let offset = 0;
			used.sandbox.switches.now = () => now;
			jest.spyOn(Date, 'now').mockImplementation(() => now + offset);

			const n8n = new PollingHost(used.credential, EVERYBODY);
			const model = new Model();
			const present = () =>
				history.entries.filter(({ user, reading }) => history.team.users.includes(user) && reading.arrived <= now);

			const poll = async (
				run: () => Promise<unknown>,
				failsAt: number | undefined,
				isStart: boolean,
				isActivation: boolean,
			) => {
				model.begin(now);
				const begun = used.sandbox.requests.length;
				// From some request on everything fails; a poll that needs fewer is not touched by it.
				used.sandbox.switches.fault = (number) => (failsAt && number >= begun + failsAt ? { status: 500 } : undefined);
				const executions = n8n.executions.length;
				let failed = false;
				try {
					await run();
				} catch {
					failed = true;
				}
				used.sandbox.switches.fault = () => undefined;
				const emitted = n8n.executions.slice(executions).flat();
				const wasRefused = failsAt !== undefined && used.sandbox.requests.length >= begun + failsAt;
				// A start swallows what can pass.
				expect(failed).toBe(wasRefused && !isStart);
				const expected = wasRefused ? [] : model.poll(present(), isActivation);
				expect(emitted.map(described).sort()).toEqual(expected);
				executed += emitted.length;
			};

			await poll(async () => await n8n.start(), firstFailsAt, true, true);
			for (const one of [...steps, { do: 'poll' as const, failsAt: undefined }]) {
				switch (one.do) {
					case 'measure': {
						const time = now - one.ago * MINUTE;
						const [provider, type] = one.source.split(' ');
						const user = users[one.user % users.length];
						const text = new Date(time).toISOString().replace('Z', `${one.micro}Z`);
						const entry: Entry = {
							user,
							metric: 'blood_pressure',
							reading: {
								...bloodPressure(text, one.systolic, 80, provider, type),
								// Not before now, and not later than the lookback.
								arrived: now + one.late * (LOOKBACK - one.ago * MINUTE),
							},
						};
						if (!history.entries.some((other) => keyOf(other) === keyOf(entry))) history.entries.push(entry);
						break;
					}
					case 'correct': {
						const recent = history.entries.filter(({ reading }) => reading.time >= now - LOOKBACK);
						if (recent.length)
							Object.assign(recent[one.which % recent.length].reading.point, { systolic: one.systolic });
						break;
					}
					case 'remove':
						if (history.entries.length) history.remove(history.entries[one.which % history.entries.length]);
						break;
					case 'join':
						users.push(history.addUser(String(users.length)));
						break;
					case 'leave':
						if (history.team.users.length > 1) history.removeUser(users[one.user % users.length]);
						break;
					case 'wait':
						now += one.minutes * MINUTE;
						break;
					case 'setClock':
						offset = one.hours * HOUR;
						break;
					case 'write':
						used.sandbox.switches.timestamps = one.timestamps;
						break;
					case 'poll':
						await poll(async () => await n8n.tick(), one.failsAt, false, false);
						break;
					case 'kill':
					case 'activate':
						n8n.kill();
						await poll(async () => await n8n.start(one.do === 'kill' ? 'init' : 'activate'), one.failsAt, true, false);
				}
			}
		},
	);
	await fc.assert(property, { numRuns: RUNS, endOnFailure: false, interruptAfterTimeLimit: undefined });
	// A test of nothing would pass, too.
	expect(executed).toBeGreaterThan(RUNS);
}, 600_000);

const described = (row: Record<string, unknown>) => {
	const time = Date.parse(
		/Z|[+-]\d\d:?\d\d$/.test(String(row.timestamp)) ? String(row.timestamp) : `${row.timestamp}Z`,
	);
	return [
		row.user_id,
		row.provider,
		row.source_type,
		time,
		microOf({ timestamp: String(row.timestamp) }),
		row.systolic,
		row.change,
	].join(' ');
};
