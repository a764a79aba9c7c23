/** Rows that sum up the measurements of a period: a day, or a whole range. */
import type { IDataObject } from 'n8n-workflow';
import { groupBy, isBlank, jsonText, text } from '../../shared/values';
import type { SelectedUser } from '../users/selection';
import { connectedSlugs } from '../users/users';
import { aggregate, BASIS } from './aggregates';
import { madeRowId } from './identity';
import { reachedBy, reachedText } from './measured';
import {
	isCounted,
	measurementsOf,
	msAfter,
	readingOf,
	type Counted,
	type Measurement,
	type Reading,
} from './measurements';
import {
	asIs,
	conversionOf,
	measuredColumns,
	type Limits,
	type Metric,
	type Thresholds,
} from './metrics';
import {
	readingRows,
	type Group,
	type ReadRange,
	type RowOptions,
} from './rows';

/** *Return Only*: values of the column `status`. */
export type Status = 'high' | 'in range' | 'no readings';

/** *Compare With*: the period just before, or the same one a day earlier. */
export type CompareWith = 'period' | 'day';

export interface SummaryOptions extends RowOptions {
	/** A slug; empty for all. */
	provider: string;
	sourceTypes: readonly string[];
	limits: Limits;
	/** Empty for all. */
	onlyStatus: readonly Status[];
	compareWith?: CompareWith;
}

/** A row for each day, its sources together. */
export function dayRows(
	options: SummaryOptions,
	groups: Group[],
	selected: SelectedUser,
): IDataObject[] {
	const toRow = rowMaker('day', options, selected);
	const readings = readingsOf(options, groups, selected);
	const days = groupBy(measurementsOf(options.metric, readings), dayOf);
	// As text, null comes after all dates.
	return [...days.keys()].sort().map((date) => {
		const values = periodValues(options, days.get(date)!);
		return toRow({ ...values, date }, date);
	});
}

/** One row, also without readings; none where *Return Only* leaves the user out. */
export function summaryRows(
	options: SummaryOptions,
	groups: Group[],
	selected: SelectedUser,
): IDataObject[] {
	const { rangeOf, onlyStatus, limits } = options;
	const { from, to, before } = rangeOf(selected);
	const { asked, earlier } = measurementsIn(options, groups, selected);
	const values = periodValues(options, asked);
	if (onlyStatus.length > 0 && !onlyStatus.includes(values.status as Status))
		return [];
	const connected = selected.record && connectedSlugs(selected.record);
	const enough_readings = isEnough(limits, values);
	Object.assign(values, { from, to, connected, enough_readings });
	if (before) Object.assign(values, valuesBefore(options, earlier, before));
	return [rowMaker('summary', options, selected)(values, from, to)];
}

/** Of the period asked for, and of that of *Compare With*. They may overlap. */
export function measurementsIn(
	options: SummaryOptions,
	groups: Group[],
	selected: SelectedUser,
) {
	const { isAsked, before } = options.rangeOf(selected);
	const readings = readingsOf(options, groups, selected);
	const all = measurementsOf(options.metric, readings);
	const earlier = before ? all.filter(before.has) : [];
	return { asked: all.filter(isAsked), earlier };
}

/** *Enough Readings*. */
export function isEnough({ enough = [] }: Limits, values: IDataObject) {
	const [readings = 0, days = 0] = enough;
	return Number(values.readings) >= readings && Number(values.days) >= days;
}

/** The columns of *Compare With*. */
function valuesBefore(
	options: ColumnOptions,
	earlier: readonly Measurement[],
	{ from, to }: NonNullable<ReadRange['before']>,
): IDataObject {
	const values = { ...periodValues(options, earlier), from, to };
	return Object.fromEntries(
		Object.entries(values).map(([column, value]) => [ofBefore(column), value]),
	);
}

function readingsOf(
	options: RowOptions,
	groups: Group[],
	selected: SelectedUser,
) {
	const { localTimeOf } = options.rangeOf(selected);
	const rows = readingRows(options, groups, selected.user);
	return rows.map((row) => readingOf(options.metric, row, localTimeOf));
}

const dayOf = ({ local }: Measurement) => local?.slice(0, 10) ?? null;

/** What a row is of. */
type Period = 'day' | 'summary';

export type ColumnOptions = Omit<
	SummaryOptions,
	'rangeOf' | 'provider' | 'sourceTypes'
>;

/** Makes rows with the columns of a period; one without a value is null. */
function rowMaker(
	period: Period,
	options: SummaryOptions,
	selected: SelectedUser,
) {
	const { metric, provider, sourceTypes, rangeOf } = options;
	const { user } = selected;
	const { zone: time_zone } = rangeOf(selected);
	const columns = periodColumns(period, options);
	return (values: IDataObject, ...days: unknown[]): IDataObject => {
		const id = [...days, provider, ...sourceTypes];
		const row_id = madeRowId(metric, period, user.user_id, id);
		const all: IDataObject = Object.assign({ row_id, time_zone }, values, user);
		return Object.fromEntries(
			columns.map((column) => [column, all[column] ?? null]),
		);
	};
}

