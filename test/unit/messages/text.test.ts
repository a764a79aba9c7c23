/** Text of messages: what others wrote is harmless wherever a message goes, and nothing is cut in silence. */
import {
	isWhole,
	layOut,
	personName,
	plain,
	subjectOf,
	type Line,
	type Message,
} from '../../../nodes/HealthDataService/messages/text';
import { fc } from '../../helpers/properties';

const ID = '5a96d3c9-0000-4000-8000-000000000000';

describe('a name', () => {
	it.each([
		['app-user-0042', 'app-user-0042'],
		['Ward 7/B', 'Ward 7/B'],
		["O'Brien, Ann", "O'Brien· Ann (5a96d3c9)"],
		['心 ünïcødé 50%', '心 ünïcødé 50%'],
		['patient_0003', 'patient＿0003'],
		['Dr. No', 'Dr. No'],
		['v1.2', 'v1·2 (5a96d3c9)'],
		['  two  blanks ', 'two blanks (5a96d3c9)'],
		['', ID],
		[4711, '4711'],
		[null, ID],
		[{ a: 1 }, ID],
		['www.evil.com', 'www·evil·com (5a96d3c9)'],
		['163.com', '163·com (5a96d3c9)'],
		['1.1.1.1/x', '1·1·1·1/x (5a96d3c9)'],
		['https://evil.com/x?y=1#z', 'https·evil·com/x·y·1·z (5a96d3c9)'],
		['a@b.co', 'a·b·co (5a96d3c9)'],
		['+1-555-0100', '·1-555-0100 (5a96d3c9)'],
		['=1+1', '·1+1 (5a96d3c9)'],
		['-1+1', '·1+1 (5a96d3c9)'],
		["'=1", '·1 (5a96d3c9)'],
		['@here', '·here (5a96d3c9)'],
		['/start', '·start (5a96d3c9)'],
		['a /start', 'a ·start (5a96d3c9)'],
		['#tag $TAG', '·tag ·TAG (5a96d3c9)'],
		[':fire:', '·fire· (5a96d3c9)'],
		['<!channel>', '·channel· (5a96d3c9)'],
		['<script>alert(1)</script>', '·script·alert·1·script· (5a96d3c9)'],
		['&lt;b&gt;', '·lt·b·gt· (5a96d3c9)'],
		['[Log in](x)', '·Log in·x· (5a96d3c9)'],
		['*a* ~b~ `c` > d | e \\', '·a· ·b· ·c· · d · e · (5a96d3c9)'],
		['gus (582a27a6): 190/100', 'gus ·582a27a6· 190/100 (5a96d3c9)'],
		['x\n• forged: 250/140', 'x · forged· 250/140 (5a96d3c9)'],
		['x\u2028y\u0085z', 'x y·z (5a96d3c9)'],
		['\u202egnp.exe', '·gnp·exe (5a96d3c9)'],
		['a\u200bb\ufeff', 'a·b (5a96d3c9)'],
		['\u3164\u3164', '· (5a96d3c9)'],
		[`z${'\u0300'.repeat(50)}`, 'z\u0300\u0300· (5a96d3c9)'],
		['\u0300x', '·x (5a96d3c9)'],
		['e\u0301', 'é (5a96d3c9)'],
		['\ud800x', '·x (5a96d3c9)'],
		['👍🏽 ok', '· ok (5a96d3c9)'],
		['ｗｗｗ．ｘ', 'ｗｗｗ·ｘ (5a96d3c9)'],
		['a＿b', 'a·b (5a96d3c9)'],
		['\u05e9\u05dc\u05d5\u05dd', '\u200e\u05e9\u05dc\u05d5\u05dd\u200e'],
		['a'.repeat(60), 'a'.repeat(60)],
		['a'.repeat(61), `${'a'.repeat(59)}… (5a96d3c9)`],
		['𝒳'.repeat(61), `${'𝒳'.repeat(59)}… (5a96d3c9)`],
		[' '.repeat(5000) + 'late', 'late (5a96d3c9)'],
		['a' + ' '.repeat(5000) + 'b', 'a (5a96d3c9)'],
	])('%p is shown as %p', (given, shown) => {
		expect(personName(given, ID)).toBe(shown);
	});

	it('of an entry whose user is not known has no user ID', () => {
		expect(personName('a@b', '')).toBe('a·b');
	});
});

it('a reading as it came is short, and a decimal number stays one', () => {
	expect(plain('120.5', 20)).toBe('120.5');
	expect(plain('<!channel> <https://evil.com|Log in>', 20)).toBe('·channel· ·https·ev…');
	expect(plain('120.5.1', 20)).toBe('120·5·1');
});

it.each([
	['Etc/GMT+5', 'Etc/GMT+5'],
	['America/New_York', 'America/New＿York'],
	['+1 a++b', '·1 a·b'],
])('a time zone keeps its signs, where they are no format: %s', (given, shown) => {
	expect(plain(given)).toBe(shown);
});

