/**
 * Table of progress: one long trouble of each kind, and what the trigger did meanwhile. `npm run model -- --table` prints it.
 */
import { ProgressPlayer } from './progressPlayer';
import type { ProgressHistory, Slowness, Stretch, Throttle } from './troubles';

type Own = Partial<Omit<ProgressHistory, 'scheduler' | 'readings'>> & {
	hours: number;
	readings: number;
	stretch?: Partial<Stretch>;
	throttle?: Partial<Throttle>;
	slowness?: Partial<Slowness>;
};

const always = { from: 2, until: Infinity };
const EVERY_MINUTES = 5;

const limit = (people: number, requests: number, minutes: number, isAnnounced: boolean, hours: number): Own => ({
	people,
	hours,
	readings: 40,
	throttle: { requests, minutes, isAnnounced },
});

const row = (people: number, hours: number, readings: number, stretch: Partial<Stretch>): Own => ({
	people,
	hours,
	readings,
	stretch,
});

const TROUBLES: Record<string, Own> = {
	'all of 20 never answer': row(20, 3, 0, { count: 20, fault: 'hang' }),
	'16 of 300 in a row never answer': row(300, 2, 48, { place: 100, count: 16, fault: 'hang' }),
	'60 of 300 in a row never answer': row(300, 5, 120, { place: 100, count: 60, fault: 'hang' }),
	'answers of 5 to 15 s, 24 users': { people: 24, hours: 1, readings: 12, slowness: {} },
	'100 requests a minute, Retry-After, 300 users': limit(300, 100, 1, true, 5),
	'100 requests a minute, 300 users': limit(300, 100, 1, false, 5),
	'25 requests an hour, Retry-After, 60 users': limit(60, 25, 60, true, 6),
	'25 requests an hour, 60 users': limit(60, 25, 60, false, 6),
	'100 of 300 in a row answer 500': row(300, 2.5, 32, { place: 100, count: 100, fault: '500' }),
	'60 of 300 in a row answer 503': row(300, 2.5, 32, { place: 100, count: 60, fault: '503' }),
	'one of 40 never answers': row(40, 2, 24, { place: 0, count: 1, fault: 'hang' }),
	'one of 40 has pages without end': row(40, 2, 24, { place: 0, count: 1, fault: 'endless' }),
	'another of 40 fails at each poll': row(40, 6, 48, { place: 0, count: 1, fault: '422', isMoving: true }),
};

function historyOf(kind: string, own: Own, scheduler: ProgressHistory['scheduler']): ProgressHistory {
	const { hours, readings, stretch, throttle, slowness, people = 1 } = own;
	const polls = (hours * 60) / EVERY_MINUTES;
	const isSound = (user: number) =>
		!stretch || stretch.isMoving || (user - stretch.place! + people) % people >= stretch.count!;
	const sound = Array.from({ length: people }, (_, user) => user).filter(isSound);
	return {
		kind,
		scheduler,
		people,
		latencyMs: 20,
		everyMinutes: EVERY_MINUTES,
		polls,
		stretches: stretch ? [{ ...always, place: 0, count: 1, fault: 'hang', ...stretch }] : [],
		throttles: throttle
			? [{ ...always, requests: 1, minutes: 1, isAnnounced: true, isSliding: false, ...throttle }]
			: [],
		slownesses: slowness ? [{ ...always, latencyMs: 5000, spreadMs: 10_000 }] : [],
		// Evenly over all polls in trouble but the last, and over all sound users.
		readings: Array.from({ length: sound.length > 0 ? readings : 0 }, (_, i) => ({
			poll: 2 + Math.floor((i * (polls - 2)) / readings),
			user: sound[Math.floor((i * sound.length) / readings)],
		})),
	};
}

export async function printTable(print: (line: string) => void, only: string) {
	print('| Trouble | Scheduler | Readings | Never read | Failed executions | Logged | First report | Longest poll |');
	print('|---|---|---|---|---|---|---|---|');
	for (const [kind, own] of Object.entries(TROUBLES)) {
		if (!kind.includes(only)) continue;
		for (const scheduler of ['memory', 'durable'] as const) {
			const breaches = new Map<string, number>();
			const breach = (what: string) => void breaches.set(what, (breaches.get(what) ?? 0) + 1);
			const player = new ProgressPlayer(historyOf(kind, own, scheduler), undefined, breach as never);
			let line = '';
			const describe = () => {
				const { reads, reports, longestMs, hours } = player;
				const first = reports.firstReported === undefined ? 'never' : `poll ${reports.firstReported - 1}`;
				const out = `${reads.emitted} of ${reads.expected} in ${hours.toFixed(1)} h`;
				line = `${out} | ${reads.unreadSince(always.from - 1)} | ${reports.failed} | ${reports.logged} | ${first} | ${(longestMs / 1000).toFixed(0)} s`;
			};
			try {
				await player.play(describe);
			} catch (error) {
				if (!line) describe();
				breach(error.message);
			}
			print(`| ${kind} | ${scheduler} | ${line} |`);
			for (const [what, times] of breaches) print(`    ${times} × ${what}`);
		}
	}
}
