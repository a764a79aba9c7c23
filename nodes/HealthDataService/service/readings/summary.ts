/** Rows that sum up the measurements of a period: a day, a whole range, or the new readings of a poll. */
import type { IDataObject } from 'n8n-workflow';
import { groupBy, isBlank } from '../../shared/values';
import type { SelectedUser } from '../users/selection';
import { connectedSlugs, type UserRef } from '../users/users';
import { aggregate } from './aggregates';
import { rowKey, userPrefix } from './identity';
import { reachedBy, reachedText, type Limit } from './measured';
import {
	isCounted,
	measurementsOf,
	readingOf,
	type Counted,
	type Measurement,
	type Reading,
} from './measurements';
import { measuredColumns, type Metric } from './metrics';
import {
	collectRows,
	type Collect,
	type Group,
	type RangeOf,
	type ReadRange,
} from './rows';

/** *Return Only*: values of the column `status`. */
export type Status = 'high' | 'in range' | 'no readings';

export interface SummaryOptions {
	rangeOf: RangeOf;
	/** Whether rows have `time_zone`. */
	hasTimeZone?: boolean;
	/** A slug; empty for all. */
	provider: string;
	sourceTypes: readonly string[];
	meanLimits: readonly Limit[];
	limits: readonly Limit[];
	minReadings?: number;
	minDays?: number;
	/** Empty for all. */
	onlyStatus: readonly Status[];
	comparesPrevious: boolean;
}

