/**
 * Measurements: the readings of one user without copies. A measurement that came through several sources counts once, because phones
 * and other stores copy the readings of a device: some without the seconds, some with a time zone applied twice.
 */
import type { IDataObject } from 'n8n-workflow';
import { instantOf, type LocalTimeOf } from '../../shared/dateTime';
import { groupBy, isBlank, text } from '../../shared/values';
import { areComplete, measuredValues, type Values } from './measured';
import { asIs, conversionOf, measuredColumns, type Metric } from './metrics';

/** A store may cut the seconds of the readings that it copies. */
const COPY_MS = 60_000;
const SECOND_MS = 1000;

/** Offsets of time zones are multiples of 15 minutes, up to 14 hours. */
const OFFSET_STEP_S = 15 * 60;
const MAX_OFFSET_S = 14 * 60 * 60;

/** A row, and what is read from it once. */
export interface Reading extends Values {
	row: IDataObject;
	/** ms; undefined without a valid time, and then `local` is null. */
	time?: number;
	local: string | null;
	/** End of a session (ms). Infinity without one after `time`, and for a reading of an instant. */
	end: number;
	/** The same text for the same provider and source type. */
	source: string;
}

/** A reading that is no copy. */
export interface Measurement extends Reading {
	/** With itself. */
	copies: Reading[];
	/** Of its copies. */
	sources: Set<string>;
}

export function readingOf(
	metric: Metric,
	row: IDataObject,
	localTimeOf: LocalTimeOf,
): Reading {
	const [instant, ending] = metric.times.map((name) => instantOf(row[name]));
	const local = localTimeOf(instant);
	const time = local === null ? undefined : instant.millis;
	const end = ending?.millis ?? Infinity;
	return {
		...measuredValues(metric, row),
		row,
		time,
		local,
		end: end > (time ?? NaN) ? end : Infinity,
		source: JSON.stringify([text(row.provider), text(row.source_type)]),
	};
}

/** A measurement whose values are all numbers in the metric's unit that a person can have. */
export interface Counted extends Measurement {
	values: number[];
}

export const isCounted = (metric: Metric, one: Measurement): one is Counted =>
	areComplete(one.values) && metric.isPossible(...one.exact);

/** In texts, for a value that is missing. */
export const NO_VALUE = '–';

/**
 * A reading as text. As it came if it does not count: an alert without values is of no use. Without another unit, such values would
 * look like those in the metric's.
 *
 * @param shown a value as it came, as text
 */
export function readingText(
	metric: Metric,
	one: Measurement,
	shown: (value: unknown) => string,
): string {
	if (isCounted(metric, one)) return one.values.join('/');
	const { row } = one;
	const values = measuredColumns(metric)
		.map((column) => (isBlank(row[column]) ? NO_VALUE : shown(row[column])))
		.join('/');
	const isOwn = conversionOf(metric.unit, row.unit) === asIs;
	return isOwn ? values : `${values} ${shown(row.unit)}`;
}

/**
 * A reading is a copy of the earliest measurement with equal values, at most a minute earlier, that its source has no part of yet; a
 * session only if that has not ended. Equal readings of one source in one second are one. Then, copies with a time zone applied twice
 * are found among the measurements of an instant.
 */
export function measurementsOf(
	metric: Metric,
	readings: readonly Reading[],
): Measurement[] {
	const groups = equalMeasurements(metric, readings);
	return metric.times.length > 1 ? groups.flat() : withoutShifted(groups);
}

/** The same without copies of another time zone: each reading that goes out in an alert is in it. */
export const withoutSourceCopies = (
	metric: Metric,
	readings: readonly Reading[],
) => equalMeasurements(metric, readings).flat();

/** Those with equal values together, in an order that the order of pages does not change. */
function equalMeasurements(metric: Metric, readings: readonly Reading[]) {
	const equals = groupBy(readings, (reading) => equalityKey(metric, reading));
	const keys = [...equals.keys()].sort();
	return keys.map((key) => withoutCopies(equals.get(key)!));
}

/** The same text for equal values. Without a time, only identical readings of one source are equal. */
function equalityKey(metric: Metric, reading: Reading) {
	const { row, values, time, source } = reading;
	const untimed = () => [instantOf(row[metric.times[0]]).key, source];
	return JSON.stringify([time === undefined && untimed(), values.map(String)]);
}

