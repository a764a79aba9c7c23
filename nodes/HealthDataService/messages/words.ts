/** Words for readings: values, times, limits, and how far beyond its limits a reading is. */
import {
	arePossible,
	REACHED,
	reachedBy,
	type Measured,
} from '../service/readings/measured';
import {
	isCounted,
	msAfter,
	type Measurement,
} from '../service/readings/measurements';
import {
	asIs,
	conversionOf,
	measuredColumns,
	type Limits,
	type Metric,
	type Thresholds,
} from '../service/readings/metrics';
import { isBlank } from '../shared/values';
import { andMore, plain, READING_LENGTH, shownNumber } from './text';

/** Sentence case. */
export const metricName = ({ name }: Metric) =>
	name[0] + name.slice(1).toLowerCase();

/** Reading or session. */
export const readingNoun = ({ noun }: Metric) => noun.split(' ').at(-1)!;

export const plural = (count: number, noun: string) =>
	`${shownNumber(count)} ${noun}${count === 1 ? '' : 's'}`;

export const peopleWords = (count: number) =>
	count === 1 ? '1 person' : `${shownNumber(count)} people`;

interface TimeOptions {
	/** The year that need not be said. */
	year?: string;
	/** A local time before this one in a list: its day is not said again. */
	after?: string | null;
}

/** "Mon 30 Nov 08:01" of a local time, "Mon 30 Nov" of a date. */
export function timeWords(
	local: string | null | undefined,
	{ year, after }: TimeOptions = {},
): string {
	if (!local) return 'without a time';
	const [date, clock] = local.split(' ');
	const minute = clock?.slice(0, 5);
	if (minute && after?.startsWith(date)) return minute;
	// Such as "Mon, 30 Nov 2026 00:00:00 GMT".
	const words = new Date(date).toUTCString().split(/,? 0?/).slice(0, 4);
	if (words[3] === year) words.pop();
	return [...words, minute].filter(Boolean).join(' ');
}

/** "Mon 16 Nov to Sun 22 Nov 2026", of dates or local times. */
export function periodWords(from: string, to: string): string {
	const year = to.slice(0, 4);
	return from === to
		? timeWords(to)
		: `${timeWords(from, { year })} to ${timeWords(to)}`;
}

/** "at or above 180/110, or at or below 90/50", of the limits of one reading. Empty without. */
export const limitsWords = (metric: Metric, { high, low }: Limits) =>
	[
		pairWords(metric, 'at or above', high),
		pairWords(metric, 'at or below', low),
	]
		.filter(Boolean)
		.join(', or ');

/** "at or above 180/110". If only one value has a limit, its name comes first. */
export function pairWords(
	metric: Metric,
	words: string,
	pair: Thresholds = [],
): string {
	const columns = measuredColumns(metric);
	const given = columns.filter((_, at) => pair[at] !== undefined);
	if (given.length === 0) return '';
	const values = pair.filter((value) => value !== undefined).join('/');
	const subject = given.length < columns.length ? `${given[0]} ` : '';
	const unit = columns.length === 1 ? ` ${metric.unit.name}` : '';
	return `${subject}${words} ${values}${unit}`;
}

/**
 * How many times its limit the worst value is, and for a lower limit how many times the value the limit is: from 1 on a limit is
 * reached. 1 for a value that cannot be compared.
 */
export function severity(
	{ high = [], low = [] }: Limits,
	values: readonly Measured[],
): number {
	const ratios = values.flatMap((value, at) => {
		if (typeof value === 'string') return [1];
		return value === null
			? []
			: [value / (high[at] ?? Infinity), (low[at] ?? 0) / value];
	});
	// 0 of a limit of 0 is no number.
	return Math.max(0, ...ratios.map((ratio) => ratio || 0));
}

/** What words for readings need to know. */
export interface ReadingStyle {
	metric: Metric;
	/** `high` and `low` are those of one reading. */
	limits: Limits;
	/** The year that need not be said. */
	year?: string;
	/** The latest time that it may be now (ms): a later reading is dated ahead. */
	latestNow?: number;
}

/** Values in the metric's unit; values that do not count as they came, with their unit. */
export function valueWords(metric: Metric, one: Measurement): string {
	if (isCounted(metric, one)) return one.values.join('/');
	const { row } = one;
	const given = measuredColumns(metric).map((column) => row[column]);
	const values = given.map((value) =>
		isBlank(value) ? '–' : plain(value, READING_LENGTH),
	);
	const isOwn = conversionOf(metric.unit, row.unit) === asIs;
	const unit = isOwn ? '' : plain(row.unit, READING_LENGTH);
	return [values.join('/'), unit].filter(Boolean).join(' ');
}

