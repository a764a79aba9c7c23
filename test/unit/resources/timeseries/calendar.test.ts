/**
 * First and last instants of calendar days, compared with Intl for every minute around each change of clocks.
 * A sample of zones and days; `EVERY_DAY=1 npx jest … calendar` takes all zones and all days from 2000 to 2035, and about half an hour.
 */
import { DateTime } from 'luxon';
import { edgeOf } from '../../../../nodes/HealthDataService/resources/timeseries/calendar';
import { EVERY_DAY } from '../../../helpers/properties';

/** Undefined for a day that the zone left out. */
function calendarDay(day: string, zone: string) {
	const [first, last] = (['first', 'last'] as const).map((edge) => +edgeOf(DateTime.fromISO(day), zone, edge));
	return last < first ? undefined : { first, last };
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const day = (time: number) => new Date(time).toISOString().slice(0, 10);
const dayIn = (timeZone: string) => {
	const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
	return (time: number) => format.format(time);
};
const clockIn = (timeZone: string) => {
	const format = new Intl.DateTimeFormat('en-CA', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
	return (time: number) => format.format(time);
};

/** Days (as midnights in UTC) near which the clocks are changed: a day later they do not show the same time of the next day. */
function changesIn(zone: string, from: number, to: number): number[] {
	const [named, clock] = [dayIn(zone), clockIn(zone)];
	const changes: number[] = [];
	for (let time = from; time < to; time += DAY) {
		const next = day(Date.parse(named(time)) + DAY);
		if (clock(time) !== clock(time + DAY) || named(time + DAY) !== next) changes.push(time);
	}
	return changes;
}

/**
 * What every minute near a change says: the first and the last one of each day, and which days were left out. Of an hour that
 * begins and ends on one day, at clocks an hour apart, the minutes between are not read: Intl is slow.
 */
function daysAround(change: number, zone: string): Map<string, { first: number; last: number } | undefined> {
	const [named, clock] = [dayIn(zone), clockIn(zone)];
	const hourOf = (time: number) => Number(clock(time).slice(0, 2));
	const isPlain = (time: number) =>
		named(time) === named(time + HOUR) &&
		hourOf(time) + 1 === hourOf(time + HOUR) &&
		clock(time).slice(2) === clock(time + HOUR).slice(2);
	const seen = new Map<string, { first: number; last: number }>();
	for (let time = change - 3 * DAY, step; time < change + 4 * DAY; time += step) {
		step = isPlain(time) ? HOUR : MINUTE;
		const name = named(time);
		if (!seen.has(name)) seen.set(name, { first: time, last: time });
		[...seen.values()].at(-1)!.last = time + step - 1;
	}
	// The first and the last day are incomplete.
	return new Map([-1, 0, 1, 2].map((step) => [day(change + step * DAY), seen.get(day(change + step * DAY))]));
}

/** Of the days without a change, the sample has every fourth. */
const DAYS = EVERY_DAY ? 1 : 4;

/** The days whose edges are wrong, and how many changes of clocks there were. */
function check(zone: string, from: number, to: number) {
	const wrong: string[] = [];
	let changes = 0;
	const near = new Set<string>();
	for (const change of changesIn(zone, from, to)) {
		changes++;
		for (const [name, expected] of daysAround(change, zone)) {
			near.add(name);
			if (JSON.stringify(calendarDay(name, zone)) !== JSON.stringify(expected)) wrong.push(name);
		}
	}
	const named = dayIn(zone);
	for (let time = from; time < to; time += DAYS * DAY) {
		const name = day(time);
		if (near.has(name)) continue;
		const { first, last } = calendarDay(name, zone)!;
		const isWhole =
			named(first) === name && named(last) === name && named(first - 1) !== name && named(last + 1) !== name;
		if (!isWhole || last - first !== DAY - 1) wrong.push(name);
	}
	return { wrong, changes };
}

const FROM = Date.UTC(2000, 0, 1);
const TO = Date.UTC(2036, 0, 1);

/** Midnights that come twice or not at all, changes over midnight, half hours, a day left out, two changes in a month. */
const ODD: Array<[string, number, number]> = [
	['Atlantic/Azores', 2024, 2027],
	['America/Havana', 2024, 2027],
	['Pacific/Apia', 2009, 2013],
	['America/St_Johns', 2005, 2008],
	['Africa/Cairo', 2014, 2015],
	['America/Sao_Paulo', 2016, 2019],
	['Australia/Lord_Howe', 2024, 2026],
	['Antarctica/Troll', 2024, 2026],
	['Africa/Casablanca', 2024, 2026],
	['Asia/Pyongyang', 2015, 2019],
	['Europe/Berlin', 2025, 2027],
];

it.each(ODD)('%s from %i to %i', (zone, from, to) => {
	const { wrong, changes } = check(zone, Date.UTC(from, 0, 1), Date.UTC(to, 0, 1));
	expect(wrong).toEqual([]);
	expect(changes).toBeGreaterThan(0);
});

it(`${EVERY_DAY ? 'every day' : 'some month'} of 2000 to 2035 in every zone`, () => {
	const zones = Intl.supportedValuesOf('timeZone');
	const wrong = zones.flatMap((zone, index) => {
		// Another month in each zone, the same in every run.
		const from = EVERY_DAY ? FROM : FROM + ((index * 7919) % 13_000) * DAY;
		return check(zone, from, EVERY_DAY ? TO : from + 30 * DAY).wrong.map((name) => `${zone} ${name}`);
	});
	expect(wrong).toEqual([]);
	expect(zones.length).toBeGreaterThan(400);
}, 3_600_000);

it('begins a day where the clocks went from 00:00:00 to 00:44:30, which is no whole minute in UTC', () => {
	const { first, last } = calendarDay('1972-01-07', 'Africa/Monrovia')!;
	expect(new Date(first).toISOString()).toBe('1972-01-07T00:44:30.000Z');
	expect(new Date(last).toISOString()).toBe('1972-01-07T23:59:59.999Z');
});
