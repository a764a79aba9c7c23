/**
 * A row for each day of a user, provider, source type and unit: what two devices measured is never added up.
 */
import type { IDataObject } from 'n8n-workflow';
import { dayIn } from '../shared/calendarDay';
import { aggregate } from './aggregates';
import type { Metric } from './metrics';
import { identify, identityOf, rowKey, userPrefix } from './readingId';
import { readingRows, type UserRef } from './readings';
import type { Collect } from './readUsers';

/** Which days are wanted, as YYYY-MM-DD; without a last one the end is open. */
export interface DayRange {
	zone: string;
	first: string;
	last?: string;
}

/** All readings of a user are read before their rows are made, so that each row is whole. */
export function collectDaily(metric: Metric, asked: DayRange): Collect {
	const toRows = dailyRows(metric, asked);
	return async (pages, user, isCancelled) => {
		const readings: IDataObject[] = [];
		for await (const page of pages) {
			for (const row of readingRows(page, metric.columns, user)) readings.push(row);
			if (isCancelled()) break;
		}
		return toRows(readings, user);
	};
}

/** Of all readings of a user. */
export function dailyRows(metric: Metric, { zone, first, last }: DayRange) {
	const dayOf = dayIn(zone);
	// An hour of one day can lie within another: of a day that was not asked for, no more than a part came.
	const isAsked = ({ date }: Day) => date === null || (date >= first && (last === undefined || date <= last));
	return (readings: IDataObject[], user: UserRef): IDataObject[] =>
		[...groupByDay(metric, readings, dayOf).values()]
			.filter(isAsked)
			.sort(byDay)
			.map((day) => toRow(metric, user, day));
}

/** What tells the rows of a user apart, and the readings of each. */
interface Day {
	/** Null where the readings do not say when they were. */
	date: string | null;
	/** Provider, source type and unit. */
	cells: unknown[];
	/** The same for the same day in every run. */
	text: string;
	readings: IDataObject[];
}

/** Identical readings, as overlapping pages give them, count once; different ones of the same time count each. */
function groupByDay(metric: Metric, readings: IDataObject[], dayOf: (time: number) => string | undefined) {
	const distinct = new Map(identify(identityOf(metric), readings).map((reading) => [reading.key, reading]));
	const days = new Map<string, Day>();
	for (const { time, row } of distinct.values()) {
		const date = time === undefined ? null : (dayOf(time) ?? null);
		// An empty text is the same as nothing to the identity of a reading, too.
		const cells = [row.provider, row.source_type, row.unit].map((cell) => (cell === '' ? null : (cell ?? null)));
		const text = JSON.stringify([date, ...cells]);
		const day = days.get(text);
		if (day) day.readings.push(row);
		else days.set(text, { date, cells, text, readings: [row] });
	}
	return days;
}

/** By day; those without one last, since `null` comes behind a quotation mark. */
const byDay = (a: Day, b: Day) => (a.text < b.text ? -1 : 1);

function toRow({ value, daily }: Metric, user: UserRef, { date, cells, text, readings }: Day): IDataObject {
	const [provider, source_type, unit] = cells;
	const measured = Object.entries(daily).flatMap(([column, hows]) => {
		const values = readings.map((row) => row[column]);
		return hows.map((how) => [`${column}_${how}`, aggregate(how, values)] as const);
	});
	return {
		id: `${value}-day-${rowKey(userPrefix(user.user_id), `${value} ${user.user_id} ${text}`)}`,
		...user,
		date,
		provider,
		source_type,
		unit,
		readings: readings.length,
		...Object.fromEntries(measured),
	} as IDataObject;
}