/** "180/95 Mon 30 Nov 08:01 high". */
export function readingWords(
	style: ReadingStyle,
	one: Measurement,
	after?: string | null,
): string {
	const { metric, year } = style;
	const words = [
		valueWords(metric, one),
		timeWords(one.local, { year, after }),
		marksOf(style, one).join(' and '),
	];
	return words.filter(Boolean).join(' ');
}

/** The newest with a time, at the latest `until` (ms). */
export const newestOf = (some: readonly Measurement[], until = Infinity) =>
	some
		.filter(({ time }) => time !== undefined && time <= until)
		.sort(msAfter)
		.at(-1);

/** "latest 142/88 Sun 22 Nov 20:10". */
export const latestWords = (style: ReadingStyle, one: Measurement) =>
	`latest ${readingWords(style, one)}`;

const MAX_SOURCES = 5;

/** "by cuff, phone": source types, else providers. */
export function sourceWords(measurements: readonly Measurement[]): string {
	const rows = measurements.flatMap(({ copies }) => copies);
	const names = rows.map(({ row }) => plain(row.source_type || row.provider));
	const all = [...new Set(names)].filter(Boolean).sort();
	const shown = all.slice(0, MAX_SOURCES).join(', ');
	const more = andMore(all.length - MAX_SOURCES);
	return all.length > 0 ? ['by', shown, ...more].join(' ') : '';
}

/** What a reading has reached, or why it does not count; whether it was corrected, and is dated ahead. */
export function marksOf(
	{ metric, limits, latestNow = Infinity }: ReadingStyle,
	one: Measurement,
): string[] {
	const reached = reachedBy(metric, limits, [one]);
	const words = REACHED.filter((word) => reached.has(word));
	const marks = [
		...(words.length > 0 ? words : [flawOf(metric, one)]),
		isCorrected(one) && 'corrected',
		(one.time ?? 0) > latestNow && 'dated ahead',
	];
	return marks.filter((mark) => typeof mark === 'string');
}

/** Of the trigger. */
export const isCorrected = ({ copies }: Measurement) =>
	copies.some(({ row }) => row.change === 'updated');

/** Why a reading does not count. */
function flawOf(metric: Metric, one: Measurement): string | undefined {
	if (isCounted(metric, one)) return undefined;
	if (one.values.some((value) => typeof value === 'string'))
		return 'not comparable';
	return arePossible(metric, one.exact) ? 'incomplete' : 'cannot be right';
}

interface ListLength {
	/** A list of so many or fewer is shown whole. */
	all?: number;
	/** Newest readings beyond a limit that are shown in a longer one. */
	beyond?: number;
	newest?: number;
}

/**
 * Newest first: "180/95 Mon 30 Nov 08:01 high, 192/110 07:51 high … and 4 more". A longer list has the newest, and always those with
 * the highest and the lowest of each value.
 */
export function readingList(
	style: ReadingStyle,
	measurements: readonly Measurement[],
	{ all = 0, beyond = 0, newest = 3 }: ListLength = {},
): string {
	const { metric, limits } = style;
	const inOrder = [...measurements].sort((a, b) => msAfter(b, a));
	const isBeyond = (one: Measurement) =>
		reachedBy(metric, limits, [one]).size > 0;
	const kept = new Set([
		...inOrder.slice(0, newest),
		...inOrder.filter(isBeyond).slice(0, beyond),
		...measuredColumns(metric).flatMap((_, at) => extremesOf(inOrder, at)),
	]);
	const shown = inOrder.filter((one) => inOrder.length <= all || kept.has(one));
	const words = shown.map((one, at) =>
		readingWords(style, one, shown[at - 1]?.local),
	);
	const more = andMore(inOrder.length - shown.length);
	return [words.join(', '), ...more].join(' ');
}

/** Those with the highest and the lowest of a value. */
function extremesOf(measurements: readonly Measurement[], at: number) {
	const sorted = measurements
		.filter(({ values }) => typeof values[at] === 'number')
		.sort((a, b) => Number(b.values[at]) - Number(a.values[at]));
	return [sorted[0], sorted[sorted.length - 1]];
}
