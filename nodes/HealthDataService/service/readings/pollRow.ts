/** One row per user of a poll: the new and corrected readings of the trigger's *One Item per User*. */
import type { IDataObject } from 'n8n-workflow';
import type { LocalTimeOf } from '../../shared/dateTime';
import { groupBy } from '../../shared/values';
import type { UserRef } from '../users/users';
import type { IdentifiedRow } from './identity';
import { reachedBy, reachedText } from './measured';
import {
	isCounted,
	measurementsOf,
	msAfter,
	readingOf,
	type Measurement,
	type Reading,
} from './measurements';
import type { Limits, Metric } from './metrics';
import { periodValues, rowMaker, textAsItCame } from './summary';

/** A reading that goes out, with its `change`. */
export interface FoundRow {
	row: IdentifiedRow;
	/** Of its user, with all readings in the lookback. */
	result: { user: UserRef; rows: readonly IDataObject[] };
}

export interface PollOptions {
	/** The latest time that it may be now (ms). */
	latestNow: number;
	limits: Limits;
	localTimeOf: LocalTimeOf;
}

/** In the order of the readings. */
export const pollRows = (
	metric: Metric,
	found: readonly FoundRow[],
	options: PollOptions,
) =>
	Array.from(
		groupBy(found, ({ result }) => result),
		([{ user, rows }, ofUser]) => {
			const emitted = ofUser.map(({ row }) => row);
			return pollRow(metric, user, { ...options, emitted, inLookback: rows });
		},
	);

interface PollReadings extends PollOptions {
	emitted: readonly IdentifiedRow[];
	inLookback: readonly IDataObject[];
}

function pollRow(
	metric: Metric,
	user: UserRef,
	{ emitted, inLookback, latestNow, limits, localTimeOf }: PollReadings,
): IDataObject {
	const options = { metric, limits, onlyStatus: [] };
	const read = (row: IDataObject) => readingOf(metric, row, localTimeOf);
	const out = emitted.map(({ row }) => read(row));
	const measurements = measurementsOf(metric, out);
	const values = periodValues(options, measurements);
	const reachOf = (...some: Reading[]) => reachedBy(metric, limits, some);
	const reached = reachOf(...out);
	if (values.readings === 0) {
		const reaching = out.filter((one) => reachOf(one).size > 0);
		const shown = reached.size > 0 ? reaching : out;
		for (const column of ['latest', 'highest'])
			Object.assign(values, asItCame(metric, shown, column));
	} else {
		// A reading dated ahead would be the latest until then. One that goes out may be it.
		const known = inLookback.map(read);
		const past = known.filter(({ time = 0 }) => time <= latestNow);
		const candidates = measurementsOf(metric, [...out, ...past]);
		const { latest, latest_time } = periodValues(options, candidates);
		Object.assign(values, { latest, latest_time });
		const counted = measurements.filter((one) => isCounted(metric, one));
		const told = reachOf(...counted);
		for (const [word, column] of SHOWN_IN) {
			const reaching = out.filter((one) => reachOf(one).has(word));
			const isComparable = word !== 'not comparable';
			const isTold = isComparable ? told.has(word) : told.size > 0;
			if (reaching.length > 0 && !isTold)
				Object.assign(values, asItCame(metric, reaching, column));
		}
	}
	values.reached = reachedText(reached);
	values.corrected = measurements.filter(isCorrected).length;
	// The same for a repeated item.
	const id = emitted.map((one) => one.key + one.values).sort();
	return rowMaker('poll', options)(user, values, id);
}

const isCorrected = ({ copies }: Measurement) =>
	copies.some(({ row }) => row.change === 'updated');

/** The column that shows a word of `reached`, where no reading that counts has reached it. */
const SHOWN_IN = [
	['not comparable', 'highest'],
	['high', 'highest'],
	['low', 'lowest'],
] as const;

/** The newest reading as it came, in a column. */
function asItCame(
	metric: Metric,
	readings: Reading[],
	column: string,
): IDataObject {
	const newest = [...readings].sort(msAfter).at(-1)!;
	const text = textAsItCame(metric, newest);
	return { [column]: text, [`${column}_time`]: newest.local };
}