/** @param equal readings with equal values */
function withoutCopies(equal: readonly Reading[]) {
	// Equal values of several units differ before they are rounded.
	const inOrder = [...equal].sort(
		(a, b) => msAfter(a, b) || byEach(a.exact, b.exact),
	);
	const measurements: Measurement[] = [];
	const bySecond = new Map<string, Measurement>();
	// Few: a source has at most one of each second.
	let recent: Measurement[] = [];
	for (const reading of inOrder) {
		const { source } = reading;
		const key = `${String(secondOf(reading))} ${source}`;
		recent = recent.filter((one) => mayHaveCopy(one, reading));
		const original =
			bySecond.get(key) ?? recent.find(({ sources }) => !sources.has(source));
		const measurement = original ?? measurementOf(reading);
		measurement.copies.push(reading);
		measurement.sources.add(source);
		bySecond.set(key, measurement);
		if (original) continue;
		measurements.push(measurement);
		recent.push(measurement);
	}
	return measurements;
}

const measurementOf = (reading: Reading): Measurement => ({
	...reading,
	copies: [],
	sources: new Set(),
});

/** For sorting by time, too: a reading without a time comes first. */
export const msAfter = (later: Reading, one: Reading) =>
	(later.time ?? 0) - (one.time ?? 0);

/** For sorting: by the first value, then by the next. */
export const byEach = (a: readonly number[], b: readonly number[]) =>
	a.map((value, at) => value - b[at]).find(Boolean) ?? 0;

/** Once false, it is so for all later readings. */
const mayHaveCopy = (one: Measurement, reading: Reading) =>
	reading.time !== undefined &&
	reading.time < one.end &&
	msAfter(reading, one) <= COPY_MS;

const secondOf = ({ time }: Reading) => time && Math.floor(time / SECOND_MS);

/**
 * Without copies with another offset of a time zone: equal values, to the second. An offset counts only where at least half of the
 * measurements, and at least two, have a copy at it. Of measurements with equal values at an equal second of the quarter hour, only one
 * counts there: a monitor that measures each half hour at a fixed second has equal values now and then, or always. A second of 0 says
 * nothing: typed times have it.
 *
 * @param groups measurements with equal values, in order of time
 */
function withoutShifted(groups: Measurement[][]) {
	const measurements = groups.flat();
	const alike = groups.flatMap(apartByOffsets);
	// Half of those that stay is a third of all.
	const least = Math.max(2, measurements.length / 3);
	const found = groupBy(alike.flatMap(offsetsIn), (offset) => offset);
	const applied = [...found].flatMap(([offset, { length }]) =>
		length >= least ? offset : [],
	);
	// The longest first: it leads to the earliest measurement.
	applied.sort((a, b) => b - a);
	const copies = new Set<Measurement>();
	for (const group of alike) addCopiesAt(applied, group, copies);
	return measurements.filter((one) => !copies.has(one));
}

/** Measurements that are a multiple of 15 minutes apart, to the second. */
function apartByOffsets(equal: Measurement[]) {
	const withSecond = equal.filter((one) => (secondOf(one) ?? 0) % 60 !== 0);
	const groups = groupBy(withSecond, (one) => secondOf(one)! % OFFSET_STEP_S);
	return [...groups.values()];
}

/** Offsets (s) at which measurements of a group come again, each once. */
function offsetsIn(group: Measurement[]) {
	const seconds = group.map((one) => secondOf(one)!);
	const offsets = new Set<number>();
	for (const [at, second] of seconds.entries()) {
		for (let earlier = at - 1; earlier >= 0; earlier--) {
			const offset = second - seconds[earlier];
			if (offset > MAX_OFFSET_S) break;
			offsets.add(offset);
		}
	}
	return [...offsets];
}

/** Moves the readings of copies, and of their copies, to the earliest measurement. */
function addCopiesAt(
	offsets: readonly number[],
	group: readonly Measurement[],
	copies: Set<Measurement>,
) {
	const originals = new Map<number, Measurement>();
	for (const one of group) {
		const second = secondOf(one)!;
		const offset = offsets.find((any) => originals.has(second - any)) ?? 0;
		const original = originals.get(second - offset) ?? one;
		originals.set(second, original);
		if (original === one) continue;
		original.copies = original.copies.concat(one.copies);
		copies.add(one);
	}
}
