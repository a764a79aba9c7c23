/**
 * What of the service's own words may be repeated in an error or a log: a short sentence of plain words, without digits,
 * quotation marks, control characters or line breaks, that holds nothing of the request. All else may hold a key, an
 * identifier or a reading. What is not repeated but well known is said in our words.
 */

const LONGEST_QUOTE = 200;

/** Longer ones are no words: keys, identifiers. */
const LONGEST_WORD = 20;

/** ASCII on purpose: no marks that turn the direction of writing, no letters that look like others. */
const PLAIN = /^[A-Za-z][A-Za-z ,.;:()/_-]*$/;

/** Parts of what was sent, of this length and more, are looked for too. */
const SHORTEST_PART = 3;

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

/** The words in which `said` (and the `type` that a validator gives to it) can be told; undefined for none. */
export function inWords(said: unknown, type: unknown, sent: string[]): string | undefined {
	const sentence = quotable(said, sent);
	if (sentence) return sentence;
	const told = [type, said].filter((text): text is string => typeof text === 'string');
	return told.flatMap((text) => KNOWN.find(([shape]) => shape.test(text))?.[1] ?? [])[0];
}

/** `said` where the rule above allows it. `sent` is everything that the request was made of. */
export function quotable(said: unknown, sent: string[]): string | undefined {
	if (typeof said !== 'string' || said.length > LONGEST_QUOTE) return undefined;
	const sentence = said.trim().replace(/\.$/, '');
	const isPlain = PLAIN.test(sentence) && sentence.split(' ').every((word) => word.length <= LONGEST_WORD);
	return isPlain && !holdsAnyOf(sentence, sent) ? sentence : undefined;
}

/** Whether `text` repeats something that was sent, or a part of it, in upper or lower case. */
export function holdsAnyOf(text: string, sent: string[]): boolean {
	const all = text.toLowerCase();
	const parts = sent.flatMap((value) => [
		value,
		...value.split(/[^\p{L}\p{N}]+/u).filter(({ length }) => length >= SHORTEST_PART),
	]);
	return parts.some((part) => part.trim() !== '' && all.includes(part.trim().toLowerCase()));
}

/** Everything that a request was made of: the parts of its path, the values of its query, and the key. */
export function sentWith(url: string, key: string): string[] {
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
