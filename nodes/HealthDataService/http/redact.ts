/**
 * Redaction: what of the service's own words an error or a log may repeat. Only a short sentence of plain words, without
 * digits, quotation marks, control characters and line breaks, and without any part of the request: all else may hold a key,
 * an identifier or a reading. Well-known reasons get a text of ours instead.
 */

const MAX_SENTENCE_LENGTH = 200;

/** Longer ones are keys or identifiers. */
const MAX_WORD_LENGTH = 20;

/** ASCII on purpose: no bidirectional marks, and no letters that look like others. */
const PLAIN = /^[A-Za-z][A-Za-z ,.;:()/_-]*$/;

/** Parts of the request that are shorter are not looked for. */
const MIN_PART_LENGTH = 3;

/** What validators say (quirk 17), by Pydantic's type or by the words of its message. */
const KNOWN: Array<[RegExp, string]> = [
	[/^missing$|\bfield required\b/i, 'it is missing'],
	[/^uuid_|\bvalid uuid\b/i, 'it is not a user ID'],
	[/^(date|time)|\bvalid (date|time)/i, 'it is not a date with a time'],
	[/^(greater|less)_than|\b(greater|less) than\b|\bmust be [<>]/i, 'it is too small or too large'],
	[/_too_(short|long)$|\bat (least|most) \d/i, 'it is too short or too long'],
	[/^(int|float|decimal)_|\bvalid (integer|number)\b/i, 'it is not a number'],
	[/^(enum|literal_error)$|\bpermitted:/i, 'it is not one of the values that are known'],
	[/^string_|\bvalid string\b/i, 'it is not a text'],
];

/**
 * `said` where it is a plain sentence, else a text of ours where its meaning is known, else undefined.
 *
 * @param type what a validator gives beside its message
 * @param sent the parts of the request
 */
export function redact(said: unknown, type: unknown, sent: string[]): string | undefined {
	const sentence = plainSentence(said, sent);
	if (sentence) return sentence;
	const texts = [type, said].filter((text): text is string => typeof text === 'string');
	return texts.flatMap((text) => KNOWN.find(([shape]) => shape.test(text))?.[1] ?? [])[0];
}

/** `said` where the rule above allows it, else undefined. @param sent the parts of the request */
export function plainSentence(said: unknown, sent: string[]): string | undefined {
	if (typeof said !== 'string' || said.length > MAX_SENTENCE_LENGTH) return undefined;
	const sentence = said.trim().replace(/\.$/, '');
	const isPlain = PLAIN.test(sentence) && sentence.split(' ').every((word) => word.length <= MAX_WORD_LENGTH);
	return isPlain && !repeatsAny(sentence, sent) ? sentence : undefined;
}

/** Whether `text` holds a part of the request, or a word of one, in upper or lower case. */
function repeatsAny(text: string, sent: string[]): boolean {
	const all = text.toLowerCase();
	const parts = sent.flatMap((value) => [
		value,
		...value.split(/[^\p{L}\p{N}]+/u).filter(({ length }) => length >= MIN_PART_LENGTH),
	]);
	return parts.some((part) => part.trim() !== '' && all.includes(part.trim().toLowerCase()));
}

/** The parts of a request: segments of its path, values of its query, and the key. */
export function partsOf(url: string, key: string): string[] {
	const { pathname, searchParams } = new URL(url);
	return [...pathname.split('/').map(decoded), ...searchParams.values(), key];
}

function decoded(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}
