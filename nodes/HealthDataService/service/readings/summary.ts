/** Rows that sum up the measurements of a period: a day, or a whole range. */
import type { IDataObject } from 'n8n-workflow';
import {
	groupBy,
	inColumns,
	joinNames,
	jsonText,
	namesIf,
} from '../../shared/values';
import type { SelectedUser } from '../users/selection';
import { connectedSlugs } from '../users/users';
import { aggregate, BASIS } from './aggregates';
import { madeRowId } from './identity';
import { reachedBy, reachedText } from './measured';
import {
	byEach,
	isCounted,
	measurementsOf,
	msAfter,
	readingOf,
	readingText,
	type Counted,
	type Measurement,
} from './measurements';
import {
	aggregatesOf,
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

/** What a row is of. */
type Period = 'day' | 'summary';

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
	const readings = readingsOf(options, groups, selected);
	const days = groupBy(measurementsOf(options.metric, readings), dayOf);
	// As text, null comes after all dates.
	return [...days.keys()].sort().map((date) => {
		const values = { ...periodValues(options, days.get(date)!), date };
		return periodRow('day', options, selected, values, [date]);
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
	const connected = connectedSlugs(selected.record ?? {});
	const enough_readings = isEnough(limits, values);
	Object.assign(values, { from, to, connected, enough_readings });
	if (before) Object.assign(values, valuesBefore(options, earlier, before));
	return [periodRow('summary', options, selected, values, [from, to])];
}

/** Of the period asked for, and of that of *Compare With*. They may overlap, or have readings between them. */
export function measurementsIn(
	options: SummaryOptions,
	groups: Group[],
	selected: SelectedUser,
) {
	const { isAsked, before } = options.rangeOf(selected);
	const readings = readingsOf(options, groups, selected);
	const all = measurementsOf(options.metric, readings);
	const earlier = before ? all.filter(before.has) : [];
	return { all, asked: all.filter(isAsked), earlier };
}

/** *Enough Readings*. */
export function isEnough({ enough = [] }: Limits, values: IDataObject) {
	const [readings = 0, days = 0] = enough;
	return Number(values.readings) >= readings && Number(values.days) >= days;
}

/** The columns of *Compare With*. */
function valuesBefore(
	options: SummaryOptions,
	earlier: readonly Measurement[],
	{ from, to }: NonNullable<ReadRange['before']>,
): IDataObject {
	const values = { ...periodValues(options, earlier), from, to };
	const entries = Object.entries(values);
	return Object.fromEntries(
		entries.map(([column, value]) => [ofBefore(column), value]),
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

/** A row with the columns of a period. @param days that it is of */
function periodRow(
	period: Period,
	options: SummaryOptions,
	selected: SelectedUser,
	values: IDataObject,
	days: readonly unknown[],
): IDataObject {
	const { metric, provider, sourceTypes, rangeOf } = options;
	const { user } = selected;
	const { zone: time_zone } = rangeOf(selected);
	const id = [...days, provider, ...sourceTypes];
	const row_id = madeRowId(metric, period, user.user_id, id);
	return inColumns(
		periodColumns(period, options),
		Object.assign(values, user, { time_zone, row_id }),
	);
}

/** The columns in their order, and which of them a row has. */
export function periodColumns(
	period: Period,
	{ metric, limits, onlyStatus, compareWith, hasTimeZone }: SummaryOptions,
): string[] {
	const { mean, high, low, enough } = limits;
	const isSummary = period === 'summary';
	const aggregates = aggregatesOf(metric);
	const columnsOf = (areFirst: boolean) =>
		aggregates
			.filter(({ isFirst }) => isFirst === areFirst)
			.map(({ column }) => column);
	const averages = [...columnsOf(true), ...namesIf(metric.hasMeanText, 'mean')];
	const before = [...averages, 'readings', 'from', 'to'];
	if (mean) before.push('status');
	const judgement = [
		...namesIf(!isSummary, 'date'),
		...namesIf(mean ?? onlyStatus.length > 0, 'status'),
		...namesIf(isSummary && enough, 'enough_readings'),
		...namesIf(high ?? low, 'reached', 'reached_reading', 'reached_time'),
	];
	const values = [
		...averages,
		'unit',
		'readings',
		...namesIf(isSummary, 'days'),
		'latest',
		'latest_time',
		'highest',
		'highest_time',
		'lowest',
		'lowest_time',
		...columnsOf(false),
		'left_out',
		...namesIf(isSummary && compareWith, ...before.map(ofBefore)),
	];
	return [
		'client_user_id',
		...judgement,
		...values,
		...namesIf(isSummary, 'from', 'to'),
		'providers',
		'source_types',
		...namesIf(isSummary, 'connected'),
		...namesIf(hasTimeZone, 'time_zone'),
		'user_id',
		'row_id',
	];
}

const ofBefore = (column: string) => `${column}_before`;

/** Values of all columns that describe the measurements of a period. */
export function periodValues(
	{ metric, limits }: SummaryOptions,
	measurements: readonly Measurement[],
): IDataObject {
	const counted = measurements.filter((one) => isCounted(metric, one));
	counted.sort((a, b) => msAfter(a, b) || byValues(a, b));
	const timed = counted.filter(({ time }) => time !== undefined);
	// With equal values, the later reading is the highest and the lowest.
	const highest = [...counted].sort(byValues).at(-1);
	const lowest = [...counted].sort((a, b) => byValues(b, a)).at(-1);
	const values = aggregated(metric, counted);
	const means = meansOf(metric, values);
	const readings = counted.length;
	const status = statusOf(readings, means, limits.mean);
	const unit = readings > 0 ? metric.unit.name : null;
	const days = new Set(timed.map(dayOf)).size;
	const left_out = measurements.length - readings;
	const mean = meanText(means);
	Object.assign(values, { status, mean, unit, readings, days, left_out });
	return Object.assign(
		values,
		oneReading('latest', timed.at(-1)),
		oneReading('highest', highest),
		oneReading('lowest', lowest),
		reachedValues(metric, limits, measurements),
		sourcesOf(measurements),
	);
}

/** One reading as text, so that no two values of different readings make a pair. */
const oneReading = (column: string, one?: Counted): IDataObject => ({
	[column]: one?.values.join('/'),
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
		reached_reading: one && readingText(metric, one, jsonText),
		reached_time: one?.local,
	};
}

/** Of copies too. */
function sourcesOf(measurements: readonly Measurement[]): IDataObject {
	const copies = measurements.flatMap((one) => one.copies);
	return {
		providers: joinNames(copies.map(({ row }) => row.provider)),
		source_types: joinNames(copies.map(({ row }) => row.source_type)),
	};
}

const aggregated = (metric: Metric, counted: readonly Counted[]): IDataObject =>
	Object.fromEntries(
		aggregatesOf(metric).map(({ column, how, at }) => {
			const numbers = counted.map((one) => one[BASIS[how]][at]);
			return [column, aggregate(how, numbers)];
		}),
	);

/** The first aggregate of each measured column: a mean, or a sum. */
export const meansOf = (metric: Metric, values: IDataObject) =>
	aggregatesOf(metric)
		.filter(({ isFirst }) => isFirst)
		.map(({ column }) => values[column]);

/** Such as 152.0/84.6. */
function meanText(means: unknown[]) {
	if (!means.every((mean) => typeof mean === 'number')) return null;
	return means.map((mean) => mean.toFixed(1)).join('/');
}

function statusOf(readings: number, means: unknown[], limits: Thresholds = []) {
	if (readings === 0) return 'no readings';
	const isHigh = means.some(
		(mean, at) => Number(mean) >= (limits[at] ?? Infinity),
	);
	return isHigh ? 'high' : 'in range';
}

const byValues = (a: Counted, b: Counted) => byEach(a.values, b.values);
