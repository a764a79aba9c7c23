/** Report of a read in *Output* One Message: what a team should know about its people, as one item with text, HTML and counts. */
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { madeRowId } from '../service/readings/identity';
import { isCounted, type Measurement } from '../service/readings/measurements';
import type { Metric } from '../service/readings/metrics';
import type { UserResult } from '../service/readings/readUsers';
import type { Group, ReadRange } from '../service/readings/rows';
import {
	isEnough,
	meansOf,
	measurementsIn,
	periodValues,
	type Status,
	type SummaryOptions,
} from '../service/readings/summary';
import type { SelectedUser, UserSelection } from '../service/users/selection';
import { connectedSlugs } from '../service/users/users';
import { instantOf } from '../shared/dateTime';
import type { Problem } from '../shared/problem';
import { groupBy, inColumns } from '../shared/values';
import {
	firstOf,
	joined,
	layOut,
	ownWords,
	personName,
	plain,
	shownNumber,
	subjectOf,
	type Cell,
	type Line,
} from './text';
import {
	beyondLimits,
	laterWords,
	limitsWords,
	marksOf,
	metricName,
	newestOf,
	pairWords,
	peopleWords,
	periodWords,
	plural,
	readingList,
	readingNoun,
	severity,
	sourceWords,
	timeWords,
	valueWords,
	worstOf,
	type ReadingStyle,
} from './words';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface ReportOptions extends SummaryOptions {
	/** For one user, the HTML lists every reading. */
	scope?: string;
	isConnectedOnly?: boolean;
	offset?: number;
	maxUsers?: number;
}

/** The titles of all sections, in their order. */
const titlesOf = (noun: string) => ({
	failed: 'Could not be read, so nothing is known about them',
	today: 'Beyond single limits, last 24 hours of the period',
	earlier: 'Beyond single limits, earlier',
	newlyHigh: 'High mean, new',
	stillHigh: 'High mean, as before',
	high: 'High mean',
	stopped: `No usable ${noun}, but some before`,
	stillQuiet: `No usable ${noun}, as before`,
	quiet: `No usable ${noun}`,
	leftOut: `Some ${noun}s are left out`,
	inRange: 'Mean in range',
	listed: `With ${noun}s`,
	every: `Every ${noun}`,
});

type Kind = keyof ReturnType<typeof titlesOf>;

/** The kinds that need no action, or none that is new. */
const CALM = new Set<string>(
	'stillQuiet quiet leftOut inRange listed every'.split(' '),
);

/** A line of a section, or only to be counted. The highest rank of a kind comes first. */
interface Entry extends Omit<Line, 'section'> {
	kind: Kind;
	rank: number;
	isHidden?: boolean;
}

/** What is told of one person. */
interface Person {
	entries: Entry[];
	latest?: Measurement;
	hasTooFew: boolean;
}

/** What the lines of a person are made of. */
interface Data {
	options: ReportOptions;
	range: ReadRange;
	style: ReadingStyle;
	name: string;
	/** In the period, and the newest that counts. */
	asked: Measurement[];
	latest?: Measurement;
	values: IDataObject;
	/** The newest in any period that was read, whether it counts or not. */
	last?: Measurement;
	/** Of the period of *Compare With*. */
	before?: IDataObject;
}

/** One row for each user, of which `teamReport` makes the item. */
export function personRows(
	options: ReportOptions,
	groups: Group[],
	selected: SelectedUser,
): IDataObject[] {
	const { metric, limits } = options;
	const { user_id, client_user_id } = selected.user;
	const range = options.rangeOf(selected);
	const { all, asked, earlier } = measurementsIn(options, groups, selected);
	const latestNow = endOf(range);
	const data: Data = {
		options,
		range,
		style: { metric, limits, year: range.to.slice(0, 4), latestNow },
		name: personName(client_user_id, user_id),
		asked,
		latest: newestOf(
			asked.filter((one) => isCounted(metric, one)),
			latestNow,
		),
		values: periodValues(options, asked),
		last: newestOf(all),
		before: range.before && periodValues(options, earlier),
	};
	const person = personOf(data, selected);
	return [person as unknown as IDataObject];
}

/** When the period ends, or now (ms). */
function endOf({ query }: ReadRange): number {
	const now = DateTime.now().toMillis();
	return query ? Math.min(now, Date.parse(query.end_date)) : now;
}

