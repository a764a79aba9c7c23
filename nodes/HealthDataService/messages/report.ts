/** Report of a read in *Output* One Message: what a team should know about its people, as one item with text, HTML and counts. */
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { rowKey, userPrefix } from '../service/readings/identity';
import { reachedBy } from '../service/readings/measured';
import {
	isCounted,
	msAfter,
	type Measurement,
} from '../service/readings/measurements';
import type { Metric } from '../service/readings/metrics';
import type { UserResult } from '../service/readings/readUsers';
import type { Group, ReadRange } from '../service/readings/rows';
import {
	isEnough,
	measurementsIn,
	periodValues,
	type Status,
	type SummaryOptions,
} from '../service/readings/summary';
import type { SelectedUser, UserSelection } from '../service/users/selection';
import { connectedSlugs } from '../service/users/users';
import { instantOf } from '../shared/dateTime';
import type { Problem } from '../shared/problem';
import { groupBy } from '../shared/values';
import {
	andMore,
	layOut,
	ownWords,
	personName,
	plain,
	shownNumber,
	subjectOf,
	type Cell,
	type Line,
	type Section,
} from './text';
import {
	limitsWords,
	marksOf,
	metricName,
	pairWords,
	peopleWords,
	periodWords,
	plural,
	readingList,
	readingNoun,
	readingWords,
	severity,
	timeWords,
	valueWords,
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

/** Sections in their order. Each person is in one of those of a judgement, and may be in others too. */
type Kind =
	| 'beyond today'
	| 'beyond earlier'
	| 'newly high'
	| 'high'
	| 'stopped'
	| 'quiet'
	| 'apart'
	| 'unusable'
	| 'left out'
	| 'in range'
	| 'every reading';

/** A line of a section. */
interface Entry {
	kind: Kind;
	line: Line;
	/** The highest comes first. */
	rank: number;
}

/** What is told of one person. */
interface Person {
	entries: Entry[];
	hasTooFew: boolean;
	newest?: Measurement;
}

/** What the lines of a person are made of. */
interface Data {
	options: ReportOptions;
	selected: SelectedUser;
	range: ReadRange;
	style: ReadingStyle;
	name: string;
	/** In the period. */
	asked: Measurement[];
	values: IDataObject;
	/** In the period of *Compare With*. */
	earlier: Measurement[];
	valuesBefore?: IDataObject;
	/** The newest that counts. */
	latest?: Measurement;
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
	const latestNow = endOf(range);
	const { asked, earlier } = measurementsIn(options, groups, selected);
	const values = periodValues(options, asked);
	const counted = asked.filter((one) => isCounted(metric, one));
	const data: Data = {
		options,
		selected,
		range,
		style: { metric, limits, year: yearOf(range), latestNow },
		name: personName(client_user_id, user_id),
		asked,
		values,
		earlier,
		valuesBefore: range.before && periodValues(options, earlier),
		latest: newestOf(counted),
	};
	const isQuiet = values.readings === 0;
	const person: Person = {
		entries: [
			...beyondEntries(data),
			isQuiet ? quietEntry(data) : meanEntry(data),
			...leftOutEntries(data),
			...(options.scope === 'one' ? everyReading(data) : []),
		],
		hasTooFew: !isQuiet && !isEnough(limits, values),
		newest: newestOf(counted, latestNow),
	};
	return [person as unknown as IDataObject];
}

const yearOf = ({ to }: ReadRange) => to.slice(0, 4);

/** When the period ends, or now (ms). */
function endOf({ query }: ReadRange): number {
	const now = DateTime.now().toMillis();
	return query ? Math.min(now, Date.parse(query.end_date)) : now;
}

const newestOf = (some: readonly Measurement[], until = Infinity) =>
	some
		.filter(({ time = Infinity }) => time < Infinity && time <= until)
		.sort(msAfter)
		.at(-1);

type Words = string | false | null | undefined;

const joined = (parts: readonly Words[], separator = ', ') =>
	parts.filter(Boolean).join(separator);

/** Readings at or beyond a limit of one reading, or not comparable with it. */
function beyondEntries(data: Data): Entry[] {
	const { asked, style, name, latest } = data;
	const { metric, limits, latestNow = 0 } = style;
	const beyond = asked.filter(
		(one) => reachedBy(metric, limits, [one]).size > 0,
	);
	if (beyond.length === 0) return [];
	const newest = newestOf(beyond);
	const isLater = latest && (!newest || msAfter(latest, newest) > 0);
	const words = readingList(style, beyond);
	const later = isLater && latestWords(style, latest);
	const line = {
		name,
		text: joined([words, later, zoneWords(data)], '; '),
		short: readingList(style, beyond, { newest: 1 }),
		cells: cellsOf(data),
	};
	const isToday = beyond.some(
		({ time = Infinity }) => time > latestNow - DAY_MS,
	);
	const ratios = beyond.map((one) => severity(limits, one.values));
	const kind = isToday ? 'beyond today' : 'beyond earlier';
	return [{ kind, line, rank: Math.max(...ratios) }];
}

/** The mean, or the sum, of the period. */
function meanEntry(data: Data): Entry {
	const { options, style, name, values, valuesBefore, latest } = data;
	const { metric, limits } = options;
	const isHigh = values.status === 'high';
	const mean = meanWords(metric, values);
	const before = valuesBefore && `before ${meanWords(metric, valuesBefore)}`;
	const few = isEnough(limits, values) ? '' : ' (too few to judge)';
	const readings = plural(Number(values.readings), readingNoun(metric));
	const line = {
		name,
		text: joined([
			mean,
			before,
			`${readings} on ${plural(Number(values.days), 'day')}${few}`,
			leftOutWords(values),
			latest && latestWords(style, latest),
			zoneWords(data),
		]),
		short: joined([mean, before, few && 'too few']),
		cells: isHigh ? cellsOf(data) : [],
	};
	const means = meansOf(metric, values);
	const rank = limits.mean ? severity({ high: limits.mean }, means) : means[0];
	const isNew = valuesBefore && valuesBefore.status !== 'high';
	const high = isNew ? 'newly high' : 'high';
	return { kind: isHigh ? high : 'in range', line, rank };
}

/** The first aggregate of each column. */
const meansOf = ({ measured }: Metric, values: IDataObject) =>
	Object.entries(measured).map(([column, [how]]) =>
		Number(values[`${column}_${how}`]),
	);

function meanWords(metric: Metric, values: IDataObject): string {
	if (values.readings === 0) return 'none';
	return String(
		values.mean ?? `${meansOf(metric, values)[0]} ${metric.unit.name}`,
	);
}

const leftOutWords = ({ left_out }: IDataObject) =>
	left_out !== 0 && `${String(left_out)} left out`;

/** "latest 142/88 Sun 22 Nov 20:10, by cuff". */
const latestWords = (style: ReadingStyle, latest: Measurement) =>
	joined([`latest ${readingWords(style, latest)}`, sourcesOf(latest)]);

function sourcesOf({ copies }: Measurement): string {
	const sources = copies.map(({ row }) =>
		plain(row.source_type || row.provider),
	);
	const named = joined([...new Set(sources)], ' and ');
	return named && `by ${named}`;
}

/** The time zone where it is the user's own. */
const zoneWords = ({ options, range }: Data) =>
	range.zone !== rangeOfAll(options).zone && `times in ${range.zone}`;

const rangeOfAll = ({ rangeOf }: ReportOptions) =>
	rangeOf({ user: { user_id: '', client_user_id: null }, place: 0 });

/** Nobody knows how such a person is: since when, and what may be the reason. */
function quietEntry(data: Data): Entry {
	const { range, selected, style, name, asked, earlier, values } = data;
	const { record } = selected;
	const isApart = record !== undefined && connectedSlugs(record) === '';
	const kind = quietKind(data, isApart);
	const last = newestOf([...earlier, ...asked]);
	const created = range.localTimeOf(instantOf(record?.created_on));
	const dayOf = (local: string | null) => timeWords(local?.slice(0, 10), style);
	const notes = joined([
		last && `last ${dayOf(last.local)}`,
		created && created >= range.from && `joined ${dayOf(created)}`,
		kind === 'stopped' && isApart && 'nothing connected',
		leftOutWords(values),
	]);
	return { kind, line: { name: notes ? `${name} (${notes})` : name }, rank: 0 };
}

function quietKind({ values, valuesBefore }: Data, isApart: boolean): Kind {
	if (Number(valuesBefore?.readings ?? 0) > 0) return 'stopped';
	if (values.left_out !== 0) return 'unusable';
	return isApart ? 'apart' : 'quiet';
}

/** With the newest of them: a count alone does not tell what is wrong. */
function leftOutEntries({ name, style, asked, values }: Data): Entry[] {
	const left = asked.filter((one) => !isCounted(style.metric, one));
	if (left.length === 0 || values.readings === 0) return [];
	const newest = [...left].sort(msAfter).at(-1)!;
	const text = `${left.length}, the newest ${readingWords(style, newest)}`;
	return [{ kind: 'left out', line: { name, text }, rank: left.length }];
}

const everyReading = ({ asked, style }: Data): Entry[] =>
	asked.map((one) => {
		const value = valueWords(style.metric, one);
		const text = joined([value, ...marksOf(style, one), sourcesOf(one)]);
		const line = { name: timeWords(one.local), text };
		return { kind: 'every reading', line, rank: one.time ?? 0 };
	});

const WEEK = 7;
const MAX_DAYS = 5 * WEEK;

/** A cell for each day of the period; none for a single day, or for more than five weeks. */
function cellsOf({ options, range, asked }: Data): Cell[] {
	const first = Date.parse(range.from.slice(0, 10));
	const days = 1 + (Date.parse(range.to.slice(0, 10)) - first) / DAY_MS;
	if (days < 2 || days > MAX_DAYS) return [];
	const byDay = groupBy(asked, ({ local }) => local?.slice(0, 10));
	return Array.from({ length: days }, (_, at) => {
		const date = new Date(first + at * DAY_MS).toISOString().slice(0, 10);
		const [weekday, day, month] = timeWords(date).split(' ');
		const label = days > WEEK ? `${day} ${month}` : weekday;
		return { label, ...dayCell(options, byDay.get(date) ?? []) };
	});
}

/** The newest reading beyond a limit, else the mean. */
function dayCell(options: ReportOptions, ofDay: readonly Measurement[]) {
	const values = periodValues(options, ofDay);
	if (values.reached)
		return { value: plain(values.reached_reading), colour: 'beyond' as const };
	if (values.readings === 0) return { value: '–', colour: 'none' as const };
	const means = meansOf(options.metric, values);
	const colour = options.limits.mean && (values.status as Cell['colour']);
	return { value: means.map(Math.round).join('/'), colour: colour ?? 'none' };
}

/** The columns of the item, in their order. */
export const REPORT_COLUMNS =
	'subject text html from to people not_read reached high newly_high in_range too_few without_readings newly_without_readings row_id'.split(
		' ',
	);

const inColumns = (row: IDataObject): IDataObject =>
	Object.fromEntries(
		REPORT_COLUMNS.map((column) => [column, row[column] ?? null]),
	);

type Entries = ReadonlyMap<Kind, readonly Entry[]>;

/** One item, also without users. */
export function teamReport(
	options: ReportOptions,
	selection: UserSelection,
	results: readonly UserResult[],
): IDataObject {
	const { metric, provider, sourceTypes } = options;
	const { from, to } = rangeOfAll(options);
	const persons = results.flatMap(({ rows }) => rows as unknown as Person[]);
	const failed = results.filter(({ problem }) => problem);
	const all = persons.flatMap((one) => one.entries);
	const entries = groupBy(all, ({ kind }) => kind);
	const counts = countsOf(options, persons, failed.length, entries);
	const title = `${metricName(metric)}, ${periodWords(from, to)}`;
	const newest = newestOf(persons.flatMap((one) => one.newest ?? []));
	const words = countWords(metric, counts);
	const message = {
		title,
		notes: [
			`${joined(words)}.`,
			limitsNote(options, counts),
			filterNote(options),
			timeNote(options, newest),
		].filter(Boolean),
		sections: [failedSection(failed), ...sectionsOf(options, entries)],
		legend: `A cell is the mean of a day, or its newest ${readingNoun(metric)} beyond a limit (red). Green is below the limit of the mean, yellow is not.`,
		elsewhere: "'Output' Summary per User",
	};
	const key = rowKey(
		userPrefix(selectionKey(options, selection, results)),
		JSON.stringify([metric.value, from, to, provider, ...sourceTypes]),
	);
	return inColumns({
		subject: subjectOf(title, words),
		...layOut(message),
		from,
		to,
		...counts,
		row_id: `${metric.value}-message-${key}`,
	});
}

/** On Error *Continue*: nobody could be read. */
export function failedReport(
	metric: Metric,
	{ message, description }: Problem,
): IDataObject {
	const title = `${metricName(metric)}: could not be read`;
	const notes = [message, description].map(ownWords);
	const made = layOut({ title, notes, sections: [] });
	const row = inColumns({ subject: title, ...made });
	return { ...row, error: message, details: description };
}

function selectionKey(
	{ offset, maxUsers, isConnectedOnly }: ReportOptions,
	{ entries, isOne }: UserSelection,
	results: readonly UserResult[],
): string {
	const one = isOne && results.map(({ user }) => user.user_id);
	const ids = entries?.map(({ id }) => id) ?? one;
	return JSON.stringify(ids || [offset, maxUsers, isConnectedOnly]);
}

/** Null for what was not asked. */
function countsOf(
	{ limits, compareWith }: ReportOptions,
	persons: readonly Person[],
	not_read: number,
	entries: Entries,
) {
	const sizeOf = (...kinds: Kind[]) =>
		kinds.reduce((sum, kind) => sum + (entries.get(kind)?.length ?? 0), 0);
	const tooFew = persons.filter(({ hasTooFew }) => hasTooFew);
	const asked = (is: unknown, count: number) => (is ? count : null);
	return {
		people: persons.length + not_read,
		not_read,
		reached: asked(
			limits.high ?? limits.low,
			sizeOf('beyond today', 'beyond earlier'),
		),
		high: asked(limits.mean, sizeOf('high', 'newly high')),
		newly_high: asked(limits.mean && compareWith, sizeOf('newly high')),
		in_range: sizeOf('in range'),
		too_few: asked(limits.enough, tooFew.length),
		without_readings: sizeOf('stopped', 'quiet', 'apart', 'unusable'),
		newly_without_readings: asked(compareWith, sizeOf('stopped')),
	};
}

type Counts = ReturnType<typeof countsOf>;

/** All counts, zeros too: a section that is missing says that there is nobody, not that nobody looked. */
function countWords(metric: Metric, counts: Counts): string[] {
	const noun = readingNoun(metric);
	const { reached, high } = counts;
	const newWords = (count: number | null) =>
		count === null ? '' : ` (${shownNumber(count)} new)`;
	return [
		peopleWords(counts.people),
		`${shownNumber(counts.not_read)} not read`,
		reached !== null && `${shownNumber(reached)} beyond single limits`,
		high !== null && `${shownNumber(high)} high${newWords(counts.newly_high)}`,
		`${shownNumber(counts.without_readings)} without ${noun}s${newWords(counts.newly_without_readings)}`,
		`${shownNumber(counts.in_range)} ${high === null ? `with ${noun}s` : 'in range'}`,
	].filter((words) => typeof words === 'string');
}

function limitsNote(
	{ metric, limits }: ReportOptions,
	{ too_few }: Counts,
): string {
	const noun = readingNoun(metric);
	const [readings, days] = limits.enough ?? [];
	const single = limitsWords(metric, limits);
	const few = joined(
		[
			readings !== undefined && `fewer than ${plural(readings, noun)}`,
			days !== undefined && `on fewer than ${plural(days, 'day')}`,
		],
		' or ',
	);
	const notes = [
		single && `Single limits: ${single}.`,
		limits.mean &&
			`High: mean ${pairWords(metric, 'at or above', limits.mean)}.`,
		too_few !== null && `Too few to judge (${few}): ${shownNumber(too_few)}.`,
	];
	return joined(notes, ' ');
}

const NAMED = 5;

/** What was left aside: without it, silence would mislead. */
function filterNote(options: ReportOptions): string {
	const { provider, sourceTypes, isConnectedOnly } = options;
	const { scope, offset = 0, maxUsers = Infinity } = options;
	const { before } = rangeOfAll(options);
	const types = sourceTypes.slice(0, NAMED).map((type) => plain(type));
	const more = andMore(sourceTypes.length - NAMED);
	const isPart = scope === 'all' && (offset > 0 || maxUsers < Infinity);
	const last = maxUsers < Infinity ? `, at most ${shownNumber(maxUsers)}` : '';
	const only = joined([
		provider && `provider ${plain(provider)}`,
		types.length > 0 && `source type ${joined([...types, ...more], ' or ')}`,
		isConnectedOnly && 'users who have it connected now',
		isPart && `users from number ${shownNumber(offset + 1)} of the list${last}`,
	]);
	const notes = [
		only && `Only ${only}.`,
		before && `Compared with ${periodWords(before.from, before.to)}.`,
	];
	return joined(notes, ' ');
}

/** With the newest reading of all: where it is old, something is wrong with more than one person. */
function timeNote(options: ReportOptions, newest?: Measurement): string {
	const { metric, hasTimeZone } = options;
	const range = rangeOfAll(options);
	const noun = readingNoun(metric);
	const whose = hasTimeZone ? "each person's own time zone, else " : '';
	const zone = `Times in ${whose}${range.zone}, values in ${metric.unit.name}.`;
	if (!newest) return `${zone} No ${noun} of anybody.`;
	const hours = Math.floor((endOf(range) - newest.time!) / HOUR_MS);
	const silence =
		hours < 24
			? `Newest ${noun} of all`
			: `No ${noun} of anybody for ${plural(hours, 'hour')}: the newest is of`;
	return `${zone} ${silence} ${timeWords(newest.local, { year: yearOf(range) })}.`;
}

/** A line for each reason, that of the most people first. */
function failedSection(failed: readonly UserResult[]): Section {
	const byReason = groupBy(failed, ({ problem }) => problem!.message);
	const lines = Array.from(byReason, ([reason, of]) => {
		const names = of.map(({ user, entry }) =>
			personName(user.client_user_id ?? entry?.id, user.user_id),
		);
		const few = [...names.slice(0, NAMED), ...andMore(names.length - NAMED)];
		const [text, short] = [names, few].map((some) => some.join(', '));
		return { name: ownWords(reason), text, short, people: names.length };
	});
	lines.sort((a, b) => b.people - a.people);
	return { title: 'Could not be read, so nothing is known about them', lines };
}

/** Those that *Return Only* picks; single readings always. */
function sectionsOf(options: ReportOptions, entries: Entries): Section[] {
	const { metric, limits, compareWith, onlyStatus, scope } = options;
	const noun = readingNoun(metric);
	const beyond = `A ${noun} ${limitsWords(metric, limits)}`;
	const [above, below] = ['at or above', 'below'].map(
		(words) => `Mean ${pairWords(metric, words, limits.mean)}`,
	);
	const wants = (status: Status) =>
		onlyStatus.length === 0 || onlyStatus.includes(status);
	const wantsQuiet = wants('no readings');
	const isListed =
		!limits.mean || scope === 'one' || onlyStatus.includes('in range');
	const titles: Array<[Kind, string, boolean?]> = [
		['beyond today', `${beyond}, in the last 24 hours of the period`],
		['beyond earlier', `${beyond}, earlier in the period`],
		['newly high', `${above}, new`, wants('high')],
		['high', compareWith ? `${above}, as before` : above, wants('high')],
		['stopped', `No ${noun}, but some before`, wantsQuiet],
		[
			'quiet',
			compareWith ? `No ${noun}, nor any before` : `No ${noun}`,
			wantsQuiet,
		],
		['apart', `No ${noun}, and nothing connected`, wantsQuiet],
		['unusable', `No usable ${noun}`, wantsQuiet],
		['left out', `Some ${noun}s are left out`, onlyStatus.length === 0],
		[
			'in range',
			limits.mean ? below : `With ${noun}s`,
			isListed && wants('in range'),
		],
		['every reading', `Every ${noun}`],
	];
	return titles.map(([kind, title, isShown = true]) => {
		const shown = isShown ? [...(entries.get(kind) ?? [])] : [];
		shown.sort((a, b) => b.rank - a.rank);
		const lines = shown.map(({ line }) => line);
		return { title, lines, isHtmlOnly: kind === 'every reading' };
	});
}