/** Everything that one of the places takes for more than text. */
const ACTIVE =
	/[<>&*~`|{}[\]#@$\\^="_:;,()!?]|[^\S ]|\p{Cc}|\p{Cs}|\p{Co}|\p{Cn}|[\p{L}\p{N}]\.\p{L}|\/\/|^[-+'/]|[^\p{L}\p{M}\p{N}]\+|\+(?![\p{L}\p{N}])|(?:^|[^\p{L}\p{M}\p{N}])\/|\p{M}{3}/u;
const FORMAT = /(?!\u200e)(?:\p{Cf}|\p{Default_Ignorable_Code_Point})/u;

it('no name and no value is active anywhere', () => {
	const hostile = fc.oneof(
		fc.string({ unit: 'binary', maxLength: 90 }),
		fc.string({ unit: 'grapheme', maxLength: 90 }),
		fc
			.array(
				fc.constantFrom(
					...[
						'www.',
						'evil',
						'.com',
						'://',
						'http',
						'@',
						'*',
						'_',
						'`',
						'<!channel>',
						'<https://x.y|z>',
						'[a](b)',
						'\n',
						'• ',
					],
					...[
						'=',
						'+',
						'-',
						'/cmd',
						'#',
						':smile:',
						'&amp;',
						'\u202e',
						'\u200b',
						'\u0301',
						'1',
						'.',
						'ב',
						' ',
						"'",
						'1. ',
						'> ',
					],
				),
				{ maxLength: 30 },
			)
			.map((parts) => parts.join('')),
	);
	fc.assert(
		fc.property(hostile, fc.integer({ min: 1, max: 60 }), (given, most) => {
			const shown = plain(given, most);
			expect(shown).not.toMatch(ACTIVE);
			expect(shown).not.toMatch(FORMAT);
			expect(Array.from(shown.replaceAll('\u200e', '')).length).toBeLessThanOrEqual(most);
		}),
	);
});

