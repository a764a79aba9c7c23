/**
 * Text and HTML of messages: the one place where what anybody else wrote becomes harmless, and where a message is cut to what chats and
 * mail programs take.
 */
import { groupBy, text } from '../shared/values';

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
	/[^\p{L}\p{Mn}\p{Mc}\p{N} .'/%_+-]|\p{Default_Ignorable_Code_Point}/gu;
/** A mark stays on a letter or digit, and at most two of them. */
const LOOSE_MARKS = /(^|[^\p{L}\p{N}\p{M}])\p{M}+/gu;
const MANY_MARKS = /(\p{M}{2})\p{M}+/gu;
/** Signs that are harmless only inside a word: a formula, a command of Telegram and a list begin with one. */
const LOOSE = /(?<![\p{L}\p{M}\p{N}])[-+'/]|[-+'/](?![\p{L}\p{N}])/gu;
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
		.replace(LOOSE_MARKS, '$1·')
		.replace(MANY_MARKS, '$1·')
		.replace(LOOSE, '·')
		.replace(DOTTED, withoutLinks)
		.replace(/·+/g, '·');
	const characters = Array.from(signs.trim());
	if (characters.length <= most) return characters.join('');
	return `${characters.slice(0, most - 1).join('')}…`;
}

/** A dot before a letter or digit may be part of a link, unless in a decimal number. */
const withoutLinks = (word: string) =>
	DECIMAL.test(word) ? word : word.replace(/\.(?=[\p{L}\p{N}])/gu, '·');

function inLine(safeText: string): string {
	const shown = safeText.replaceAll('_', UNDERSCORE);
	const mark = RIGHT_TO_LEFT.test(shown) ? LEFT_TO_RIGHT_MARK : '';
	return mark + shown + mark;
}

/** For readers that are no chat: mail programs, and models, which ask for a name again. */
export const withUnderscores = (made: string) =>
	made.replaceAll(UNDERSCORE, '_');

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

/** The parts that are there. */
export const joined = (parts: readonly unknown[], separator = ', ') =>
	parts.filter(Boolean).join(separator);

/** A day of a person, in HTML. */
export interface Cell {
	label: string;
	value: string;
	colour: keyof typeof COLOURS;
}

/** In safe characters. */
export interface Line {
	/** The title of its section. */
	section: string;
	/** A name, or whatever the line is of. */
	name: string;
	text?: string;
	/** In place of `text` where not all lines fit. */
	short?: string;
	/** People it is of; 1 if absent. */
	people?: number;
	cells?: readonly Cell[];
	isHtmlOnly?: boolean;
	/** Whether it needs no action: where not all lines fit, its section is cut before others. */
	isCalm?: boolean;
}

export interface Message {
	title: string;
	notes: readonly string[];
	/** Sections in their order, the most important line of each first. */
	lines: readonly Line[];
	/** What the colours of cells stand for. */
	legend?: string;
}

/** Telegram takes 4,096 characters, Slack splits more than 4,000: with room for a sentence of the team's own. */
const TEXT_LENGTH = 3800;
/** Gmail cuts an email at 102 kB, with what n8n adds to it. */
const HTML_BYTES = 95_000;
const SUBJECT_LENGTH = 140;

/** ASCII. The last counts are left out where not all fit. */
export function subjectOf(title: string, counts: readonly string[]) {
	const subject = `${title}: ${counts.join(', ')}`;
	return subject.length <= SUBJECT_LENGTH
		? subject
		: subject.slice(0, subject.lastIndexOf(', ', SUBJECT_LENGTH));
}

export const shownNumber = (count: number) => count.toLocaleString('en');

export const andMore = (count: number) =>
	count > 0 ? [`… and ${shownNumber(count)} more`] : [];

/** "a, b … and 3 more". */
export const firstOf = (names: readonly string[], most: number) =>
	joined(
		[names.slice(0, most).join(', '), ...andMore(names.length - most)],
		' ',
	);

const fitsText = (made: string) => made.length <= TEXT_LENGTH;
const fitsHtml = (made: string) => Buffer.byteLength(made) <= HTML_BYTES;

/** Whether the text has all lines in full. */
export const isWhole = (message: Message) => fitsText(toText(message, ALL));

/** Text and HTML, each cut to its length, and never in silence. */
export const layOut = (message: Message) => ({
	text: fitting(fitsText, (step) => toText(message, step)),
	html: fitting(fitsHtml, (step) => toHtml(message, step)),
});