function personOf(data: Data, selected: SelectedUser): Person {
	const { options, values, latest } = data;
	const { limits, onlyStatus, scope } = options;
	const status = values.status as Status;
	const isOne = scope === 'one';
	const isAsked = onlyStatus.length === 0 || onlyStatus.includes(status);
	// In range is as it should be: told if asked for.
	const isTold = status !== 'in range' || !limits.mean || onlyStatus.length > 0;
	const isJudged = status !== 'no readings';
	const entry = isJudged ? meanEntry(data) : quietEntry(data, selected);
	return {
		entries: [
			...beyondEntries(data),
			{ ...entry, isHidden: !isOne && !(isAsked && isTold) },
			...(isJudged && isAsked ? leftOutEntries(data) : []),
			...(isOne ? everyReading(data) : []),
		],
		latest,
		hasTooFew: isJudged && !isEnough(limits, values),
	};
}

function beyondEntries(data: Data): Entry[] {
	const { asked, style, name, latest } = data;
	const beyond = beyondLimits(style, asked);
	if (beyond.length === 0) return [];
	const from = style.latestNow - DAY_MS;
	const isToday = beyond.some(({ time = Infinity }) => time >= from);
	const later = laterWords(style, latest, beyond);
	const sources = later && latest ? [...beyond, latest] : beyond;
	const entry: Entry = {
		kind: isToday ? 'today' : 'earlier',
		rank: worstOf(style.limits, beyond),
		name,
		text: joined(
			[
				readingList(style, beyond),
				later,
				sourceWords(sources),
				zoneWords(data),
			],
			'; ',
		),
		short: readingList(style, beyond, 1),
		cells: cellsOf(data),
	};
	return [entry];
}

/** The mean, or the sum, of the period. */
function meanEntry(data: Data): Entry {
	const { options, style, name, values, before, latest } = data;
	const { metric, limits } = options;
	const mean = meanWords(metric, values);
	const past = before && `before ${meanWords(metric, before)}`;
	const few = !isEnough(limits, values) && 'too few to judge';
	const readings = plural(Number(values.readings), readingNoun(metric));
	const means = meansOf(metric, values).map(Number);
	return {
		kind: meanKind(data),
		rank: limits.mean ? severity({ high: limits.mean }, means) : means[0],
		name,
		text: joined([
			mean,
			past,
			`${readings} on ${plural(Number(values.days), 'day')}`,
			few,
			leftOutWords(values),
			laterWords(style, latest),
			latest && sourceWords([latest]),
			zoneWords(data),
		]),
		short: joined([mean, past, few]),
		// Its readings beyond a limit have the same.
		cells: values.status === 'high' && !values.reached ? cellsOf(data) : [],
	};
}

function meanKind({ options, values, before }: Data): Kind {
	if (values.status !== 'high')
		return options.limits.mean ? 'inRange' : 'listed';
	if (!before) return 'high';
	return before.status === 'high' ? 'stillHigh' : 'newlyHigh';
}

function meanWords(metric: Metric, values: IDataObject): string {
	if (values.readings === 0) return 'none';
	const sum = `${meansOf(metric, values)[0]} ${metric.unit.name}`;
	return metric.hasMeanText ? String(values.mean) : sum;
}

const leftOutWords = ({ left_out }: IDataObject) =>
	left_out !== 0 && `${String(left_out)} left out`;

/** The time zone where it is the user's own. */
const zoneWords = ({ options, range }: Data) =>
	range.zone !== rangeOfAll(options).zone && `times in ${plain(range.zone)}`;

const rangeOfAll = ({ rangeOf }: ReportOptions) =>
	rangeOf({ user: { user_id: '', client_user_id: null }, place: 0 });

/** A person without a usable reading: since when, and what may be the reason. Those with nothing connected come last. */
function quietEntry(data: Data, { record }: SelectedUser): Entry {
	const { range, style, name, last, values } = data;
	const isApart = record !== undefined && connectedSlugs(record) === '';
	const created = range.localTimeOf(instantOf(record?.created_on));
	const dayOf = (local: string | null) =>
		timeWords(local?.slice(0, 10), style.year);
	const text = joined([
		last && `last ${dayOf(last.local)}`,
		created && created >= range.from && `joined ${dayOf(created)}`,
		isApart && 'nothing connected',
		leftOutWords(values),
	]);
	return {
		kind: quietKind(data),
		rank: -Number(isApart),
		name,
		text,
		short: '',
	};
}

function quietKind({ before }: Data): Kind {
	if (!before) return 'quiet';
	return before.readings === 0 ? 'stillQuiet' : 'stopped';
}

/** With the newest of them: a count alone does not tell what is wrong. */
function leftOutEntries({ name, style, asked }: Data): Entry[] {
	const left = asked.filter((one) => !isCounted(style.metric, one));
	const text = readingList(style, left, 1);
	return text ? [{ kind: 'leftOut', rank: left.length, name, text }] : [];
}

const everyReading = ({ asked, style }: Data) =>
	asked.map((one): Entry => {
		const value = valueWords(style.metric, one);
		return {
			kind: 'every',
			rank: one.time ?? 0,
			name: timeWords(one.local),
			text: joined([value, ...marksOf(style, one), sourceWords([one])]),
			isHtmlOnly: true,
		};
	});

