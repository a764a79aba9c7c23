/**
 * Redaction of the service's own words (quirks 22, 26), in the error of every status.
 */
import { statusError } from '../../nodes/HealthDataService/http/errors';
import { plainSentence, partsOf, redact, repeatsSecret } from '../../nodes/HealthDataService/http/redact';
import { fc } from '../helpers/properties';

const KEY = 'sk-Live_Secret-Key';
const ID = 'anna.smith';
const UUID = '3f2b8c1e-0d4a-4c6b-9e7f-1a2b3c4d5e6f';
const url = `https://api.example/v2/timeseries/${UUID}/blood_pressure/grouped?provider=omron&start_date=2026-03-01&next_cursor=ZmFvYmFy`;
const sent = [...partsOf(url, KEY), ID];
const STATUSES = [400, 403, 404, 409, 418, 422, 429, 500, 503];

/** All text of the error. */
const messageOf = (status: number, body: unknown) => {
	const { message, description } = statusError(status, body, sent);
	return `${message}\n${description}`;
};

describe('plain words are repeated', () => {
	it.each([
		'invalid UUID length',
		'not a date',
		'unknown.',
		'The range is too long (weeks, please)',
		'  There is no such range. Try another one. ',
		'start/end must differ',
	])('%s', (said) => {
		expect(messageOf(422, { detail: said })).toContain(`The service says: ${said.trim().replace(/\.$/, '')}. `);
	});
});

describe('nothing else is', () => {
	const space = (text: string) => `Something about ${text} is wrong`;
	it.each([
		['a digit', 'limit of 180 exceeded'],
		['quotation marks', 'unknown "word" here'],
		['an apostrophe', "don't"],
		['a line break', 'wrong\nERROR forged line of a log'],
		['a carriage return', 'wrong\rforged'],
		['a tab', 'wrong\tforged'],
		['a control character', 'wrong\u0007'],
		['a bidi mark', 'wrong \u202e gnorw'],
		['a zero-width mark', 'wro\u200bng'],
		['another script', 'wrоng with a Cyrillic letter'],
		['an e-mail address', space('anna@example.com')],
		['markup', 'wrong <b>bold</b>'],
		['a braced expression', 'wrong {{ $json }}'],
		['a word that is not known', space('anything')],
		['the key', space(KEY)],
		['a part of the key', space('live')],
		['the provider', space('Omron')],
		['a name of the request', space('Anna')],
		['the cursor', space('ZmFvYmFy')],
		['the path', space('grouped')],
	])('%s', (_, said) => {
		expect(plainSentence(said, sent)).toBeUndefined();
		expect(messageOf(422, { detail: said })).not.toContain('The service says');
	});

	it('but for parts of a secret that are too short to tell anything', () => {
		expect(plainSentence('it is of no value', ['it', 'xof', 'no-', ' ', '', 'of-xno'])).toBeUndefined();
		expect(plainSentence('it is of no value', ['isx', 'xof', 'xx-no', 'val', ' ', ''])).toBe('it is of no value');
		expect(plainSentence('it is of no value', ['xx-valu'])).toBeUndefined();
		expect(plainSentence('it is of no value', [' NO '])).toBeUndefined();
	});

	it.each([
		'Consent of first.last was withdrawn',
		'Consent of first was withdrawn',
		'Consent of Last, First was withdrawn',
	])('a name: %s', (said) => {
		expect(plainSentence(said, ['first.last'])).toBeUndefined();
		expect(plainSentence(said, [])).toBeUndefined();
		expect(plainSentence('Consent was withdrawn', ['first.last'])).toBe('Consent was withdrawn');
	});

	it.each(['date.of.user', 'User-Date', 'the_users', 'no date'])('an identifier of known words: %s', (id) => {
		expect(plainSentence('invalid', [id])).toBe('invalid');
		expect(plainSentence('no date of the users', [id])).toBeUndefined();
	});

	const LETTERS = 'QwErTyUiOpAsDfGhJkLz42';
	it.each([LETTERS.slice(0, 20), LETTERS.slice(2), 'QwEr...JkLz', 'Q-w-E-r', 'q w e r', 'JKLZ'])(
		'a part of the key: %s',
		(part) => expect(plainSentence(`The token ${part} is invalid`, [LETTERS])).toBeUndefined(),
	);

	it('never four letters in a row of the key, with any characters between them', () => {
		const ofWords = fc.array(fc.constantFrom('not', 'a', 'valid', 'token', 'api', 'access', 'User', 'of'), {
			minLength: 1,
		});
		const sign = fc.constantFrom(' ', '-', '_', '/', ', ');
		const key = fc.array(fc.constantFrom('n', 'o', 't', 'a', 'v', 'al', 'id', 'to', 'ken', 'API', '-', '7'), {
			minLength: 4,
		});
		fc.assert(
			fc.property(ofWords, sign, key, (words, between, parts) => {
				const secret = parts.join('');
				const quoted = (plainSentence(words.join(between), [secret]) ?? '').toLowerCase().replace(/[^a-z]/g, '');
				const own = secret.toLowerCase().replace(/[^a-z0-9]/g, '');
				for (let at = 0; at + 4 <= own.length; at++) expect(quoted).not.toContain(own.slice(at, at + 4));
			}),
		);
	});

	it('and of an address that cannot be decoded, none of its parts', () => {
		expect(plainSentence('the value', partsOf('https://api.example/%E0%A4%A/%value', 'key'))).toBeUndefined();
	});

	it("words of the service's paths are no secrets", () => {
		expect(plainSentence('User not found', partsOf('https://api.example/v2/user/resolve/x', 'key'))).toBe(
			'User not found',
		);
	});

	it('200 characters are, 201 are not', () => {
		const words = (length: number) => 'an '.repeat(70).slice(0, length);
		expect(plainSentence(words(200), [])).toHaveLength(200);
		expect(plainSentence(words(201), [])).toBeUndefined();
	});
});