/** A row for each day, its sources together. */
export function collectDaily(metric: Metric, options: SummaryOptions): Collect {
	const columns = dailyColumns(metric, options);
	return async (pages, selected) => {
		const range = options.rangeOf(selected);
		const readings = await readingsOf(metric, pages, selected, range);
		const days = groupBy(measurementsOf(metric, readings), dayOf);
		return [...days.keys()].sort().map((day) => {
			const date = day === NO_DAY ? null : day;
			const values = periodValues(metric, options, days.get(day)!);
			const row_id = rowIdOf(metric, 'day', selected.user, [date, ...filtersOf(options)]);
			Object.assign(values, { date, time_zone: range.zone, row_id });
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
		const readings = await readingsOf(metric, pages, selected, range);
		const isBefore = (reading: Reading) =>
			options.comparesPrevious && range.isBefore(reading);
		const valuesOf = (ofPeriod: Reading[]) =>
			periodValues(metric, options, measurementsOf(metric, ofPeriod));
		const values = valuesOf(readings.filter((reading) => !isBefore(reading)));
		if (onlyStatus.length > 0 && !onlyStatus.includes(values.status as Status)) return [];
		const { from, to, zone: time_zone } = range;
		const id = [from, to, ...filtersOf(options)];
		const row_id = rowIdOf(metric, 'summary', selected.user, id);
		const connected = selected.record && connectedSlugs(selected.record);
		const enough_readings = hasEnough(values, options);
		Object.assign(values, { from, to, time_zone, connected, enough_readings, row_id });
		// Each period as if it was read alone.
		const valuesBefore = valuesOf(readings.filter(isBefore));
		for (const column of comparedColumns(metric))
			values[before(column)] = valuesBefore[column];
		return [rowOf(columns, selected.user, values)];
	};
}

async function readingsOf(
	metric: Metric,
	pages: AsyncIterable<Group[]>,
	selected: SelectedUser,
	{ localTimeOf }: ReadRange,
) {
	const rows = await collectRows(metric)(pages, selected);
	return rows.map((row) => readingOf(metric, row, localTimeOf));
}

/** After all days. */
const NO_DAY = '~';

const dayOf = ({ local }: Measurement) => local?.slice(0, 10) ?? NO_DAY;

const filtersOf = ({ provider, sourceTypes }: SummaryOptions) => [
	provider,
	...sourceTypes,
];

export function rowIdOf(
	metric: Metric,
	period: string,
	{ user_id }: UserRef,
	parts: unknown[],
) {
	const { value } = metric;
	const key = rowKey(userPrefix(user_id), JSON.stringify([value, user_id, ...parts]));
	return `${value}-${period}-${key}`;
}

function hasEnough(
	values: IDataObject,
	{ minReadings = 0, minDays = 0 }: SummaryOptions,
) {
	return Number(values.readings) >= minReadings && Number(values.days) >= minDays;
}

/** Columns in their order; one without a value is null. */
export function rowOf(
	columns: readonly string[],
	user: UserRef,
	values: IDataObject,
): IDataObject {
	const all: IDataObject = Object.assign({}, values, user);
	return Object.fromEntries(columns.map((column) => [column, all[column] ?? null]));
}

export const dailyColumns = (metric: Metric, options: SummaryOptions): string[] =>
	periodColumns(metric, ['date', ...chosenColumns(options)]);

export function summaryColumns(metric: Metric, options: SummaryOptions): string[] {
	const { comparesPrevious, meanLimits, minReadings, minDays } = options;
	const has = ['days', 'from', 'to', 'connected', ...chosenColumns(options)];
	if ((minReadings ?? minDays) !== undefined) has.push('enough_readings');
	if (comparesPrevious)
		has.push(...averageColumns(metric).map(before), before('readings'));
	if (comparesPrevious && meanLimits.length > 0) has.push(before('status'));
	return periodColumns(metric, has);
}

/** The columns that rows of a day and of a range have by the options. */
function chosenColumns({
	meanLimits,
	onlyStatus,
	limits,
	hasTimeZone,
}: SummaryOptions): string[] {
	const has: string[] = [];
	if (meanLimits.length + onlyStatus.length > 0) has.push('status');
	if (limits.length > 0) has.push(...REACHED);
	if (hasTimeZone) has.push('time_zone');
	return has;
}

/** The columns of a period in their order. @param has those that only some rows have */
export function periodColumns(metric: Metric, has: readonly string[]): string[] {
	const isOwn = (column: string) => has.includes(column);
	return [
		'client_user_id',
		...['date', 'status', 'enough_readings', ...REACHED].filter(isOwn),
		...averageColumns(metric),
		'unit',
		'readings',
		...['days', 'corrected'].filter(isOwn),
		...SINGLE_READINGS,
		...otherAggregates(metric),
		'left_out',
		...[...comparedColumns(metric).map(before), 'from', 'to'].filter(isOwn),
		'providers',
		'source_types',
		...['connected', 'time_zone'].filter(isOwn),
		'user_id',
		'row_id',
	];
}

const REACHED = ['reached', 'reached_reading', 'reached_time'];

/** Each is one reading as text, so that no two values of different readings make a pair. */
const SINGLE_READINGS = ['latest', 'highest', 'lowest'].flatMap((name) => [
	name,
	`${name}_time`,
]);

const before = (column: string) => `${column}_before`;

const comparedColumns = (metric: Metric) => [
	...averageColumns(metric),
	'readings',
	'status',
];

/** The first aggregate of each measured column, and the means of a pair as text. */
function averageColumns(metric: Metric): string[] {
	const first = Object.entries(metric.measured).map(
		([column, [how]]) => `${column}_${how}`,
	);
	return hasMean(metric) ? [...first, 'mean'] : first;
}

function hasMean({ measured }: Metric): boolean {
	const columns = Object.values(measured);
	return columns.length > 1 && columns.every(([how]) => how === 'mean');
}

const otherAggregates = ({ measured }: Metric) =>
	Object.entries(measured).flatMap(([column, [, ...hows]]) =>
		hows.map((how) => `${column}_${how}`),
	);

/** The columns for an AI agent, which pays for each character: means as one text, and no minima and maxima. */
export function shortColumns(metric: Metric): string[] {
	const averages = hasMean(metric) ? ['mean'] : averageColumns(metric);
	return [
		'date',
		'status',
		'enough_readings',
		...REACHED,
		...averages,
		'unit',
		'readings',
		'days',
		...SINGLE_READINGS,
		'left_out',
		...[...averages, 'readings', 'status'].map(before),
		'providers',
		'source_types',
		'time_zone',
	];
}

/** Values of all columns that describe the measurements of a period. */
export function periodValues(
	metric: Metric,
	{ meanLimits, limits }: Pick<SummaryOptions, 'meanLimits' | 'limits'>,
	measurements: readonly Measurement[],
): IDataObject {
	const counted = measurements.filter((one) => isCounted(metric, one));
	const timed = counted.filter(({ time }) => time !== undefined);
	const days = new Set(timed.map(dayOf));
	const values = aggregatesOf(metric, counted);
	values.mean = meanText(metric, values);
	values.status = statusOf(values, counted.length, meanLimits);
	values.unit = counted.length > 0 ? metric.unit.name : null;
	values.readings = counted.length;
	values.days = days.size;
	values.left_out = measurements.length - counted.length;
	addReading(values, 'latest', greatest(timed, timeAndValues));
	// With equal values, the later reading is the highest and the lowest.
	addReading(values, 'highest', greatest(counted, valuesAndTime));
	addReading(values, 'lowest', greatest(counted, negativeValuesAndTime));
	addReached(values, metric, limits, counted);
	addSources(values, measurements);
	return values;
}

function aggregatesOf({ measured }: Metric, counted: readonly Counted[]): IDataObject {
	const entries = Object.entries(measured).flatMap(([column, hows], index) => {
		const numbers = counted.map(({ values }) => values[index]);
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

function statusOf(
	values: IDataObject,
	readings: number,
	limits: readonly Limit[],
): Status {
	if (readings === 0) return 'no readings';
	const isHigh = ({ column, least = Infinity }: Limit) =>
		Number(values[`${column}_mean`]) >= least;
	return limits.some(isHigh) ? 'high' : 'in range';
}

/** One reading as text, and its local time. */
function addReading(values: IDataObject, column: string, one?: Measurement) {
	values[column] = one?.values.join('/');
	values[`${column}_time`] = one?.local;
}

const timeAndValues = ({ time = -Infinity, values }: Counted) => [time, ...values];
const valuesAndTime = ({ time = -Infinity, values }: Counted) => [...values, time];
const negativeValuesAndTime = ({ time = -Infinity, values }: Counted) => [
	...values.map((value) => -value),
	time,
];

/** The one with the greatest numbers, the first of them before the others; of equal ones the last. */
export function greatest<T>(
	all: readonly T[],
	numbersOf: (one: T) => number[],
): T | undefined {
	let found: T | undefined;
	let most: number[] = [];
	for (const one of all) {
		const numbers = numbersOf(one);
		if (compareNumbers(most, numbers) > 0) continue;
		found = one;
		most = numbers;
	}
	return found;
}

function compareNumbers(a: readonly number[], b: readonly number[]): number {
	for (const [at, number] of a.entries()) {
		const difference = number - b[at];
		// Neither 0 nor NaN, which two readings without a time give.
		if (difference) return difference;
	}
	return 0;
}

/** Whether any reading reached a limit, and the newest that did. */
function addReached(
	values: IDataObject,
	metric: Metric,
	limits: readonly Limit[],
	counted: readonly Counted[],
) {
	const reached = counted.map((one) => reachedBy(metric, limits, one.values));
	const reaching = counted.filter((_, index) => reached[index].size > 0);
	const newest = greatest(reaching, timeAndValues);
	values.reached = reachedText(reached);
	values.reached_reading = newest?.values.join('/');
	values.reached_time = newest?.local;
}

/** Names of every source, of copies too. */
function addSources(values: IDataObject, measurements: readonly Measurement[]) {
	const rows = measurements.flatMap(({ copies }) => copies).map(({ row }) => row);
	values.providers = joined(rows.map(({ provider }) => provider));
	values.source_types = joined(rows.map(({ source_type }) => source_type));
}

function joined(names: unknown[]): string {
	const given = names.filter((name) => !isBlank(name)).map(String);
	return [...new Set(given)].sort().join(', ');
}
