/** Words for readings: values, times, limits, and how far beyond its limits a reading is. */
import { reachedBy, type Measured } from '../service/readings/measured';
import {
	isCounted,
	msAfter,
	NO_VALUE,
	readingText,
	type Measurement,
} from '../service/readings/measurements';
import {
	measuredColumns,
	type Limits,
	type Metric,
	type Thresholds,
} from '../service/readings/metrics';
import {
	andMore,
	firstOf,
	joined,
	plain,
	READING_LENGTH,
	shownNumber,
} from './text';

/** Sentence case. */
export const metricName = ({ name }: Metric) =>
	name[0] + name.slice(1).toLowerCase();

/** Reading or session. */
export const readingNoun = ({ noun }: Metric) => noun.split(' ').at(-1)!;

export const plural = (count: number, noun: string) =>
	`${shownNumber(count)} ${noun}${count === 1 ? '' : 's'}`;

export const peopleWords = (count: number) =>
	count === 1 ? '1 person' : `${shownNumber(count)} people`;

/**
 * "Mon 30 Nov 08:01" of a local time, "Mon 30 Nov" of a date.
 *
 * @param year that need not be said
 * @param after a local time before this one in a list: its day is not said again
 */
export function timeWords(
	local: string | null | undefined,
	year = '',
	after?: string | null,
): string {
	if (!local) return '(no time)';
	const [date, clock] = local.split(' ');
	const minute = clock?.slice(0, 5);
	if (minute && after?.startsWith(date)) return minute;
	// Such as "Mon, 30 Nov 2026 00:00:00 GMT". Luxon takes thirty times as long, and a poll may have thousands of readings.
	const [weekday, day, month, ofYear] = new Date(date)
		.toUTCString()
		.split(/,? 0?/);
	return joined([weekday, day, month, ofYear !== year && ofYear, minute], ' ');
}

/** "Mon 16 Nov to Sun 22 Nov 2026", of dates or local times. */
export function periodWords(from: string, to: string): string {
	const days = [timeWords(from, to.slice(0, 4)), timeWords(to)];
	return from === to ? days[1] : days.join(' to ');
}

/** "at or above 180/110, or at or below 90/50", of the limits of one reading. Empty without. */
export const limitsWords = ({ high, low }: Limits) =>
	joined(
		[pairWords('at or above', high), pairWords('at or below', low)],
		', or ',
	);

/** "at or above 180/110", and a dash for a value without a limit. */
export const pairWords = (words: string, pair?: Thresholds) =>
	pair && `${words} ${pair.map((value) => value ?? NO_VALUE).join('/')}`;

/**
 * How many times its limit the worst value is, and for a lower limit how many times the value the limit is: from 1 on a limit is
 * reached.
 */
export function severity(
	{ high = [], low = [] }: Limits,
	values: readonly Measured[],
): number {
	const ratios = values.flatMap((value, at) =>
		typeof value === 'number'
			? [value / (high[at] ?? Infinity), (low[at] ?? 0) / value]
			: [],
	);
	return Math.max(0, ...ratios);
}

/** What words for readings need to know. */
export interface ReadingStyle {
	metric: Metric;
	/** `high` and `low` are those of one reading. */
	limits: Limits;
	/** The year that need not be said. */
	year?: string;
	/** The latest time that it may be now (ms): a later reading is dated ahead. */
	latestNow: number;
}

/** As `readingText`, in safe characters. */
export const valueWords = (metric: Metric, one: Measurement) =>
	readingText(metric, one, (value) => plain(value, READING_LENGTH) || '?');

/** "180/95 Mon 30 Nov 08:01 high". */
export const readingWords = (
	style: ReadingStyle,
	one: Measurement,
	after?: string | null,
): string => {
	const value = valueWords(style.metric, one);
	const time = timeWords(one.local, style.year, after);
	return joined([value, time, marksOf(style, one).join(' and ')], ' ');
};