/** Secrets of every kind, among words and signs. */
const secret = fc.oneof(
	fc.constantFrom(KEY, ID, UUID, 'omron', 'ZmFvYmFy'),
	fc.uuid(),
	fc.emailAddress(),
	fc.integer({ min: 40, max: 250 }).map((value) => `${value} mmHg`),
	fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }).filter((text) => !/^[A-Za-z ,.;:()/_-]*$/.test(text)),
	fc.constantFrom('\n', '\r\n', '\u0000', '\u001b[2J', '\u202e', '\u2066', '\u2028', '"', "'", '`', '\u201c'),
	fc.constant('0123456789abcdef'.repeat(640)),
);
const words = fc.constantFrom(
	'The value',
	'invalid',
	'field required',
	'is not',
	' ',
	'',
	'Input should be a valid UUID, got',
	'valid datetime',
);
const said = fc.tuple(words, secret, words).map((parts) => parts.join(' '));
const body = fc.oneof(
	said.map((detail) => ({ detail })),
	said.map((detail) => ({ detail: [detail] })),
	fc
		.record({
			msg: said,
			type: fc.oneof(said, fc.constantFrom('missing', 'uuid_parsing', 'int_type')),
			loc: fc.array(said),
			input: said,
		})
		.map((one) => ({ detail: [one] })),
	said.map((error_message) => ({ detail: { error_type: 'X', error_message } })),
	said.map((message) => ({ detail: { message } })),
	said.map((loc) => ({ detail: [{ loc: ['query', loc], msg: 5 }] })),
	said,
);

it('never a key, an identifier, a reading or a character that could forge a line, in any shape', () => {
	fc.assert(
		fc.property(fc.constantFrom(...STATUSES), body, (status, answer) => {
			const text = messageOf(status, answer);
			for (const one of [KEY, ID, UUID, 'omron', 'ZmFvYmFy'])
				expect(text.toLowerCase()).not.toContain(one.toLowerCase());
			// What we say ourselves has apostrophes around names, the status, and one line break in this test.
			const theirs = /The service says: ([^]*?)\. (?=[A-Z])/.exec(text)?.[1] ?? '';
			expect(theirs).toMatch(/^[A-Za-z ,.;:()/_-]{0,200}$/);
			expect(text.length).toBeLessThan(500);
			expect(text.split('\n')).toHaveLength(2);
			expect(text.replace('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}@"]/u);
			expect(text.replaceAll(`status ${status}`, '')).not.toMatch(/\d/);
		}),
	);
});

describe('known error formats are reported in our words', () => {
	it.each([
		[{ type: 'missing', msg: 'Field "a1" required' }, 'it is missing'],
		[
			{ type: 'uuid_parsing', msg: 'Input should be a valid UUID, invalid character: found `z` at 1' },
			'it is not a user ID',
		],
		[{ type: 'datetime_from_date_parsing', msg: 'got 2026-13-01' }, 'it is not a date with a time'],
		[{ type: 'less_than_equal', msg: 'Input should be less than or equal to 500' }, 'it is too small or too large'],
		[{ msg: 'Input should be greater than or equal to 0' }, 'it is too small or too large'],
		[{ type: 'string_too_short', msg: 'String should have at least 1 character' }, 'it is too short or too long'],
		[{ type: 'int_parsing', msg: "unable to parse '5x'" }, 'it is not a number'],
		[{ type: 'enum', msg: "Input should be 'a' or 'b'" }, 'it is not one of the values that are known'],
		[{ type: 'string_type', msg: 'Input should be 1' }, 'it is not a text'],
	])('%p', (detail, said) => {
		expect(messageOf(422, { detail: [{ loc: ['query', 'start_date'], ...detail }] })).toBe(
			`The service did not accept 'Start Date'\nThe service says: ${said}. Check the value of 'Start Date'`,
		);
	});
});

it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'secret'])(
	'a parameter called %s names no field',
	(name) => {
		expect(messageOf(422, { detail: [{ loc: ['query', name], msg: 'bad' }] })).toMatch(
			/^The service did not accept the request\n/,
		);
	},
);

it('a secret of four letters is found inside a word, a shorter one as a word', () => {
	expect(['pilot', 'the lot'].map((text) => repeatsSecret(text, ['lot']))).toEqual([false, true]);
	expect(['ballots', 'the lots'].map((text) => repeatsSecret(text, ['lots']))).toEqual([true, true]);
});

it('only texts are understood', () => {
	expect(redact(7, 'missing', [])).toBe('it is missing');
	expect(redact(['missing'], ['missing'], [])).toBeUndefined();
});
