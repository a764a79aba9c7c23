/** Rows that sum up the measurements of a period: a day, a whole range, or the new readings of a poll. */
import type { IDataObject } from 'n8n-workflow';
import { dayOfClock } from '../../shared/calendarDay';
import { isBlank } from '../../shared/values';
import { connectedSlugs, type UserRef } from '../users/users';
import { aggregate } from './aggregates';
import { rowKey, userPrefix } from './identity';
import { reachedBy, reachedText, type Limit, type Reached } from './measured';
import { measurementsOf, timedReading, type Measurement, type TimedReading } from './measurements';
import { measuredColumns, type Metric } from './metrics';
import type { Period, RangeOf, ReadRange } from './range';
import { readingRows, type Collect } from './rows';

/** *Return Only*: values of the column `status`. */
export type Status = 'high' | 'in range' | 'no readings';

export interface PeriodOptions {
	rangeOf: RangeOf;
	/** Whether rows have `time_zone`. */
	hasTimeZone?: boolean;
	provider: string;
	sourceTypes: readonly string[];
	meanLimits: readonly Limit[];
	limits: readonly Limit[];
}

export interface SummaryOptions extends PeriodOptions {
	minReadings?: number;
	minDays?: number;
	/** Empty for all. */
	onlyStatus: readonly Status[];
	comparesPrevious: boolean;
}

/** A row for each day, its sources together. */
export function collectDaily(metric: Metric, options: PeriodOptions): Collect {
	const columns = dailyColumns(metric, options);
	return async (pages, selected) => {
		const range = options.rangeOf(selected);
		const { current } = await readPeriods(metric, pages, selected.user, range);
		const days = [...byDay(current)].sort(([a], [b]) => (a < b ? -1 : 1));
		return days.map(([day, measurements]) => {
			const values = periodValues(metric, options, measurements);
			values.date = day === NO_DAY ? null : day;
			values.time_zone = range.zone;
			values.row_id = rowIdOf(metric, 'day', selected.user, [values.date, ...filtersOf(options)]);
			return rowOf(columns, selected.user, values);
		});
	};
}

/** One row, also without readings; none where *Return Only* leaves the user out. */
export function collectSummary(metric: Metric, options: SummaryOptions): Collect {
	const columns = summaryColumns(metric, options);
	const { onlyStatus } = options;
	return async (pages, selected) => {
		const range = options.rangeOf(selected);
		const { current, before } = await readPeriods(metric, pages, selected.user, range);
		const values = periodValues(metric, options, current);
		if (onlyStatus.length > 0 && !onlyStatus.includes(values.status as Status)) return [];
		const { from, to, zone: time_zone } = range;
		const id = [from, to, ...filtersOf(options)];
		const row_id = rowIdOf(metric, 'summary', selected.user, id);
		const connected = selected.record && connectedSlugs(selected.record);
		Object.assign(values, { from, to, time_zone, connected, row_id });
		values.enough_readings = hasEnough(values, options);
		const valuesBefore = periodValues(metric, options, before);
		for (const column of comparedColumns(metric, options))
			values[column + BEFORE] = valuesBefore[column];
		return [rowOf(columns, selected.user, values)];
	};
}

const filtersOf = ({ provider, sourceTypes }: PeriodOptions) => [provider, ...sourceTypes];

export const rowIdOf = (
	{ value }: Metric,
	period: string,
	{ user_id }: UserRef,
	parts: unknown[],
) =>
	`${value}-${period}-${rowKey(userPrefix(user_id), JSON.stringify([value, user_id, ...parts]))}`;

const hasEnough = (
	{ readings, days }: IDataObject,
	{ minReadings = 0, minDays = 0 }: SummaryOptions,
) => Number(readings) >= minReadings && Number(days) >= minDays;

/** Columns in their order; one without a value is null. */
export function rowOf(columns: readonly string[], user: UserRef, values: IDataObject): IDataObject {
	const { user_id, client_user_id } = user;
	const all: IDataObject = { ...values, user_id, client_user_id };
	return Object.fromEntries(columns.map((column) => [column, all[column] ?? null]));
}

