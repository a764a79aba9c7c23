/**
 * Measurements: the readings of one user without copies. A measurement that came through several sources counts once, because phones
 * and other stores copy the readings of a device, some without the seconds.
 */
import type { IDataObject } from 'n8n-workflow';
import { instantOf, unitKey, valueKey, type LocalTimeOf } from './identity';
import { arePossible, measuredValues, type Measured } from './measured';
import { measuredColumns, type Metric } from './metrics';

/** A store may cut the seconds of the readings that it copies. */
const COPY_MS = 60_000;
const SECOND_MS = 1000;

export interface Measurement {
	/** The first copy, as it came. */
	row: IDataObject;
	values: Measured[];
	/** Whether all values are numbers in the metric's unit that a person can have. */
	counts: boolean;
	/** ms; undefined without a valid time, and then `local` is null. */
	time?: number;
	local: string | null;
	copies: Copy[];
}

interface Copy {
	provider: unknown;
	sourceType: unknown;
	/** Number of the second in which it was measured. */
	second?: number;
}

/** A row with its time (ms; undefined without a valid one), local time, and an order to the last digit that the service wrote. */
export interface TimedReading {
	row: IDataObject;
	time?: number;
	local: string | null;
	instant: string;
}

export function timedReading(
	{ times: [column] }: Metric,
	row: IDataObject,
	localTimeOf: LocalTimeOf,
): TimedReading {
	const { millis: time, key: instant } = instantOf(row[column]);
	return { row, time, local: localTimeOf(row[column], time), instant };
}

/**
 * In order of time, those without a time last. A reading is a copy of the earliest measurement with equal values, at most a minute
 * earlier, that its source has no part of yet. Equal readings of one source in one second are one.
 */
export function measurementsOf(metric: Metric, readings: readonly TimedReading[]): Measurement[] {
	const measurements: Measurement[] = [];
	const equals = new Map<string, Measurement[]>();
	for (const { row, time, local } of [...readings].sort(byTime)) {
		const values = measuredValues(metric, row);
		const key = keyOf(metric, row, values, time);
		const equal = equals.get(key) ?? [];
		if (equal.length === 0) equals.set(key, equal);
		const copy = copyOf(row, time);
		const original = originalOf(copy, equal, time);
		if (original) {
			original.copies.push(copy);
			continue;
		}
		const counts = isComplete(values) && arePossible(metric, values);
		const measurement = { row, values, counts, time, local, copies: [copy] };
		measurements.push(measurement);
		equal.push(measurement);
	}
	return measurements;
}

const isComplete = (values: Measured[]) => values.every((value) => typeof value === 'number');

/** The order of pages and of notations decides nothing. */
function byTime(a: TimedReading, b: TimedReading): number {
	if (a.time === b.time)
		return compareText(a.instant, b.instant) || compareText(textOf(a), textOf(b));
	return (a.time ?? Infinity) - (b.time ?? Infinity);
}

const compareText = (a: string, b: string) => Number(a > b) - Number(a < b);

const textOf = ({ row }: TimedReading) => JSON.stringify(Object.values(row));

/** The same text for equal values. Without a time, only identical readings are equal. */
function keyOf(metric: Metric, row: IDataObject, values: Measured[], time?: number): string {
	const isNumeric = isComplete(values);
	if (isNumeric && time !== undefined) return values.join(' ');
	const asCame = measuredColumns(metric).map((column) => valueKey(row[column]));
	const compared = isNumeric ? values : [unitKey(row.unit), ...asCame];
	return JSON.stringify(
		time === undefined ? [row[metric.times[0]] || null, ...compared] : compared,
	);
}

/** Empty text is no source, like null. */
const copyOf = ({ provider, source_type }: IDataObject, time?: number): Copy => ({
	provider: provider || null,
	sourceType: source_type || null,
	second: time === undefined ? undefined : Math.floor(time / SECOND_MS),
});

/** The measurement that a reading repeats. @param equal with equal values, in order of time */
function originalOf(copy: Copy, equal: readonly Measurement[], time?: number) {
	let original: Measurement | undefined;
	for (let at = equal.length - 1; at >= 0; at--) {
		const one = equal[at];
		const agoMs = time === undefined ? 0 : time - one.time!;
		if (agoMs > COPY_MS + SECOND_MS) break;
		const ofSource = one.copies.filter((other) => isSameSource(other, copy));
		if (ofSource.some(({ second }) => second === copy.second)) return one;
		if (ofSource.length === 0 && time !== undefined && agoMs <= COPY_MS) original = one;
	}
	return original;
}

const isSameSource = (a: Copy, b: Copy) =>
	a.provider === b.provider && a.sourceType === b.sourceType;
