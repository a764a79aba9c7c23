/** Summary rows: one for each user, also without readings. A measurement that came through several sources counts once. */
import { hash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { dayOfClock } from '../../shared/calendarDay';
import { isBlank } from '../../shared/values';
import { aggregateColumns, toNumber } from './aggregates';
import type { DayRange } from './daily';
import { measuredColumns, type Metric } from './metrics';
import {
	commonUnit,
	instantOf,
	localTimeIn,
	rowKey,
	unitKey,
	userPrefix,
	valueKey,
} from './identity';
import { readingRows, type Collect } from './rows';
import type { UserRef } from '../users/users';

export interface SummaryRange extends Required<DayRange> {
	provider: string;
}

/** One row per user, never more or less. Keeps no readings, only a short key of each until the user is read. */
export function collectSummary(metric: Metric, range: SummaryRange): Collect {
	const localTimeOf = localTimeIn(range.zone);
	return async (pages, user) => {
		const summary = new Summary(metric, range, localTimeOf);
		for await (const page of pages) {
			for (const row of readingRows(page, metric, user)) summary.add(row);
		}
		return [summary.toRow(user)];
	};
}

/** A time, comparable to the last digit that the service wrote. */
interface Instant {
	millis: number;
	key: string;
	text: unknown;
}

/** Accumulator of the readings of one user, in any order and repeated. */
export class Summary {
	private readonly keys = new Set<string>();
	private readonly days = new Set<string>();
	/** Unit → how it is written. A reading without a unit is one of the only unit of the others. */
	private readonly units = new Map<unknown, unknown>();
	private readonly sources = { provider: new Set<string>(), source_type: new Set<string>() };
	private readonly numbers: Record<string, number[]>;
	private first?: Instant;
	private last?: Instant;

	constructor(
		private readonly metric: Metric,
		private readonly range: SummaryRange,
		private readonly localTimeOf = localTimeIn(range.zone),
	) {
		this.numbers = Object.fromEntries(measuredColumns(metric).map((column) => [column, []]));
	}

	/** A reading without a time belongs to no day; one of a day outside the range is ignored. */
	add(row: IDataObject) {
		const text = row[this.metric.times[0]];
		const { millis, key } = instantOf(text);
		const day = dayOfClock(this.localTimeOf(text, millis) ?? undefined);
		if (day !== undefined) {
			if (day < this.range.first || day > this.range.last) return;
			this.days.add(day);
			const instant = { millis: millis!, key, text };
			if (!this.first || compare(instant, this.first) < 0) this.first = instant;
			if (!this.last || compare(instant, this.last) > 0) this.last = instant;
		}
		for (const [column, names] of Object.entries(this.sources))
			if (!isBlank(row[column])) names.add(String(row[column]));
		const unit = unitKey(row.unit);
		if (unit !== null) this.units.set(unit, commonUnit(this.units.get(unit), row.unit));

		const measurement = measurementKey(this.metric, row, day === undefined ? undefined : millis);
		if (this.keys.has(measurement)) return;
		this.keys.add(measurement);
		for (const [column, numbers] of Object.entries(this.numbers)) {
			const number = toNumber(row[column]);
			if (number !== undefined) numbers.push(number);
		}
	}

	toRow({ user_id, client_user_id }: UserRef): IDataObject {
		const { value, measured } = this.metric;
		const { first: from, last: to, provider } = this.range;
		// Values of different units have no mean.
		const isOneUnit = this.units.size <= 1;
		const [unit = null] = isOneUnit ? this.units.values() : [];
		const valuesOf = (column: string) => (isOneUnit ? this.numbers[column] : []);
		const firstOfEach = Object.fromEntries(
			Object.entries(measured).map(([column, [how]]) => [column, [how]]),
		);
		return {
			client_user_id,
			...aggregateColumns(firstOfEach, valuesOf),
			unit,
			readings: this.keys.size,
			days: this.days.size,
			// The first of each keeps its place.
			...aggregateColumns(measured, valuesOf),
			first: this.first?.text ?? null,
			last: this.last?.text ?? null,
			from,
			to,
			providers: [...this.sources.provider].sort().join(', '),
			source_types: [...this.sources.source_type].sort().join(', '),
			user_id,
			row_id: `${value}-summary-${rowKey(userPrefix(user_id), JSON.stringify([value, user_id, from, to, provider]))}`,
		} as IDataObject;
	}
}

/** Two notations of one instant have an order too, so that the order of pages does not decide. */
const compare = (a: Instant, b: Instant) =>
	a.millis - b.millis || compareText(a.key, b.key) || compareText(String(a.text), String(b.text));

const compareText = (a: string, b: string) => Number(a > b) - Number(a < b);

const MAX_KEY_LENGTH = 64;

/**
 * The same text for one measurement, whatever source it came through: the same second, values and unit. Without a time (`millis`),
 * only the readings of one source can be the same.
 */
function measurementKey(metric: Metric, row: IDataObject, millis?: number): string {
	const [time, ...otherTimes] = metric.times;
	const { measured } = metric;
	const others = [...otherTimes, ...measuredColumns(metric), 'unit'];
	const when =
		millis === undefined
			? [row[time], row.provider, row.source_type].map((cell) => cell || null)
			: toSecond(millis);
	const values = others.map(
		(column) =>
			(column in measured ? toNumber(row[column]) : undefined) ?? comparableValue(row[column]),
	);
	const text = JSON.stringify([when, ...values]);
	return text.length > MAX_KEY_LENGTH ? hash('sha256', text) : text;
}

const toSecond = (millis: number) => Math.floor(millis / 1000);

/** Copies of a session may have an `end` with other decimals. */
function comparableValue(value: unknown) {
	const { millis, key } = instantOf(value);
	return millis === undefined || key === value ? valueKey(value) : toSecond(millis);
}