describe('layout', () => {
	const line = (at: number, more: Partial<Line> = {}) => ({
		name: `name-${at}`,
		text: `${'word '.repeat(10)}${at}`,
		short: `short ${at}`,
		...more,
	});
	const lines = (count: number, more: Partial<Line> = {}) => Array.from({ length: count }, (_, at) => line(at, more));
	const names = (count: number) => lines(count, { text: undefined, short: undefined });
	const message = (...sections: Array<Array<Omit<Line, 'section'>>>): Message => ({
		title: 'Blood pressure',
		notes: ['a note'],
		lines: sections.flatMap((of, at) => of.map((one) => ({ ...one, section: `Section ${at}` }))),
	});
	const namedIn = (shown: string) => new Set(shown.match(/name-\d+/g));

	it('has all lines, counts, and no empty section', () => {
		const { text, html } = layOut(message(lines(2), [], names(3)));
		expect(text).toBe(
			`Blood pressure\na note\n\nSection 0: 2\n• name-0: ${line(0).text}\n• name-1: ${line(1).text}\n\nSection 2: 3\n• name-0\n• name-1\n• name-2`,
		);
		expect(html).toContain(`<h2>Section 0: 2</h2>\n<p><b>name-0</b>: ${line(0).text}</p>`);
		expect(html).not.toContain('Section 1');
	});

	it('a text that is too long has short lines, and says so', () => {
		const { text, html } = layOut(message(lines(100)));
		expect(text).toContain(
			'\nShortened to fit here. The email form of this message is longer. Everything is in other outputs of the node, or ask for fewer days or users.\n\nSection 0: 100\n• name-0: short 0\n',
		);
		expect(namedIn(text).size).toBe(100);
		expect(html).toContain('word word');
		// Only what it has, and nothing in place of what it has not.
		expect(html).not.toMatch(/Shortened|false|undefined/);
	});

	it('else has as many of each section as fit, and the rest as a number', () => {
		const { text } = layOut(message(lines(400), lines(3), names(2000)));
		expect(text.length).toBeLessThanOrEqual(3800);
		expect(text.length).toBeGreaterThan(3600);
		const [, first, second, third] = text.split('\n\n');
		const shown = (section: string) => section.match(/name-/g)!.length;
		const left = (section: string) => Number(/… and ([\d,]+) more$/.exec(section)?.[1].replace(',', '') ?? 0);
		for (const [section, all] of [
			[first, 400],
			[second, 3],
			[third, 2000],
		] as const) {
			expect(section).toContain(`: ${all.toLocaleString('en')}\n`);
			expect(shown(section) + left(section)).toBe(all);
		}
		expect(left(second)).toBe(0);
		expect(shown(third)).toBe(shown(first));
	});

	it('3,800 characters of text and 95,000 bytes of HTML are not too many', () => {
		const noteOf = (length: number) => ({ ...message(), notes: ['n'.repeat(length)] });
		const { text, html } = layOut(noteOf(1));
		const isShortened = (made: string) => made.includes('Shortened');
		const texts = [3800, 3801].map((length) => layOut(noteOf(length - text.length + 1)).text);
		expect(texts.map(isShortened)).toEqual([false, true]);
		const pages = [95_000, 95_001].map((length) => layOut(noteOf(length - Buffer.byteLength(html) + 1)).html);
		expect(pages.map(isShortened)).toEqual([false, true]);
	});

	it('lines that ask nobody to act go before others', () => {
		const { text } = layOut(message(lines(300), lines(300, { isCalm: true })));
		const counts = text.split('\n\n').map((one) => one.match(/name-/g)?.length ?? 0);
		expect(counts).toEqual([0, expect.any(Number), 0]);
		expect(counts[1]).toBeGreaterThan(100);
		expect(text).toMatch(/Section 1: 300\n• … and 300 more$/);
	});

	it('a name may stand alone, and for what is not short enough', () => {
		expect(layOut(message([line(1, { text: undefined })])).html).toContain('<p><b>name-1</b></p>');
		const all = lines(100, { text: 'a note that makes the line longer', short: '' });
		expect(layOut(message(all)).text).toMatch(/(\n• name-\d+){100}$/);
	});

	it('even a text without any line keeps the counts', () => {
		const { text } = layOut({ ...message(lines(5)), notes: ['n'.repeat(3900)] });
		expect(text).toMatch(/Section 0: 5\n• … and 5 more$/);
	});

	it('counts people, where a line is of several', () => {
		const { text } = layOut(message([line(0, { people: 7 }), line(1)]));
		expect(text).toContain('Section 0: 8\n');
	});

	it('HTML has all names of 400 people in 95,000 bytes, and of more as many as fit', () => {
		const cells = Array.from({ length: 7 }, () => ({ label: 'Mon', value: '152/84', colour: 'high' as const }));
		const some = layOut(message(lines(200, { cells }), lines(400, { cells }))).html;
		expect(Buffer.byteLength(some)).toBeLessThanOrEqual(95_000);
		expect(namedIn(some).size).toBe(400);
		const many = layOut(message(lines(4000, { cells, name: 'ü'.repeat(60) })));
		expect(Buffer.byteLength(many.html)).toBeLessThanOrEqual(95_000);
		expect(many.html).toMatch(/… and [\d,]+ more<\/p>/);
		for (const made of [many.html, many.text]) expect(made).toContain('Shortened to fit here. ');
	});

	it('only the first fifty of a section have cells, and fewer where names would be lost', () => {
		const cells = [{ label: 'Mon', value: '152/84', colour: 'beyond' as const }];
		const tablesOf = (count: number) =>
			layOut(message(lines(count, { cells }))).html.match(/<table cellspacing/g)?.length ?? 0;
		expect(tablesOf(3)).toBe(3);
		expect(tablesOf(60)).toBe(50);
		expect(tablesOf(4000)).toBe(0);
	});

	it('cells are in rows of a week', () => {
		const cells = Array.from({ length: 9 }, (_, at) => ({
			label: String(at),
			value: '–',
			colour: 'no readings' as const,
		}));
		const { html } = layOut({ ...message([line(0, { cells })]), legend: 'Grey: none.' });
		expect(html.match(/<tr><td bgcolor="#eceff1">.*?<\/tr>/g)!.map((row) => row.match(/<td/g)!.length)).toEqual([7, 2]);
		expect(html).toContain('<p>Grey: none.</p>');
		expect(layOut({ ...message([line(0)]), legend: 'Grey: none.' }).html).not.toContain('Grey');
	});

	it('HTML has the underscore of a name, which is a format only in chats', () => {
		const { html, text } = layOut(message([line(0, { name: personName('a_b', ID) })]));
		expect(html).toContain('<b>a_b</b>');
		expect(text).toContain('a＿b');
	});

	it('tells whether a text has all lines in full', () => {
		expect([isWhole(message(lines(10))), isWhole(message(lines(100)))]).toEqual([true, false]);
	});
});

it('a subject is cut by whole counts', () => {
	expect(subjectOf('Title', ['1 high', '2 low'])).toBe('Title: 1 high, 2 low');
	expect(subjectOf('Title', ['a'.repeat(133), 'b'])).toBe(`Title: ${'a'.repeat(133)}`);
	expect(subjectOf('Title', ['1,000 high', 'a'.repeat(122)])).toBe('Title: 1,000 high');
	expect(subjectOf('Title', ['1,000 high', 'a'.repeat(121)])).toHaveLength(140);
	// What follows it, too: fewer people in range than without readings would say the opposite.
	expect(subjectOf('Title', ['1 high', 'a'.repeat(134), '2 low'])).toBe('Title: 1 high');
});
