/**
 * Which readings are of a range and of the period that it is compared with: presets and open ends in any two zones, against days
 * that Intl names.
 */
import { DateTime } from 'luxon';
import type { ReadRange } from '../../../../nodes/HealthDataService/service/readings/rows';
import type { CompareWith } from '../../../../nodes/HealthDataService/service/readings/summary';
import { readRanges } from '../../../helpers/metrics';
import { fc } from '../../../helpers/properties';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Zones a day apart, half hours, midnights that come twice or not at all. */
const ZONES = [
	...[
		'UTC',
		'Europe/Berlin',
		'America/Los_Angeles',
		'America/New_York',
		'Asia/Tokyo',
		'Asia/Kolkata',
		'Atlantic/Azores',
	],
	...['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/Havana', 'Africa/Cairo', 'Asia/Beirut', 'America/Nuuk'],
	...['Australia/Lord_Howe', 'Pacific/Auckland', 'America/Santiago', 'America/St_Johns'],
];

const formats = new Map<string, Intl.DateTimeFormat>();

/** YYYY-MM-DD HH:MM:SS */
function localOf(time: number, timeZone: string): string {
	const format =
		formats.get(timeZone) ??
		new Intl.DateTimeFormat('sv-SE', {
			timeZone,
			dateStyle: 'short',
			timeStyle: 'medium',
		} as Intl.DateTimeFormatOptions);
	formats.set(timeZone, format);
	return format.format(time);
}
const dayIn = (time: number, zone: string) => localOf(time, zone).slice(0, 10);
const plus = (day: string, days: number) => new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10);
const weekday = (day: string) => (new Date(day).getUTCDay() + 6) % 7;

interface Named {
	first: string;
	/** Undefined for today. */
	last?: string;
	/** Days after today of which readings count; undefined for none after now. */
	ahead?: number;
}

/** The days of a range, named by the calendar of the node. */
const PRESETS: Record<string, (today: string) => Named> = {
	today: (today) => ({ first: today, ahead: 0 }),
	yesterday: (today) => ({ first: plus(today, -1), last: plus(today, -1) }),
	last7Days: (today) => ({ first: plus(today, -6) }),
	last30Days: (today) => ({ first: plus(today, -29) }),
	last90Days: (today) => ({ first: plus(today, -89) }),
	lastWeek(today) {
		const monday = plus(today, -weekday(today) - 7);
		return { first: monday, last: plus(monday, 6) };
	},
	lastMonth(today) {
		const last = plus(`${today.slice(0, 8)}01`, -1);
		return { first: `${last.slice(0, 8)}01`, last };
	},
	open: (today) => ({ first: plus(today, -3), ahead: 1 }),
	closed: (today) => ({ first: plus(today, -3), last: plus(today, 2) }),
};

interface Case {
	preset: string;
	now: number;
	node: string;
	user: string;
	compareWith?: CompareWith;
}

/** What the fields would be on the screen. */
function fieldsOf({ preset, now, node }: Case) {
	const { first, last = '' } = PRESETS[preset](dayIn(now, node));
	const isTyped = preset === 'open' || preset === 'closed';
	return isTyped ? { dateRange: 'days', startDate: first, endDate: last } : { dateRange: preset };
}

const rangeOf = (one: Case): ReadRange =>
	readRanges(
		{ ...fieldsOf(one), userTimeZone: true },
		one.node,
		DateTime.fromMillis(one.now),
		one,
	)({
		user_id: 'u',
		fallback_time_zone: { id: one.user },
	});

const latest = (...days: string[]) => days.sort().at(-1)!;

/** The days of the user, and whether a reading is of each period. */
function expectedOf({ preset, now, node, user, compareWith }: Case) {
	const { first, last, ahead } = PRESETS[preset](dayIn(now, node));
	const today = dayIn(now, user);
	const to = last ?? latest(today, dayIn(now, node));
	const end = plus(to, ahead ?? 0);
	const endsNow = last === undefined && ahead === undefined;
	const isOver = end < today;
	const reached = isOver ? to : latest(first, today);
	const days = compareWith === 'day' ? 1 : (Date.parse(to) - Date.parse(first)) / DAY + 1;
	const clock = localOf(now, user).slice(10);
	const [from_before, to_before] = [first, reached].map((day) => plus(day, -days));
	// The local time that the period before ends with.
	const until = isOver ? `${to_before} 24` : plus(today, -days) + clock;
	return {
		...{ from: first, to, from_before, to_before, until },
		hasBegun: first <= today,
		isAsked: (time: number) => {
			const day = dayIn(time, user);
			return first <= day && day <= end && (!endsNow || time <= now);
		},
		isBefore: (time: number) => from_before <= dayIn(time, user) && localOf(time, user) <= until,
	};
}

/** A local time that comes once. */
const isPlain = (time: number, zone: string) =>
	[-1, -0.5, 0.5, 1].every((hours) => localOf(time + hours * HOUR, zone) !== localOf(time, zone));
/** Whether the clocks change within a day, when "the same time of day" may not exist. */
const changesNear = (time: number, zone: string) =>
	localOf(time - DAY, zone).slice(10) !== localOf(time + DAY, zone).slice(10);

const anyCase = fc.record({
	preset: fc.constantFrom(...Object.keys(PRESETS)),
	now: fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2035, 0, 1) }).map((time) => time - (time % 1000)),
	node: fc.constantFrom(...ZONES),
	user: fc.constantFrom(...ZONES),
	compareWith: fc.constantFrom(undefined, 'period' as const, 'day' as const),
});
/** Hours before now, close to the edges of days too. */
const anyAgo = fc.oneof(fc.double({ min: -60, max: 2400, noNaN: true }), fc.integer({ min: -60, max: 400 }));

it('a reading of any two zones is of the periods that a calendar says', () => {
	fc.assert(
		fc.property(anyCase, fc.array(anyAgo, { maxLength: 8 }), (one, hoursAgo) => {
			const { now, user } = one;
			const { before, query, from, to, isAsked } = rangeOf(one);
			const expected = expectedOf(one);
			expect({ from, to, hasBegun: query !== undefined }).toMatchObject({
				...{ from: expected.from, to: expected.to, hasBegun: expected.hasBegun },
			});
			if (!query) return;
			if (before) expect(before).toMatchObject({ from: expected.from_before, to: expected.to_before });
			const [start, end] = [Date.parse(query.start_date), Date.parse(query.end_date)];
			const edges = [start - 1000, start, end, end + 1000];
			const limit = Date.parse(`${expected.until.replace(' ', 'T')}Z`);
			for (const time of [...edges, ...hoursAgo.map((hours) => Math.round(now - hours * HOUR))]) {
				const local = localOf(time, user);
				const isRead = start <= time && time <= end;
				const reading = { row: {}, values: [], time, local };
				expect([local, isRead && isAsked(reading)]).toEqual([local, expected.isAsked(time)]);
				if (!before || !isPlain(time, user) || (limit && changesNear(limit, user))) continue;
				expect([local, isRead && before.has(reading)]).toEqual([local, expected.isBefore(time)]);
			}
		}),
	);
});
