/** A poll of the trigger in words: a line for each user, as *One Message per Poll* and in *One Item per User*. */
import type { IDataObject } from 'n8n-workflow';
import {
	rowKey,
	userPrefix,
	type IdentifiedRow,
} from '../service/readings/identity';
import {
	arePossible,
	REACHED,
	reachedBy,
	reachedText,
	type Reached,
} from '../service/readings/measured';
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
import { groupBy } from '../shared/values';
import {
	fitsText,
	layOut,
	personName,
	plain,
	subjectOf,
	type Message,
	type Section,
} from './text';
import {
	isCorrected,
	latestWords,
	limitsWords,
	metricName,
	newestOf,
	peopleWords,
	plural,
	readingList,
	readingNoun,
	severity,
	sourceWords,
	timeWords,
	valueWords,
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
	reached: ReadonlySet<Reached>;
	/** How far beyond its limit the worst reading is, by `severity`; 0 if none is. */
	worst: number;
	/** Whether all readings count. */
	isUsable: boolean;
	line: string;
	/** The same for the same readings and values. */
	ids: readonly string[];
}

/** People of an item: a message is read at a glance, or not at all. */
const MAX_PEOPLE = 30;
/** A line with more readings is shortened. */
const LINE_LENGTH = { all: 10, beyond: 10, newest: 3 };

/** Columns of *One Message per Poll*. */
export const ALERT_COLUMNS = [
	...['subject', 'text', 'html', 'people', 'readings', 'corrected'],
	...['reached', 'row_id'],
];

/** Columns of *One Item per User*. */
export const userColumns = (metric: Metric, limits: Limits): string[] => [
	...['client_user_id', 'text', ...(hasAny(limits) ? ['reached'] : [])],
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
	const packs = packed(persons, (some) =>
		fitsText(messageOf(some, widest, options)),
	);
	return packs.map((pack, at) =>
		itemOf(pack, partWords(at + 1, packs.length), options),
	);
}

const partWords = (part: number, parts: number) =>
	parts > 1 ? ` (${part} of ${parts})` : '';

function packed(
	persons: readonly Person[],
	fits: (some: Person[]) => boolean,
): Person[][] {
	const packs: Person[][] = [];
	for (const person of persons) {
		const pack = packs.at(-1);
		const wider = [...(pack ?? []), person];
		if (pack && wider.length <= MAX_PEOPLE && fits(wider)) pack.push(person);
		else packs.push([person]);
	}
	return packs;
}

function itemOf(
	persons: readonly Person[],
	part: string,
	options: PollOptions,
): IDataObject {
	const { metric, limits } = options;
	const message = messageOf(persons, part, options);
	const ids = JSON.stringify(persons.flatMap((one) => one.ids).sort());
	const all = persons.flatMap(({ measurements }) => measurements);
	const reaching = persons.filter(({ reached }) => reached.size > 0);
	return {
		subject: message.title,
		...layOut(message),
		people: persons.length,
		readings: all.length,
		corrected: all.filter(isCorrected).length,
		reached: hasAny(limits) ? reaching.length : null,
		row_id: `${metric.value}-alert-${rowKey(userPrefix(ids), ids)}`,
	};
}

function messageOf(
	persons: readonly Person[],
	part: string,
	options: PollOptions,
): Message {
	const { metric, limits, zone, isTest, overdue } = options;
	const kinds = groupBy(persons, (person) => kindOf(person, limits));
	const beyond = limitsWords(metric, limits);
	const sections: Section[] = SECTIONS.map((kind) => {
		const ofKind = kinds.get(kind) ?? [];
		const lines = ofKind.map(({ user, line }) => ({
			name: nameOf(user),
			text: line,
		}));
		return { title: titleOf(kind, ofKind), lines };
	});
	if (overdue) sections.push(overdueSection(overdue, options));
	const counts = SECTIONS.flatMap((kind) =>
		countWords(kind, kinds.get(kind) ?? [], metric),
	);
	const test = isTest ? 'Test: ' : '';
	return {
		title: subjectOf(test + metricName(metric), counts) + part,
		notes: [
			...(beyond ? [`Limits: ${beyond}.`] : []),
			`Times in ${plain(zone)}, values in ${metric.unit.name}.`,
		],
		sections,
	};
}

/** Sections in their order. What was corrected is no alarm. */
const SECTIONS = [
	'beyond',
	'new',
	'no longer beyond',
	'unusable',
	'corrected',
] as const;
type Kind = (typeof SECTIONS)[number];

function kindOf(
	{ measurements, reached, isUsable }: Person,
	limits: Limits,
): Kind {
	const areAllCorrected = measurements.every(isCorrected);
	if (!hasAny(limits)) return areAllCorrected ? 'corrected' : 'new';
	if (reached.size > 0) return 'beyond';
	return isUsable ? 'no longer beyond' : 'unusable';
}

const TITLES: Record<Kind, string> = {
	beyond: 'Beyond the limits',
	new: 'New',
	'no longer beyond': 'Corrected, no longer beyond the limits',
	unusable: 'Corrected to values that cannot be right or are missing',
	corrected: 'Corrected',
};

