/** A poll of the trigger in words: a line for each user, as *One Message per Poll* and in *One Item per User*. */
import type { IDataObject } from 'n8n-workflow';
import { aggregate } from '../service/readings/aggregates';
import { madeRowId, type IdentifiedRow } from '../service/readings/identity';
import { reachedBy, reachedText } from '../service/readings/measured';
import {
	isCounted,
	readingOf,
	withoutSourceCopies,
	type Measurement,
} from '../service/readings/measurements';
import {
	measuredColumns,
	type Limits,
	type Metric,
} from '../service/readings/metrics';
import type { UserRef } from '../service/users/users';
import type { LocalTimeOf } from '../shared/dateTime';
import { groupBy, inColumns, namesIf } from '../shared/values';
import {
	isWhole,
	joined,
	layOut,
	personName,
	plain,
	subjectOf,
	type Line,
	type Message,
} from './text';
import {
	beyondLimits,
	isCorrected,
	laterWords,
	limitsWords,
	metricName,
	newestOf,
	peopleWords,
	readingList,
	readingNoun,
	sourceWords,
	timeWords,
	valueWords,
	worstOf,
} from './words';

/** A reading that goes out, with its `change`. */
export interface FoundRow {
	row: IdentifiedRow;
	/** Of its user, with all readings in the lookback. */
	result: { user: UserRef; rows: readonly IDataObject[] };
}

export interface PollOptions {
	metric: Metric;
	limits: Limits;
	/** The latest time that it may be now (ms). */
	latestNow: number;
	localTimeOf: LocalTimeOf;
	/** Of `localTimeOf`. */
	zone: string;
	/** Whether it is a test event. */
	isTest: boolean;
	/** Users who were not read for an hour. */
	overdue?: { users: number; since: number };
}

/** A user with readings that go out. */
interface Person {
	user: UserRef;
	measurements: readonly Measurement[];
	/** The newest reading of the lookback that counts. One dated ahead only if it goes out. */
	latest?: Measurement;
	/** What the readings reach: empty for corrections that reach nothing. */
	reached: string;
	/** How far beyond its limit the worst reading is, by `severity`; 0 if none is, and less if all were corrected to that. */
	worst: number;
	/** Its line, without the name. */
	text: string;
	/** The same for the same readings and values. */
	ids: readonly string[];
}

/** People of an item: a message is read at a glance, or not at all. */
const MAX_PEOPLE = 30;
/** Of more readings, a line has the newest and the outermost. */
const MAX_READINGS = 10;
const NEWEST = 3;

/** Columns of *One Message per Poll*. */
export const ALERT_COLUMNS =
	'subject text html people readings corrected reached row_id'.split(' ');

/** Columns of *One Item per User*. */
export const userColumns = (metric: Metric, limits: Limits): string[] => [
	...['client_user_id', 'text', ...namesIf(hasAny(limits), 'reached')],
	...['readings', 'corrected'],
	...measuredColumns(metric).flatMap((one) => [`${one}_min`, `${one}_max`]),
	...['latest', 'latest_time', 'user_id', 'row_id'],
];

/** One item, or as many as it takes to show each user in a full line, the worst first. */
export function pollMessages(
	found: readonly FoundRow[],
	options: PollOptions,
): IDataObject[] {
	const persons = personsOf(found, options).sort((a, b) => b.worst - a.worst);
	// There are no more items than people.
	const widest = partWords(persons.length, persons.length);
	const packs: Person[][] = [];
	const hasRoom = (pack: Person[], person: Person) =>
		pack.length < MAX_PEOPLE &&
		isWhole(messageOf([...pack, person], widest, options));
	for (const person of persons) {
		const pack = packs.at(-1);
		if (pack && hasRoom(pack, person)) pack.push(person);
		else packs.push([person]);
	}
	return packs.map((pack, at) =>
		itemOf(pack, partWords(at + 1, packs.length), options),
	);
}

const partWords = (part: number, parts: number) =>
	parts > 1 ? ` (${part} of ${parts})` : '';

function itemOf(
	persons: readonly Person[],
	part: string,
	options: PollOptions,
): IDataObject {
	const { metric, limits } = options;
	const message = messageOf(persons, part, options);
	const ids = persons.flatMap((one) => one.ids).sort();
	const all = persons.flatMap(({ measurements }) => measurements);
	const reaching = persons.filter(({ reached }) => reached !== '');
	const reached = hasAny(limits) ? reaching.length : null;
	return {
		subject: message.title,
		...layOut(message),
		people: persons.length,
		readings: all.length,
		corrected: all.filter(isCorrected).length,
		reached,
		row_id: madeRowId(metric, 'alert', '', ids),
	};
}