const WEEK = 7;
const MAX_DAYS = 5 * WEEK;

/** A cell for each day of the period; none for a single day, or for more than five weeks. */
function cellsOf(data: Data): Cell[] {
	const { range, asked } = data;
	const [first, last] = [range.from, range.to].map((local) =>
		DateTime.fromISO(local.slice(0, 10), { zone: 'utc', locale: 'en' }),
	);
	const days = 1 + last.diff(first, 'days').days;
	if (days < 2 || days > MAX_DAYS) return [];
	const byDay = groupBy(asked, ({ local }) => local?.slice(0, 10));
	return Array.from({ length: days }, (_, at) => {
		const day = first.plus({ days: at });
		const label = day.toFormat(days > WEEK ? 'd LLL' : 'ccc');
		const ofDay = byDay.get(day.toISODate()!) ?? [];
		return { label, ...dayCell(data, ofDay) };
	});
}

/** The newest reading beyond a limit, else the mean. */
function dayCell(
	{ options, style }: Data,
	ofDay: Measurement[],
): Omit<Cell, 'label'> {
	const { metric, limits } = options;
	const beyond = newestOf(beyondLimits(style, ofDay));
	if (beyond) return { value: valueWords(metric, beyond), colour: 'beyond' };
	const values = periodValues(options, ofDay);
	const { readings, status } = values;
	if (readings === 0) return { value: '–', colour: 'no readings' };
	// Cut, so that no cell shows a limit that its mean does not reach.
	const value = meansOf(metric, values).map(Number).map(Math.floor).join('/');
	return { value, colour: limits.mean ? (status as Status) : 'no readings' };
}

/** The columns of the item, in their order. */
export const REPORT_COLUMNS =
	'subject text html from to people not_read reached high newly_high in_range too_few without_readings newly_without_readings row_id'.split(
		' ',
	);

/** One item, also without users. */
export function teamReport(
	options: ReportOptions,
	selection: UserSelection,
	results: readonly UserResult[],
): IDataObject {
	const { metric } = options;
	const { from, to } = rangeOfAll(options);
	const persons = results.flatMap(({ rows }) => rows as unknown as Person[]);
	const failed = results.filter(({ problem }) => problem);
	const counts = countsOf(options, persons, failed.length);
	const words = countWords(metric, counts);
	const title = `${metricName(metric)}, ${periodWords(from, to)}`;
	const entries = persons
		.flatMap((one) => one.entries)
		.filter(({ isHidden }) => !isHidden);
	const message = {
		title,
		notes: [
			`${words.join(', ')}.`,
			newestNote(options, persons),
			limitsNote(options, counts),
			filterNote(options),
			zoneNote(options),
		].filter(Boolean),
		lines: linesOf(metric, [...failedEntries(failed), ...entries]),
		legend: `A cell is the mean of a day, or its newest ${readingNoun(metric)} beyond a limit (red). Green is below the limit of the mean, yellow is not.`,
	};
	return inColumns(REPORT_COLUMNS, {
		subject: subjectOf(title, words),
		...layOut(message),
		from,
		to,
		...counts,
		row_id: rowIdOf(options, selection, results),
	});
}

/** On Error *Continue*: nobody could be read. */
export function failedReport(
	metric: Metric,
	{ message, description }: Problem,
): IDataObject {
	const title = `${metricName(metric)}: could not be read`;
	const notes = [message, description].map(ownWords);
	const made = layOut({ title, notes, lines: [] });
	const row = inColumns(REPORT_COLUMNS, { subject: title, ...made });
	return { ...row, error: message, details: description };
}

/** Of metric, selection and period. */
function rowIdOf(
	options: ReportOptions,
	{ entries, isOne }: UserSelection,
	results: readonly UserResult[],
): string {
	const { metric, provider, sourceTypes } = options;
	const { offset, maxUsers, isConnectedOnly } = options;
	const { from, to } = rangeOfAll(options);
	const one = isOne && results[0]?.user.user_id;
	const ids = entries?.map(({ id }) => id);
	const users = one || (ids ?? [offset, maxUsers, isConnectedOnly]);
	const who = JSON.stringify(users);
	return madeRowId(metric, 'message', who, [
		from,
		to,
		provider,
		...sourceTypes,
	]);
}

type Counts = Record<string, number | null>;