export function dailyColumns(metric: Metric, options: PeriodOptions): string[] {
	const { meanLimits, limits, hasTimeZone } = options;
	return [
		...['client_user_id', 'date'],
		...(meanLimits.length > 0 ? ['status'] : []),
		...(limits.length > 0 ? REACHED : []),
		...averageColumns(metric),
		...['unit', 'readings'],
		...SINGLE_READINGS,
		...otherAggregates(metric),
		...['left_out', 'providers', 'source_types'],
		...(hasTimeZone ? ['time_zone'] : []),
		...['user_id', 'row_id'],
	];
}

export function summaryColumns(metric: Metric, options: SummaryOptions): string[] {
	const { meanLimits, onlyStatus, limits, minReadings, minDays, hasTimeZone } = options;
	return [
		'client_user_id',
		...(meanLimits.length + onlyStatus.length > 0 ? ['status'] : []),
		...((minReadings ?? minDays) === undefined ? [] : ['enough_readings']),
		...(limits.length > 0 ? REACHED : []),
		...averageColumns(metric),
		...['unit', 'readings', 'days'],
		...SINGLE_READINGS,
		...otherAggregates(metric),
		'left_out',
		...comparedColumns(metric, options).map((column) => column + BEFORE),
		...['from', 'to', 'providers', 'source_types', 'connected'],
		...(hasTimeZone ? ['time_zone'] : []),
		...['user_id', 'row_id'],
	];
}

const REACHED = ['reached', 'reached_reading', 'reached_time'];

/** Each is one reading as text, so that no two values of different readings make a pair. */
export const SINGLE_READINGS = ['latest', 'highest', 'lowest'].flatMap((name) => [
	name,
	`${name}_time`,
]);

const BEFORE = '_before';

function comparedColumns(metric: Metric, { comparesPrevious, meanLimits }: SummaryOptions) {
	if (!comparesPrevious) return [];
	const status = meanLimits.length > 0 ? ['status'] : [];
	return [...averageColumns(metric), 'readings', ...status];
}

/** The first aggregate of each measured column, and the means of a pair as text. */
export function averageColumns(metric: Metric): string[] {
	const first = Object.entries(metric.measured).map(([column, [how]]) => `${column}_${how}`);
	return hasMean(metric) ? [...first, 'mean'] : first;
}

const hasMean = ({ measured }: Metric) => {
	const columns = Object.values(measured);
	return columns.length > 1 && columns.every(([how]) => how === 'mean');
};

export const otherAggregates = ({ measured }: Metric) =>
	Object.entries(measured).flatMap(([column, [, ...hows]]) =>
		hows.map((how) => `${column}_${how}`),
	);

/** The columns for an AI agent, which pays for each character: means as one text, and no minima and maxima. */
export function shortColumns(metric: Metric): string[] {
	const averages = hasMean(metric) ? ['mean'] : averageColumns(metric);
	return [
		...['date', 'status', 'enough_readings', ...REACHED, ...averages],
		...['unit', 'readings', 'days', ...SINGLE_READINGS, 'left_out'],
		...[...averages, 'readings', 'status'].map((column) => column + BEFORE),
		...['providers', 'source_types', 'time_zone'],
	];
}

/** Values of all columns that describe the measurements of a period. */
export function periodValues(
	metric: Metric,
	{ meanLimits, limits }: Pick<PeriodOptions, 'meanLimits' | 'limits'>,
	measurements: readonly Measurement[],
): IDataObject {
	const counted = measurements.filter(({ counts }) => counts);
	const values = aggregatesOf(metric, counted);
	values.mean = meanText(metric, values);
	values.status = statusOf(values, counted.length, meanLimits);
	values.unit = counted.length > 0 ? metric.unit.name : null;
	values.readings = counted.length;
	values.days = new Set(counted.flatMap(({ local }) => (local ? [dayOfClock(local)] : []))).size;
	values.left_out = measurements.length - counted.length;
	Object.assign(values, singleReadings(counted), reachedValues(metric, limits, counted));
	return Object.assign(values, sourceNames(measurements));
}

function aggregatesOf({ measured }: Metric, counted: readonly Measurement[]): IDataObject {
	const entries = Object.entries(measured).flatMap(([column, hows], index) => {
		const numbers = counted.map(({ values }) => values[index] as number);
		return hows.map((how) => [`${column}_${how}`, aggregate(how, numbers)]);
	});
	return Object.fromEntries(entries);
}

