/**
 * Text and HTML of messages: the one place where what anybody else wrote becomes harmless, and where a message is cut to what chats and
 * mail programs take.
 */
import { text } from '../shared/values';

/** Characters of a name, and of a reading as it came. */
const NAME_LENGTH = 60;
export const READING_LENGTH = 20;

/** Normalizing a text of a megabyte for 60 characters would hold up n8n. */
const READ_LENGTH = 1000;

/**
 * Letters, digits and a few signs stay. Comma, colon, semicolon and brackets separate what a message says, so in a name they could
 * forge it. Characters without a shape go, although some are letters.
 */
const UNSAFE =
	/[^\p{L}\p{Mn}\p{Mc}\p{N} .'/%_-]|\p{Default_Ignorable_Code_Point}/gu;
const MARKS = /\p{M}+/gu;
/** Signs that are harmless only inside a word: a formula, a command of Telegram and a list begin with one. */
const LOOSE = /(?<![\p{L}\p{M}\p{N}])[-'/]|[-'/](?![\p{L}\p{N}])/gu;
/** Letters, digits and dots: what may be part of a link. */
const DOTTED = /[\p{L}\p{M}\p{N}.]+/gu;
const DECIMAL = /^\d+\.\d+$/;
const RIGHT_TO_LEFT =
	/[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** Keeps values after a name in Hebrew or Arabic from changing places. */
const LEFT_TO_RIGHT_MARK = '\u200e';
/** Telegram takes `_` for the start of italics, and refuses a message without their end. No safe text contains this sign otherwise. */
const UNDERSCORE = '＿';

function safe(value: unknown, most: number): string {
	const line = text(value).trim().slice(0, READ_LENGTH).normalize('NFC');
	const signs = line
		.replace(/\s+/g, ' ')
		.replace(UNSAFE, '·')
		.replace(MARKS, fewMarks)
		.replace(LOOSE, '·')
		.replace(DOTTED, withoutLinks)
		.replace(/·+/g, '·');
	const characters = Array.from(signs.trim());
	if (characters.length <= most) return characters.join('');
	return `${characters.slice(0, most - 1).join('')}…`;
}

/** At most two marks on a letter or digit, and none without. */
function fewMarks(marks: string, at: number, line: string): string {
	// A letter may take two units of UTF-16.
	const isOnLetter = /[\p{L}\p{N}]$/u.test(line.slice(Math.max(0, at - 2), at));
	if (!isOnLetter) return '·';
	const [first, second = '', ...others] = marks;
	return others.length > 0 ? `${first}${second}·` : marks;
}

/** A dot before a letter or digit may be part of a link, unless in a decimal number. */
const withoutLinks = (word: string) =>
	DECIMAL.test(word) ? word : word.replace(/\.(?=[\p{L}\p{N}])/gu, '·');

function inLine(safeText: string): string {
	const shown = safeText.replaceAll('_', UNDERSCORE);
	const mark = RIGHT_TO_LEFT.test(shown) ? LEFT_TO_RIGHT_MARK : '';
	return mark + shown + mark;
}

/** What the service, or a person, wrote: one line of letters, digits and harmless signs. */
export const plain = (value: unknown, most = NAME_LENGTH) =>
	inLine(safe(value, most));

const ID_START = 8;

/** The client user ID, else the user ID. If signs were replaced or cut, two names may look the same: the start of the user ID follows. */
export function personName(clientUserId: unknown, userId: unknown): string {
	const given = text(clientUserId) || text(userId);
	const name = safe(given, NAME_LENGTH);
	const start = safe(userId, NAME_LENGTH).slice(0, ID_START);
	const isSame = name === given || start === '';
	return isSame ? inLine(name) : `${inLine(name)} (${inLine(start)})`;
}

/** The words of an error: signs stay but those of links, formats and tags, since only names of hosts and providers in it are of others. */
export const ownWords = (words: string) =>
	inLine(
		words
			.replace(/\s+/g, ' ')
			.replace(/[<>&*~`|{}[\]#@$\\^=+]|:\/\//g, '·')
			.replace(/(?<=[\p{L}\p{N}])\.(?=\p{L})/gu, '·'),
	);

/** A day of a person, in HTML. */
export interface Cell {
	label: string;
	value: string;
	colour: keyof typeof COLOURS;
}

/** In safe characters. */
export interface Line {
	/** A name, or whatever the line is of. */
	name: string;
	/** Without it, lines are only names and share a paragraph. */
	text?: string;
	/** In place of `text` where not all lines fit. */
	short?: string;
	/** People it is of; 1 if absent. */
	people?: number;
	cells?: readonly Cell[];
}

/** Not shown without lines. */
export interface Section {
	title: string;
	/** The most important first. */
	lines: readonly Line[];
	isHtmlOnly?: boolean;
}

export interface Message {
	title: string;
	notes: readonly string[];
	sections: readonly Section[];
	/** What the colours of cells stand for. */
	legend?: string;
	/** Where everything is that may be cut. */
	elsewhere?: string;
}

/** Telegram takes 4,096 characters, Slack splits more than 4,000. */
const TEXT_LENGTH = 4000;
/** Gmail cuts an email at 102 kB, with what n8n adds to it. */
const HTML_BYTES = 95_000;
const SUBJECT_LENGTH = 140;

/** ASCII. Counts that do not fit are left out. */
export const subjectOf = (title: string, counts: readonly string[]) =>
	counts.reduce((subject, count, at) => {
		const longer = `${subject}${at === 0 ? ': ' : ', '}${count}`;
		return longer.length > SUBJECT_LENGTH ? subject : longer;
	}, title);

export const shownNumber = (count: number) => count.toLocaleString('en');

export const andMore = (count: number) =>
	count > 0 ? [`… and ${shownNumber(count)} more`] : [];

/** Text and HTML, each cut to its length, and never in silence. */
export function layOut(message: Message) {
	const html = fitting(message, true, isHtmlLength, []);
	const inHtml = html.level === WHOLE ? ['the HTML of this message'] : [];
	const text = fitting(message, false, isTextLength, inHtml);
	return { text: text.made, html: html.made };
}

const isTextLength = (made: string) => made.length <= TEXT_LENGTH;
const isHtmlLength = (made: string) => Buffer.byteLength(made) <= HTML_BYTES;

/** Whether the text has all lines in full. */
export const fitsText = (message: Message) =>
	isTextLength(render(message, false, WHOLE, []));

/** How much of each section is shown. */
interface Level {
	lines: number;
	/** Lines with a table of days. */
	tables: number;
	isShort: boolean;
}

const WHOLE: Level = { lines: Infinity, tables: 50, isShort: false };
const SHORT: Level = { ...WHOLE, isShort: true };
/** So many short lines fill the HTML. */
const MAX_LINES = 1200;

/** Short lines, then fewer tables, which only tell what the lines do, then fewer lines of each section: in the end none. */
const LEVELS: readonly Level[] = [
	WHOLE,
	...[50, 25, 10, 0].map((tables) => ({ ...SHORT, tables })),
	...Array.from({ length: 140 }, (_, step) => {
		const lines = Math.floor(MAX_LINES * 0.95 ** step);
		return { lines, tables: 0, isShort: true };
	}),
];

/** @param places where everything is that is cut here */
function fitting(
	message: Message,
	isHtml: boolean,
	fits: (made: string) => boolean,
	places: readonly string[],
) {
	const madeAt = (one: Level) => render(message, isHtml, one, places);
	const level = LEVELS.find((one) => fits(madeAt(one))) ?? LEVELS.at(-1)!;
	return { level, made: madeAt(level) };
}

function render(
	message: Message,
	isHtml: boolean,
	level: Level,
	places: readonly string[],
): string {
	const { title, notes, legend, elsewhere } = message;
	const sections = message.sections
		.filter(
			({ lines, isHtmlOnly }) => lines.length > 0 && (isHtml || !isHtmlOnly),
		)
		.map((section) => shownOf(section, level));
	const hasTables = sections.some(({ lines }) =>
		lines.some(({ cells }) => cells?.length),
	);
	const found = [...places, elsewhere].filter(Boolean).join(' and in ');
	const all = [
		...notes,
		level.isShort &&
			`Shortened to fit here.${found && ` Everything is in ${found}.`}`,
		isHtml && hasTables && legend,
	].filter((note) => typeof note === 'string');
	return isHtml ? toHtml(title, all, sections) : toText(title, all, sections);
}

/** What is shown of a section. */
interface Shown {
	heading: string;
	lines: readonly Line[];
	/** Names without text, and how many more there are. */
	end: readonly string[];
}

const NAMES_PER_LINE = 4;

const peopleOf = (lines: readonly Line[]) =>
	lines.reduce((sum, { people = 1 }) => sum + people, 0);

function shownOf({ title, lines }: Section, level: Level): Shown {
	const isNames = lines.every(({ text }) => text === undefined);
	const cut = isNames ? level.lines * NAMES_PER_LINE : level.lines;
	const more = andMore(peopleOf(lines.slice(cut)));
	const heading = `${title}: ${shownNumber(peopleOf(lines))}`;
	const kept = lines.slice(0, cut).map(({ short, ...line }, at) => ({
		...line,
		...(level.isShort && short && { [isNames ? 'name' : 'text']: short }),
		cells: at < level.tables ? line.cells : [],
	}));
	if (!isNames) return { heading, lines: kept, end: more };
	const names = [...kept.map(({ name }) => name), ...more];
	return { heading, lines: [], end: [names.join(', ')] };
}

/** Each line with text of others begins with a sign of ours. */
function toText(
	title: string,
	notes: readonly string[],
	sections: readonly Shown[],
) {
	const made = sections.map(({ heading, lines, end }) => {
		const texts = lines.map(({ name, text }) => `${name}: ${text}`);
		return [heading, ...[...texts, ...end].map((one) => `• ${one}`)].join('\n');
	});
	return [[title, ...notes].join('\n'), ...made].join('\n\n');
}

const COLOURS = {
	'no readings': '#eceff1',
	'in range': '#d9f0df',
	high: '#fdeab5',
	beyond: '#ffcdc8',
};

/** `format-detection`: phones would make links of numbers. */
const HEAD = `<!doctype html><html lang="en" dir="ltr"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><style>
p{margin:6px 0;overflow-wrap:anywhere;word-break:break-word}h1{font-size:20px}h2{font-size:16px;margin:24px 0 8px}
@media (prefers-color-scheme:dark){body,.page{background:#202124!important;color:#e8eaed!important}}
</style></head>
<body bgcolor="#ffffff" style="margin:0;background:#ffffff"><table class="page" width="100%" cellpadding="8" cellspacing="0" bgcolor="#ffffff"><tr><td class="page" style="color:#202124;font:14px Arial,sans-serif">
`;
const FOOT = '\n</td></tr></table></body></html>';

function toHtml(
	title: string,
	notes: readonly string[],
	sections: readonly Shown[],
) {
	const made = sections.flatMap(({ heading, lines, end }) => [
		`<h2>${heading}</h2>`,
		...lines.map(
			({ name, text, cells }) =>
				`<p><b>${name}</b>: ${text}</p>${daysOf(cells)}`,
		),
		...end.map(paragraph),
	]);
	const body = [`<h1>${title}</h1>`, ...notes.map(paragraph), ...made];
	return HEAD + body.join('\n').replaceAll(UNDERSCORE, '_') + FOOT;
}

const paragraph = (words: string) => `<p>${words}</p>`;

/** Days in a row of cells: the width of a phone. */
const WEEK = 7;

function daysOf(cells: readonly Cell[] = []): string {
	const made = cells.map(({ label, value, colour }, at) => {
		const row = at > 0 && at % WEEK === 0 ? '</tr><tr>' : '';
		const shown = colour === 'beyond' ? `<b>${value}</b>` : value;
		return `${row}<td bgcolor="${COLOURS[colour]}">${label}<br>${shown}</td>`;
	});
	return made.length === 0 ? '' : `${TABLE}<tr>${made.join('')}</tr></table>`;
}

/** Seven readings of six digits fit into 344 pixels. */
const TABLE =
	'<table cellspacing="1" cellpadding="1" style="color:#202124;font-size:11px;text-align:center">';
