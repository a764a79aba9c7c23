/** Daily rows: one for each day, provider, source type and unit of a user, so that two devices are never added up. */
import type { IDataObject } from 'n8n-workflow';
import { dayOfClock } from '../../shared/calendarDay';
import { aggregateColumns } from './aggregates';
import type { Metric } from './metrics';
import {
	commonUnit,
	identify,
	identityOf,
	localTimeIn,
	type LocalTimeOf,
	rowKey,
	unitKey,
	userPrefix,
} from './identity';
import { collectRows, type Collect } from './rows';
import type { UserRef } from '../users/users';
import { RowLimit } from './rowLimit';

/** Days as YYYY-MM-DD; without `last` the end is open. */
export interface DayRange {
	zone: string;
	first: string;
	last?: string;
}

/** Reads all readings of a user first, so that each row is complete. */
export function collectDaily(metric: Metric, days: DayRange): Collect {
	const readAll = collectRows(metric, new RowLimit());
	const toRows = dailyRows(metric, days);
	return async (pages, user) => toRows(await readAll(pages, user), user);
}

/** @returns a function that makes the rows from all readings of a user */
export function dailyRows(metric: Metric, { zone, first, last }: DayRange) {
	const localTimeOf = localTimeIn(zone);
	// Where clocks go back over midnight, an hour of one day lies within another: of a day outside the range only a part came.
	const isInRange = ({ date }: Day) =>
		date === null || (date >= first && (last === undefined || date <= last));
	return (readings: IDataObject[], user: UserRef): IDataObject[] =>
		[...groupByDay(metric, readings, localTimeOf).values()]
			.filter(isInRange)
			.sort(byDay)
			.map((day) => toRow(metric, user, day));
}

interface Day {
	/** Null for readings without a time. */
	date: string | null;
	/** Provider and source type. */
	cells: unknown[];
	unit?: unknown;
	/** Key of the group, the same in every run. */
	text: string;
	readings: IDataObject[];
}

/** Identical readings, which overlapping pages return, count once; different same-time readings count each. */
function groupByDay(metric: Metric, readings: IDataObject[], localTimeOf: LocalTimeOf) {
	const distinct = new Map(
		identify(identityOf(metric), readings).map((reading) => [reading.key, reading]),
	);
	const days = new Map<string, Day>();
	for (const { time, row } of distinct.values()) {
		const date = dayOfClock(localTimeOf(row[metric.times[0]], time) ?? undefined) ?? null;
		// As for the `row_id` of a reading, empty text equals null.
		const cells = [row.provider, row.source_type].map((cell) =>
			cell === '' ? null : (cell ?? null),
		);
		const text = JSON.stringify([date, ...cells, unitKey(row.unit)]);
		const day: Day = days.get(text) ?? { date, cells, text, readings: [] };
		day.unit = commonUnit(day.unit, row.unit || null);
		day.readings.push(row);
		days.set(text, day);
	}
	return days;
}

/** By day; the group without a day is last, because `null` sorts after a quotation mark. */
const byDay = (a: Day, b: Day) => (a.text < b.text ? -1 : 1);

function toRow(
	{ value, measured }: Metric,
	user: UserRef,
	{ date, cells, unit, text, readings }: Day,
): IDataObject {
	const [provider, source_type] = cells;
	return {
		client_user_id: user.client_user_id,
		date,
		...aggregateColumns(measured, (column) => readings.map((row) => row[column])),
		unit,
		readings: readings.length,
		provider,
		source_type,
		user_id: user.user_id,
		row_id: `${value}-day-${rowKey(userPrefix(user.user_id), `${value} ${user.user_id} ${text}`)}`,
	} as IDataObject;
}