function messageOf(
	persons: readonly Person[],
	part: string,
	options: PollOptions,
): Message {
	const { metric, limits, zone, isTest, overdue } = options;
	const lines: Line[] = persons.map((person) => ({
		section: sectionOf(person, options),
		name: nameOf(person),
		text: person.text,
	}));
	const sections = groupBy(lines, ({ section }) => section);
	const counts = Array.from(sections, ([title, { length }]) => {
		const words = title[0].toLowerCase() + title.slice(1);
		return `${peopleWords(length)} ${words}`;
	});
	const beyond = limitsWords(limits);
	const notes = [
		beyond && `Limits: ${beyond}.`,
		`Times in ${plain(zone)}, values in ${metric.unit.name}.`,
	];
	const test = isTest ? 'Test: ' : '';
	return {
		title: subjectOf(test + metricName(metric) + part, counts),
		notes: notes.filter(Boolean),
		lines: overdue ? [...lines, overdueLine(overdue, options)] : lines,
	};
}

function overdueLine(
	{ users, since }: NonNullable<PollOptions['overdue']>,
	options: PollOptions,
): Line {
	const local = options.localTimeOf({ millis: since, key: '' });
	const name = `since ${timeWords(local, yearOf(options))}`;
	return { section: 'Not read for an hour', name, people: users };
}

/** That need not be said. */
const yearOf = ({ localTimeOf, latestNow }: PollOptions) =>
	localTimeOf({ millis: latestNow, key: '' })?.slice(0, 4);

/** One row for each user, in the order of the oldest readings. */
export function pollRows(
	found: readonly FoundRow[],
	options: PollOptions,
): IDataObject[] {
	const { metric, limits } = options;
	const columns = userColumns(metric, limits);
	return personsOf(found, options).map((person) => {
		const { user, measurements, latest, reached, text, ids } = person;
		const values: IDataObject = {
			...user,
			...rangesOf(metric, measurements),
			text: `${nameOf(person)}: ${text}`,
			reached,
			readings: measurements.length,
			corrected: measurements.filter(isCorrected).length,
			latest: latest && valueWords(metric, latest),
			latest_time: latest?.local,
			row_id: madeRowId(metric, 'poll', user.user_id, ids),
		};
		return inColumns(columns, values);
	});
}

/** Each value alone, as limits do. What cannot be right is in none. */
function rangesOf(
	metric: Metric,
	measurements: readonly Measurement[],
): IDataObject {
	const possible = measurements.filter(({ exact }) =>
		metric.isPossible(...exact),
	);
	const entries = measuredColumns(metric).flatMap((column, at) => {
		const numbers = possible
			.map(({ values }) => values[at])
			.filter((value) => typeof value === 'number');
		return (['min', 'max'] as const).map((how) => [
			`${column}_${how}`,
			aggregate(how, numbers),
		]);
	});
	return Object.fromEntries(entries) as IDataObject;
}

/** In the order of their oldest readings. */
const personsOf = (found: readonly FoundRow[], options: PollOptions) =>
	Array.from(groupBy(found, ({ result }) => result).values(), (ofUser) =>
		personOf(ofUser, options),
	);

function personOf(found: readonly FoundRow[], options: PollOptions): Person {
	const { metric, limits, latestNow, localTimeOf } = options;
	const [{ result }] = found;
	const read = (rows: readonly IDataObject[]) =>
		withoutSourceCopies(
			metric,
			rows.map((row) => readingOf(metric, row, localTimeOf)),
		);
	const isUsable = (one: Measurement) => isCounted(metric, one);
	const measurements = read(found.map(({ row }) => row.row));
	const current = newestOf(read(result.rows).filter(isUsable), latestNow);
	const counted = measurements.filter(isUsable);
	const style = { metric, limits, latestNow, year: yearOf(options) };
	return {
		user: result.user,
		measurements,
		latest: newestOf(current ? [current, ...counted] : counted),
		reached: reachedText(reachedBy(metric, limits, measurements)),
		worst:
			worstOf(limits, beyondLimits(style, measurements)) ||
			-Number(measurements.every(isCorrected)),
		text: joined(
			[
				readingList(style, measurements, NEWEST, MAX_READINGS),
				laterWords(style, current, measurements),
				sourceWords(measurements),
			],
			'; ',
		),
		ids: found.map(({ row }) => row.key + row.values).sort(),
	};
}

const nameOf = ({ user }: Person) =>
	personName(user.client_user_id, user.user_id);

/** What was corrected is no alarm. */
function sectionOf(
	{ measurements, reached }: Person,
	{ metric, limits }: PollOptions,
): string {
	if (reached !== '')
		return (
			reached[0].toUpperCase() + reached.slice(1).replaceAll(', ', ' and ')
		);
	if (!measurements.every(isCorrected))
		return `With new ${readingNoun(metric)}s`;
	if (!hasAny(limits)) return 'Corrected';
	return measurements.every((one) => isCounted(metric, one))
		? 'Corrected, no longer beyond the limits'
		: 'Corrected to values that cannot be right or are missing';
}

const hasAny = (limits: Limits) => Object.keys(limits).length > 0;