/** Steps of cutting: first lines are short, then tables go, and with each further step there are fewer lines of each section. */
const ALL = 0;
const SHORT = 1;
/** No line is left. */
const MAX_STEP = 150;

/** Made at the first step at which it fits. */
function fitting(
	fits: (made: string) => boolean,
	makeAt: (step: number) => string,
	step = ALL,
): string {
	const made = makeAt(step);
	if (fits(made) || step === MAX_STEP) return made;
	return fitting(fits, makeAt, step + 1);
}

/** So many short lines fill the HTML. */
const MAX_LINES = 1200;

/** How much sooner lines go that need no action. */
const HASTE = 4;

/** Lines of a section. */
const linesAt = (step: number, isCalm = false) =>
	step > SHORT
		? Math.floor(MAX_LINES * 0.95 ** (step * (isCalm ? HASTE : 1)))
		: Infinity;

const cutNote = (step: number, more = '') =>
	step > ALL &&
	`Shortened to fit here. ${more}Everything is in other outputs of the node, or ask for fewer days or users.`;

/** Each line with text of others begins with a sign of ours. */
function toText({ title, notes, lines }: Message, step: number): string {
	const shown = lines.filter(({ isHtmlOnly }) => !isHtmlOnly);
	const sections = sectionsAt(step, shown).map(({ heading, kept, more }) => {
		const texts = kept.map(({ name, text }) => joined([name, text], ': '));
		return joined(
			[heading, ...[...texts, ...more].map((one) => `• ${one}`)],
			'\n',
		);
	});
	const cut = cutNote(step, 'The email form of this message is longer. ');
	const head = joined([title, ...notes, cut], '\n');
	return [head, ...sections].join('\n\n');
}

/** What is shown of each section. Tables, which only tell what lines do, go before lines. */
function sectionsAt(step: number, lines: readonly Line[]) {
	const sections = [...groupBy(lines, ({ section }) => section)];
	return sections.map(([title, all]) => {
		const kept = all.slice(0, linesAt(step, all[0].isCalm));
		return {
			heading: `${title}: ${shownNumber(peopleOf(all))}`,
			kept: step === ALL ? kept : kept.map(shortened),
			more: andMore(peopleOf(all) - peopleOf(kept)),
			tables: step > SHORT ? 0 : MAX_TABLES,
		};
	});
}

const shortened = (line: Line): Line => ({
	...line,
	text: line.short ?? line.text,
});

const peopleOf = (lines: readonly Line[]) =>
	lines.reduce((sum, { people = 1 }) => sum + people, 0);

const COLOURS = {
	'no readings': '#eceff1',
	'in range': '#d9f0df',
	high: '#fdeab5',
	beyond: '#ffcdc8',
};

/** `format-detection`: phones would make links of numbers. */
const HEAD = `<!doctype html><html lang="en" dir="ltr"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><style>
p{margin:6px 0;overflow-wrap:anywhere;word-break:break-word}h1{font-size:20px}h2{font-size:16px;margin:24px 0 8px}td td{min-width:41px}
@media (prefers-color-scheme:dark){body,.page{background:#202124!important;color:#e8eaed!important}}
</style></head>
<body bgcolor="#ffffff" style="margin:0;background:#ffffff"><table class="page" width="100%" cellpadding="8" cellspacing="0" bgcolor="#ffffff"><tr><td class="page" style="color:#202124;font:14px Arial,sans-serif">
`;
const FOOT = '\n</td></tr></table></body></html>';

function toHtml(
	{ title, notes, lines, legend }: Message,
	step: number,
): string {
	const shown = sectionsAt(step, lines);
	const sections = shown.flatMap(({ heading, kept, more, tables }) => {
		const paragraphs = kept.map((line, at) => {
			const cells = at < tables ? line.cells : [];
			return paragraphOf(line) + daysOf(cells);
		});
		return [`<h2>${heading}</h2>`, ...paragraphs, ...more.map(paragraph)];
	});
	const hasTables = lines.some(({ cells }) => cells?.length);
	const head = [...notes, cutNote(step), hasTables && legend];
	const body = [
		`<h1>${title}</h1>`,
		...head.filter((note) => typeof note === 'string').map(paragraph),
		...sections,
	];
	return HEAD + withUnderscores(body.join('\n')) + FOOT;
}

const paragraph = (words: string) => `<p>${words}</p>`;
const paragraphOf = ({ name, text }: Line) =>
	paragraph(joined([`<b>${name}</b>`, text], ': '));

/** Tables of a section. */
const MAX_TABLES = 50;

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