/** Null for what was not asked. */
function countsOf(
	{ limits, compareWith }: ReportOptions,
	persons: readonly Person[],
	not_read: number,
): Counts {
	const { mean, high, low, enough } = limits;
	const entries = persons.flatMap((one) => one.entries);
	const sum = (...kinds: Kind[]) =>
		entries.filter(({ kind }) => kinds.includes(kind)).length;
	const tooFew = persons.filter(({ hasTooFew }) => hasTooFew).length;
	return {
		people: persons.length + not_read,
		not_read,
		reached: (high ?? low) ? sum('today', 'earlier') : null,
		high: mean ? sum('newlyHigh', 'stillHigh', 'high') : null,
		newly_high: mean && compareWith ? sum('newlyHigh') : null,
		in_range: sum('inRange', 'listed'),
		too_few: enough ? tooFew : null,
		without_readings: sum('stopped', 'stillQuiet', 'quiet'),
		newly_without_readings: compareWith ? sum('stopped') : null,
	};
}

/** All counts, zeros too: a section that is missing says that there is nobody, not that nobody looked. */
function countWords(metric: Metric, counts: Counts): string[] {
	const noun = readingNoun(metric);
	const words = [
		['not_read', 'not read'],
		['reached', 'beyond single limits'],
		['high', 'high'],
		['without_readings', `without ${noun}s`],
		['in_range', counts.high === null ? `with ${noun}s` : 'in range'],
	];
	const told = words.flatMap(([column, what]) => {
		const count = counts[column];
		const newly = counts[`newly_${column}`] ?? null;
		const isNew = newly === null ? '' : ` (${shownNumber(newly)} new)`;
		return count === null ? [] : [`${shownNumber(count)} ${what}${isNew}`];
	});
	return [peopleWords(Number(counts.people)), ...told];
}

function limitsNote({ limits }: ReportOptions, { too_few }: Counts): string {
	const single = limitsWords(limits);
	const mean = pairWords('at or above', limits.mean);
	return joined(
		[
			single && `Single limits: ${single}.`,
			mean && `High: mean ${mean}.`,
			limits.enough && `Too few readings to judge: ${too_few}.`,
		],
		' ',
	);
}

const MAX_TYPES = 200;

/** What was left aside: without it, silence would mislead. */
function filterNote(options: ReportOptions): string {
	const { provider, sourceTypes, isConnectedOnly } = options;
	const { offset = 0, maxUsers = Infinity } = options;
	const { before } = rangeOfAll(options);
	const types = plain(sourceTypes.join(' or '), MAX_TYPES);
	const only = joined([
		provider && `provider ${plain(provider)}`,
		types && `source type ${types}`,
		provider && isConnectedOnly && 'users who have it connected now',
		offset > 0 && `users after the first ${offset}`,
		maxUsers < Infinity && `at most ${plural(maxUsers, 'user')}`,
	]);
	const compared = before && periodWords(before.from, before.to);
	return joined(
		[only && `Only ${only}.`, compared && `Compared with ${compared}.`],
		' ',
	);
}

function zoneNote(options: ReportOptions): string {
	const { metric, hasTimeZone } = options;
	const own = hasTimeZone ? "each person's own time zone, else " : '';
	const { zone } = rangeOfAll(options);
	return `Times in ${own}${plain(zone)}, values in ${metric.unit.name}.`;
}

/** Where the newest reading of all is old, something is wrong with more than one person. */
function newestNote(
	options: ReportOptions,
	persons: readonly Person[],
): string {
	const range = rangeOfAll(options);
	const noun = readingNoun(options.metric);
	const newest = newestOf(persons.flatMap(({ latest }) => latest ?? []));
	if (!newest) return `No usable ${noun} came.`;
	const hours = Math.floor((endOf(range) - newest.time!) / HOUR_MS);
	const time = timeWords(newest.local, range.to.slice(0, 4));
	return hours < 24
		? `Newest ${noun} of all: ${time}.`
		: `No ${noun} for ${plural(hours, 'hour')}: the newest of all is of ${time}.`;
}

const NAMED = 5;

/** A line for each reason. */
function failedEntries(failed: readonly UserResult[]): Entry[] {
	const byReason = groupBy(failed, ({ problem }) => problem!.message);
	return Array.from(byReason, ([reason, of]) => {
		const names = of.map(({ user }) =>
			personName(user.client_user_id, user.user_id),
		);
		return {
			kind: 'failed',
			rank: names.length,
			people: names.length,
			name: ownWords(reason),
			text: names.join(', '),
			short: firstOf(names, NAMED),
		};
	});
}

/** In the order of their sections, the highest rank first. */
function linesOf(metric: Metric, entries: readonly Entry[]): Line[] {
	const titles = Object.entries(titlesOf(readingNoun(metric)));
	return titles.flatMap(([kind, section]) =>
		entries
			.filter((one) => one.kind === kind)
			.sort((a, b) => b.rank - a.rank)
			.map((line) => ({ ...line, section, isCalm: CALM.has(kind) })),
	);
}