/** Such as 152.0/84.6. */
function meanText(metric: Metric, values: IDataObject): string | null {
	const means = measuredColumns(metric).map((column) => values[`${column}_mean`]);
	if (!means.every((mean) => typeof mean === 'number')) return null;
	return means.map((mean) => mean.toFixed(1)).join('/');
}

function statusOf(values: IDataObject, readings: number, limits: readonly Limit[]): Status {
	if (readings === 0) return 'no readings';
	const isHigh = ({ column, least = Infinity }: Limit) => Number(values[`${column}_mean`]) >= least;
	return limits.some(isHigh) ? 'high' : 'in range';
}

/** With equal values, the later reading is the highest and the lowest. */
function singleReadings(counted: readonly Measurement[]): IDataObject {
	const timed = counted.filter(({ time }) => time !== undefined);
	const picked: Record<string, Measurement | undefined> = {
		latest: best(timed, (a, b) => compareTimes(a, b) || compareValues(a, b)),
		highest: best(counted, (a, b) => compareValues(a, b) || compareTimes(a, b)),
		lowest: best(counted, (a, b) => compareValues(b, a) || compareTimes(a, b)),
	};
	const entries = Object.entries(picked).flatMap(([name, one]) => readingAs(name, one));
	return Object.fromEntries(entries);
}

type Compare = (a: Measurement, b: Measurement) => number;

const best = (all: readonly Measurement[], compare: Compare): Measurement | undefined =>
	all.reduce<Measurement | undefined>(
		(found, one) => (found && compare(found, one) > 0 ? found : one),
		undefined,
	);

const compareTimes: Compare = (a, b) => compareNumbers(a.time ?? -Infinity, b.time ?? -Infinity);

const compareValues: Compare = (a, b) => {
	const differing = a.values.findIndex((value, index) => value !== b.values[index]);
	return differing < 0 ? 0 : compareNumbers(a.values[differing], b.values[differing]);
};

const compareNumbers = (a: unknown, b: unknown) => Number(a) - Number(b) || 0;

/** One reading as text, and its local time. */
const readingAs = (name: string, one: Measurement | undefined) => [
	[name, one?.values.join('/') ?? null],
	[`${name}_time`, one?.local ?? null],
];

/** Whether any reading reached a limit, and the newest that did. */
function reachedValues(metric: Metric, limits: readonly Limit[], counted: readonly Measurement[]) {
	const reached = new Set<Reached>();
	let newest: Measurement | undefined;
	for (const one of counted) {
		const ofOne = reachedBy(metric, limits, one.values);
		for (const each of ofOne) reached.add(each);
		if (ofOne.size > 0 && (!newest || compareTimes(newest, one) <= 0)) newest = one;
	}
	const [reading, time] = readingAs('reached', newest);
	return { reached: reachedText(reached), reached_reading: reading[1], reached_time: time[1] };
}

/** Names of every source, of copies too. */
function sourceNames(measurements: readonly Measurement[]) {
	const copies = measurements.flatMap((measurement) => measurement.copies);
	const providers = joined(copies.map(({ provider }) => provider));
	const source_types = joined(copies.map(({ sourceType }) => sourceType));
	return { providers, source_types };
}

const joined = (names: unknown[]) =>
	[...new Set(names.filter((name) => !isBlank(name)).map(String))].sort().join(', ');

/** After all days. */
const NO_DAY = '~';

function byDay(measurements: readonly Measurement[]) {
	const days = new Map<string, Measurement[]>();
	for (const measurement of measurements) {
		const day = dayOfClock(measurement.local ?? NO_DAY);
		const ofDay = days.get(day) ?? [];
		if (ofDay.length === 0) days.set(day, ofDay);
		ofDay.push(measurement);
	}
	return days;
}

/** The measurements of each period, as if it was read alone. */
async function readPeriods(
	metric: Metric,
	pages: AsyncIterable<IDataObject>,
	user: UserRef,
	{ localTimeOf, periodOf }: ReadRange,
): Promise<Record<Period, Measurement[]>> {
	const readings: Record<Period, TimedReading[]> = { current: [], before: [] };
	for await (const page of pages) {
		for (const row of readingRows(page, metric, user)) {
			const reading = timedReading(metric, row, localTimeOf);
			const period = periodOf(reading);
			if (period) readings[period].push(reading);
		}
	}
	return {
		current: measurementsOf(metric, readings.current),
		before: measurementsOf(metric, readings.before),
	};
}
