/**
 * Measurements: the readings of one user without copies. A measurement that came through several sources counts once, because phones
 * and other stores copy the readings of a device, some without the seconds.
 */
import type { IDataObject } from 'n8n-workflow';
import { instantOf, type LocalTimeOf } from '../../shared/dateTime';
import { groupBy } from '../../shared/values';
import {
	areComplete,
	arePossible,
	measuredValues,
	type Measured,
} from './measured';
import type { Metric } from './metrics';

/** A store may cut the seconds of the readings that it copies. */
const COPY_MS = 60_000;
const SECOND_MS = 1000;

/** A row, and what is read from it once. */
export interface Reading {
	row: IDataObject;
	values: Measured[];
	/** ms; undefined without a valid time, and then `local` is null. */
	time?: number;
	local: string | null;
}

/** A reading that is no copy. */
export interface Measurement extends Reading {
	/** With itself. */
	copies: Reading[];
}

export function readingOf(
	metric: Metric,
	row: IDataObject,
	localTimeOf: LocalTimeOf,
): Reading {
	const values = measuredValues(metric, row);
	const [column] = metric.times;
	const instant = instantOf(row[column]);
	const local = localTimeOf(instant);
	const time = local === null ? undefined : instant.millis;
	return { row, values, time, local };
}

/** A measurement whose values are all numbers in the metric's unit that a person can have. */
export interface Counted extends Measurement {
	values: number[];
}

export const isCounted = (metric: Metric, one: Measurement): one is Counted =>
	areComplete(one.values) && arePossible(metric, one.values);

/**
 * A reading is a copy of the earliest measurement with equal values, at most a minute earlier, that its source has no part of yet.
 * Equal readings of one source in one second are one.
 */
export function measurementsOf(
	metric: Metric,
	readings: readonly Reading[],
): Measurement[] {
	const inOrder = [...readings].sort(msAfter);
	const equals = groupBy(inOrder, (reading) => equalityKey(metric, reading));
	return [...equals.values()].flatMap(withoutCopies);
}

/** The same text for equal values. Without a time, only identical readings are equal. */
function equalityKey(metric: Metric, { row, values, time }: Reading): string {
	const [timeColumn] = metric.times;
	const withoutTime = time === undefined && instantOf(row[timeColumn]).key;
	return JSON.stringify([withoutTime, ...values]);
}

/** @param equal readings with equal values, in order of time */
function withoutCopies(equal: readonly Reading[]): Measurement[] {
	const measurements: Measurement[] = [];
	const recent: Measurement[] = [];
	for (const reading of equal) {
		while (
			recent.length > 0 &&
			msAfter(reading, recent[0]) > COPY_MS + SECOND_MS
		) {
			recent.shift();
		}
		const original =
			recent.find((one) => isRepeated(one, reading)) ??
			recent.find((one) => isCopied(one, reading));
		if (original) {
			original.copies.push(reading);
			continue;
		}
		const measurement = { ...reading, copies: [reading] };
		measurements.push(measurement);
		recent.push(measurement);
	}
	return measurements;
}

/** For sorting by time, too: a reading without a time comes first. */
export const msAfter = (later: Reading, one: Reading) =>
	(later.time ?? 0) - (one.time ?? 0);

const isRepeated = ({ copies }: Measurement, reading: Reading) =>
	copies.some(
		(copy) =>
			isSameSource(copy, reading) && secondOf(copy) === secondOf(reading),
	);

const isCopied = (one: Measurement, reading: Reading) =>
	reading.time !== undefined &&
	msAfter(reading, one) <= COPY_MS &&
	!one.copies.some((copy) => isSameSource(copy, reading));

/** Empty text is no source type, like null. */
const isSameSource = ({ row: a }: Reading, { row: b }: Reading) =>
	a.provider === b.provider &&
	(a.source_type || null) === (b.source_type || null);

const secondOf = ({ time }: Reading) => time && Math.floor(time / SECOND_MS);
