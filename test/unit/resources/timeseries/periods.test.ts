/**
 * Which readings are of a range and of the period that it is compared with: presets and open ends in any two zones, against days
 * that Intl names. Summaries of random readings, against a count of these.
 */
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { groupsOf, type ReadRange } from '../../../../nodes/HealthDataService/service/readings/rows';
import { summaryRows, type CompareWith } from '../../../../nodes/HealthDataService/service/readings/summary';
import { bloodPressure, readRanges } from '../../../helpers/metrics';
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

/** A reading that is no copy of another, with a time, a date only, or neither. */
const anyReading = fc.record({ hours: anyAgo, kind: fc.constantFrom('time', 'time', 'time', 'date', 'none') });

it('a summary has the readings of each period, counted one by one', () => {
	fc.assert(
		fc.property(anyCase, fc.array(anyReading, { maxLength: 20 }), (one, readings) => {
			const compareWith = one.compareWith ?? 'period';
			const { now, user } = one;
			const range = rangeOf({ ...one, compareWith });
			const expected = expectedOf({ ...one, compareWith });
			fc.pre(range.query !== undefined && !changesNear(Date.parse(expected.until.slice(0, 10)), user));
			const inPeriods = [0, 0];
			const data: IDataObject[] = [];
			for (const [index, { hours, kind }] of readings.entries()) {
				const time = Math.round(now - hours * HOUR);
				const date = dayIn(time, user);
				const { start_date, end_date } = range.query!;
				const isSent = kind !== 'time' || (Date.parse(start_date) <= time && time <= Date.parse(end_date));
				if (!isSent) continue;
				const timestamp = { time: new Date(time).toISOString(), date, none: null }[kind];
				data.push({ timestamp, systolic: 100 + index, diastolic: 70 });
				const isAsked = kind === 'time' ? expected.isAsked(time) : kind === 'none' || expected.from <= date;
				const { from_before, to_before } = expected;
				const isInDays = kind === 'date' && from_before <= date && date <= to_before;
				const isBefore = kind === 'time' ? expected.isBefore(time) : isInDays;
				inPeriods[0] += Number(isAsked);
				inPeriods[1] += Number(isBefore);
			}
			const groups = groupsOf({ groups: { omron: [{ data }] } });
			const options = {
				metric: bloodPressure,
				provider: '',
				sourceTypes: [],
				limits: {},
				onlyStatus: [],
			};
			const [row] = summaryRows({ ...options, rangeOf: () => range, compareWith }, groups, {
				user: { user_id: 'u', client_user_id: null },
				place: 1,
			});
			expect([row.readings, row.readings_before]).toEqual(inPeriods);
			expect(row).toMatchObject({ from_before: expected.from_before, to_before: expected.to_before });
		}),
	);
});

const BERLIN_MONDAY = Date.parse('2026-03-16T07:00:00+01:00');
const LOS_ANGELES_MONDAY = Date.parse('2026-03-16T17:00:00-07:00');
it.each([
	['lastWeek', 'America/Los_Angeles', '2026-03-09', '2026-03-15'],
	['yesterday', 'America/Los_Angeles', '2026-03-15', '2026-03-15'],
	['yesterday', 'Pacific/Kiritimati', '2026-03-15', '2026-03-15'],
	['lastMonth', 'America/Los_Angeles', '2026-02-01', '2026-02-28'],
	['last7Days', 'America/Los_Angeles', '2026-03-10', '2026-03-16'],
])('%s, Monday 07:00 in Berlin: a user in %s has the days of Berlin', (preset, user, from, to) => {
	expect(rangeOf({ preset, now: BERLIN_MONDAY, node: 'Europe/Berlin', user })).toMatchObject({ from, to });
});

it.each(['today', 'last7Days', 'open'])(
	'%s, Monday evening in Los Angeles: has what was measured this morning in Tokyo',
	(preset) => {
		const one = { preset, now: LOS_ANGELES_MONDAY, node: 'America/Los_Angeles', user: 'Asia/Tokyo' };
		const { to, query } = rangeOf(one);
		expect(to).toBe('2026-03-17');
		expect(Date.parse(query!.end_date)).toBeGreaterThanOrEqual(LOS_ANGELES_MONDAY);
	},
);