/** The newest with a time, at the latest `until` (ms). */
export const newestOf = (some: readonly Measurement[], until = Infinity) =>
	some
		.filter(({ time }) => time !== undefined && time <= until)
		.sort(msAfter)
		.at(-1);

/** "latest 142/88 Sun 22 Nov 20:10", where none of the others is as new. One dated ahead is not. */
export function laterWords(
	style: ReadingStyle,
	latest: Measurement | undefined,
	others: readonly Measurement[] = [],
): string {
	const until = style.latestNow;
	const newest = newestOf(others, until);
	if (!latest || (newest && msAfter(newest, latest) >= 0)) return '';
	return `latest ${readingWords(style, latest)}`;
}

const MAX_SOURCES = 5;

/** "by cuff, phone": source types, else providers. */
export function sourceWords(measurements: readonly Measurement[]) {
	const rows = measurements.flatMap(({ copies }) => copies);
	const names = rows.map(({ row }) => plain(row.source_type || row.provider));
	const all = [...new Set(names)].filter(Boolean).sort();
	return all.length > 0 && `by ${firstOf(all, MAX_SOURCES)}`;
}

/** What a reading has reached, or that it does not count; whether it was corrected, and is dated ahead. */
export function marksOf(
	{ metric, limits, latestNow }: ReadingStyle,
	one: Measurement,
): string[] {
	const reached = [...reachedBy(metric, limits, [one])];
	const isLeftOut = reached.length === 0 && !isCounted(metric, one);
	const marks = [
		...reached,
		isLeftOut && 'not counted',
		isCorrected(one) && 'corrected',
		(one.time ?? 0) > latestNow && 'dated ahead',
	];
	return marks.filter((mark) => typeof mark === 'string');
}

/** Of the trigger. */
export const isCorrected = ({ copies }: Measurement) =>
	copies.some(({ row }) => row.change === 'updated');

/**
 * Newest first: "180/95 Mon 30 Nov 08:01 high, 192/110 07:51 high … and 4 more". Always with those of the
 * highest and the lowest of each value.
 *
 * @param newest readings that are shown
 * @param most a list of so many is shown whole, and of a longer one so many beyond a limit
 */
export function readingList(
	style: ReadingStyle,
	measurements: readonly Measurement[],
	newest = 3,
	most = 0,
): string {
	const inOrder = [...measurements].sort((a, b) => msAfter(b, a));
	const kept = new Set([
		...inOrder.slice(0, newest),
		...beyondLimits(style, inOrder).slice(0, most),
		...measuredColumns(style.metric).flatMap((_, at) =>
			extremesOf(inOrder, at),
		),
	]);
	const shown = inOrder.filter(
		(one) => inOrder.length <= most || kept.has(one),
	);
	const words = shown.map((one, at) =>
		readingWords(style, one, shown[at - 1]?.local),
	);
	return joined(
		[words.join(', '), ...andMore(inOrder.length - shown.length)],
		' ',
	);
}

/** Those that reach a limit of one reading, or are not comparable with it. */
export const beyondLimits = (
	{ metric, limits }: ReadingStyle,
	measurements: readonly Measurement[],
) => measurements.filter((one) => reachedBy(metric, limits, [one]).size > 0);

/** How far beyond its limit the worst of these readings is. A person may have more than a function has arguments. */
export const worstOf = (limits: Limits, beyond: readonly Measurement[]) =>
	beyond.reduce(
		(worst, { values }) => Math.max(worst, severity(limits, values)),
		0,
	);

/** Those with the highest and the lowest of a value. */
function extremesOf(measurements: readonly Measurement[], at: number) {
	const sorted = measurements
		.filter(({ values }) => typeof values[at] === 'number')
		.sort((a, b) => Number(b.values[at]) - Number(a.values[at]));
	return [sorted[0], sorted[sorted.length - 1]];
}