/** What is beyond the limits is said: "High or low". */
function titleOf(kind: Kind, persons: readonly Person[]): string {
	const words = reachedWords(persons);
	if (kind !== 'beyond' || words === '') return TITLES[kind];
	return words[0].toUpperCase() + words.slice(1);
}

/** "high, low or not comparable" */
function reachedWords(persons: readonly Person[]): string {
	const reached = new Set(persons.flatMap((one) => [...one.reached]));
	const words = REACHED.filter((word) => reached.has(word));
	const last = words.slice(-2).join(' or ');
	return [...words.slice(0, -2), last].join(', ');
}

/** For title and subject; none without people. */
function countWords(
	kind: Kind,
	persons: readonly Person[],
	metric: Metric,
): string[] {
	if (persons.length === 0) return [];
	const readings = persons.flatMap(({ measurements }) => measurements).length;
	const people = peopleWords(persons.length);
	const words: Record<Kind, string> = {
		beyond: `${people} ${reachedWords(persons)}`,
		new: `${plural(readings, `new ${readingNoun(metric)}`)} of ${people}`,
		'no longer beyond': `${people} corrected, no longer beyond the limits`,
		unusable: `${people} corrected to unusable values`,
		corrected: `${people} corrected`,
	};
	return [words[kind]];
}

function overdueSection(
	{ users, since }: NonNullable<PollOptions['overdue']>,
	{ localTimeOf, latestNow }: PollOptions,
): Section {
	const local = localTimeOf({ millis: since, key: '' });
	const year = yearOf(localTimeOf, latestNow);
	const name = `since ${timeWords(local, { year })}`;
	return { title: 'Not read for an hour', lines: [{ name, people: users }] };
}

const yearOf = (localTimeOf: LocalTimeOf, time: number) =>
	localTimeOf({ millis: time, key: '' })?.slice(0, 4);

/** One row for each user, in the order of the oldest readings. */
export function pollRows(
	found: readonly FoundRow[],
	options: PollOptions,
): IDataObject[] {
	const { metric, limits } = options;
	const columns = userColumns(metric, limits);
	return personsOf(found, options).map((person) => {
		const { user, measurements, latest, reached } = person;
		const { user_id } = user;
		const key = JSON.stringify([metric.value, user_id, ...person.ids]);
		const values: IDataObject = {
			...user,
			...rangesOf(metric, measurements),
			text: `${nameOf(user)}: ${person.line}`,
			reached: reachedText(reached),
			readings: measurements.length,
			corrected: measurements.filter(isCorrected).length,
			latest: latest && valueWords(metric, latest),
			latest_time: latest?.local,
			row_id: `${metric.value}-poll-${rowKey(userPrefix(user_id), key)}`,
		};
		return Object.fromEntries(
			columns.map((column) => [column, values[column] ?? null]),
		);
	});
}

/** Each value alone, as limits do. What cannot be right is in none. */
function rangesOf(
	metric: Metric,
	measurements: readonly Measurement[],
): IDataObject {
	const possible = measurements.filter(({ exact }) =>
		arePossible(metric, exact),
	);
	const entries = measuredColumns(metric).flatMap((column, at) => {
		const numbers = possible
			.map(({ values }) => values[at])
			.filter((value) => typeof value === 'number');
		if (numbers.length === 0) return [];
		return [
			[`${column}_min`, Math.min(...numbers)],
			[`${column}_max`, Math.max(...numbers)],
		];
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
	const measurements = read(found.map(({ row }) => row.row));
	const counted = measurements.filter((one) => isCounted(metric, one));
	const known = read(result.rows).filter((one) => isCounted(metric, one));
	const current = newestOf(known, latestNow);
	const reaching = measurements.filter(
		(one) => reachedBy(metric, limits, [one]).size > 0,
	);
	return {
		user: result.user,
		measurements,
		latest: newestOf(current ? [current, ...counted] : counted),
		reached: reachedBy(metric, limits, measurements),
		worst: Math.max(0, ...reaching.map((one) => severity(limits, one.values))),
		isUsable: counted.length === measurements.length,
		line: lineOf(measurements, current, options),
		ids: found.map(({ row }) => row.key + row.values).sort(),
	};
}

/** @param current the newest reading that counts and is not dated ahead: shown where it is newer than those that go out */
function lineOf(
	measurements: readonly Measurement[],
	current: Measurement | undefined,
	{ metric, limits, latestNow, localTimeOf }: PollOptions,
): string {
	const year = yearOf(localTimeOf, latestNow);
	const style = { metric, limits, latestNow, year };
	const isOlder = ({ time = 0 }: Measurement) =>
		time > latestNow || time < (current?.time ?? 0);
	const words = [
		readingList(style, measurements, LINE_LENGTH),
		current && measurements.every(isOlder) && latestWords(style, current),
		sourceWords(measurements),
	];
	return words.filter(Boolean).join('; ');
}

const nameOf = ({ client_user_id, user_id }: UserRef) =>
	personName(client_user_id, user_id);

const hasAny = (limits: Limits) => Object.keys(limits).length > 0;