/** The columns in their order, and which of them a row has. */
export function periodColumns(
	period: Period,
	{ metric, limits, onlyStatus, compareWith, hasTimeZone }: ColumnOptions,
): string[] {
	const { mean, high, low, enough } = limits;
	const [averages, others] = aggregateColumns(metric);
	const isSummary = period === 'summary';
	const before = [...averages, 'readings', 'from', 'to'];
	if (mean) before.push('status');
	const columns: Array<[unknown, ...string[]]> = [
		[true, 'client_user_id'],
		[!isSummary, 'date'],
		[mean ?? onlyStatus.length > 0, 'status'],
		[isSummary && enough, 'enough_readings'],
		[high ?? low, 'reached', 'reached_reading', 'reached_time'],
		[true, ...averages, 'unit', 'readings'],
		[isSummary, 'days'],
		[true, 'latest', 'latest_time', 'highest', 'highest_time'],
		[true, 'lowest', 'lowest_time', ...others, 'left_out'],
		[isSummary && compareWith, ...before.map(ofBefore)],
		[isSummary, 'from', 'to'],
		[true, 'providers', 'source_types'],
		[isSummary, 'connected'],
		[hasTimeZone, 'time_zone'],
		[true, 'user_id', 'row_id'],
	];
	return columns.flatMap(([has, ...names]) => (has ? names : []));
}

/** Of each measured column the first, with the text of the means, and the others. */
function aggregateColumns({ measured, hasMeanText }: Metric): string[][] {
	const names = Object.entries(measured).map(([column, hows]) =>
		hows.map((how) => `${column}_${how}`),
	);
	const averages = names.map(([first]) => first);
	if (hasMeanText) averages.push('mean');
	return [averages, names.flatMap(([, ...more]) => more)];
}

const ofBefore = (column: string) => `${column}_before`;

/** Values of all columns that describe the measurements of a period. */
export function periodValues(
	{ metric, limits }: ColumnOptions,
	measurements: readonly Measurement[],
): IDataObject {
	const counted = measurements.filter((one) => isCounted(metric, one));
	counted.sort((a, b) => msAfter(a, b) || byValues(a, b));
	const timed = counted.filter(({ time }) => time !== undefined);
	// With equal values, the later reading is the highest and the lowest.
	const highest = [...counted].sort(byValues).at(-1);
	const lowest = [...counted].sort((a, b) => byValues(b, a)).at(-1);
	const values = aggregatesOf(metric, counted);
	return Object.assign(
		values,
		{
			mean: meanText(metric, values),
			status: statusOf(metric, values, counted.length, limits.mean),
			unit: counted.length > 0 ? metric.unit.name : null,
			readings: counted.length,
			days: new Set(timed.map(dayOf)).size,
			left_out: measurements.length - counted.length,
		},
		oneReading('latest', timed.at(-1)),
		oneReading('highest', highest),
		oneReading('lowest', lowest),
		reachedValues(metric, limits, measurements),
		sourcesOf(measurements),
	);
}

const oneReading = (column: string, one?: Measurement): IDataObject => ({
	[column]: textOf(one),
	[`${column}_time`]: one?.local,
});

/** What the readings reach, and the newest that reaches anything. */
function reachedValues(
	metric: Metric,
	limits: Limits,
	measurements: readonly Measurement[],
): IDataObject {
	const one = [...measurements]
		.sort(msAfter)
		.findLast((each) => reachedBy(metric, limits, [each]).size > 0);
	return {
		reached: reachedText(reachedBy(metric, limits, measurements)),
		reached_reading: one && readingText(metric, one),
		reached_time: one?.local,
	};
}

/** Of copies too. */
function sourcesOf(measurements: readonly Measurement[]): IDataObject {
	const rows = measurements
		.flatMap(({ copies }) => copies)
		.map(({ row }) => row);
	return {
		providers: joined(rows.map(({ provider }) => provider)),
		source_types: joined(rows.map(({ source_type }) => source_type)),
	};
}

/** One reading as text, so that no two values of different readings make a pair. */
const textOf = (one?: Measurement) => one?.values.join('/');

/** As it came if it does not count: an alert without values is of no use. */
const readingText = (metric: Metric, one: Measurement) =>
	isCounted(metric, one) ? textOf(one) : textAsItCame(metric, one);

/** Values as the service sent them. Without another unit, they would look like those in the metric's. */
function textAsItCame(metric: Metric, { row }: Reading): string {
	const values = measuredColumns(metric)
		.map((column) => row[column])
		.map((value) => (isBlank(value) ? '–' : jsonText(value)))
		.join('/');
	const isOwn = conversionOf(metric.unit, row.unit) === asIs;
	return isOwn ? values : `${values} ${jsonText(row.unit)}`;
}

function aggregatesOf(
	{ measured }: Metric,
	counted: readonly Counted[],
): IDataObject {
	const entries = Object.entries(measured).flatMap(([column, hows], index) => {
		return hows.map((how) => {
			const numbers = counted.map((one) => one[BASIS[how]][index]);
			return [`${column}_${how}`, aggregate(how, numbers)];
		});
	});
	return Object.fromEntries(entries);
}

/** Such as 152.0/84.6. */
function meanText(metric: Metric, values: IDataObject): string | null {
	const means = measuredColumns(metric).map(
		(column) => values[`${column}_mean`],
	);
	if (!means.every((mean) => typeof mean === 'number')) return null;
	return means.map((mean) => mean.toFixed(1)).join('/');
}

function statusOf(
	metric: Metric,
	values: IDataObject,
	readings: number,
	mean: Thresholds = [],
): Status {
	if (readings === 0) return 'no readings';
	const isHigh = measuredColumns(metric).some(
		(column, at) => Number(values[`${column}_mean`]) >= (mean[at] ?? Infinity),
	);
	return isHigh ? 'high' : 'in range';
}

/** By the first value, then by the next. */
const byValues = ({ values: a }: Counted, { values: b }: Counted) =>
	a.map((value, at) => value - b[at]).find((difference) => difference !== 0) ??
	0;

/** An object is no name. */
function joined(names: unknown[]): string {
	const given = names.map(text).filter((name) => name !== '');
	return [...new Set(given)].sort().join(', ');
}
