/**
 * Redaction: what of the service's own words an error or a log may repeat. Only a short sentence of known words that repeats no
 * secret: all else may hold a key, an identifier or a reading. Well-known reasons get a text of ours instead.
 * Secrets are the key, the parts of the request, and the identifiers of its user. No four letters or digits in a row of a secret are
 * repeated, whatever stands between them; of a shorter one, not all of it as a word.
 */

const MAX_SENTENCE_LENGTH = 200;

/** ASCII on purpose: no bidirectional marks, and no letters that look like others. */
const PLAIN = /^[A-Za-z][A-Za-z ,.;:()/_-]*$/;

/** The words of reasons, none of which names a person. */
const KNOWN_WORDS = new Set(
	`a again all an and another any are as at be before been by can cannot could did do does for from had has have in is it later
	less may more most must no none not now of on one only or other out should such than that the there these this to too try was
	with without
	access account active allowed api authorized bad body character characters closed conflict consent credentials data database
	date dates day days denied detail differ disabled end enough error exceeded exist exists expired failed field fields forbidden
	format found future gateway given greater id ids input internal invalid key large later length limit limits long longer
	maintenance malformed many maximum method minimum missing month months number offset overloaded page parameter parameters past
	permission permissions permitted please provider query quota range rate reached read reading readings refused rejected request
	requested requests required resource scope server service short small start string supported team temporarily time timeout
	times token unable unauthorized unavailable unexpected unknown unsupported user users uuid valid validation value values
	version wait week weeks withdrawn wrong year years zone`.split(/\s+/),
);

/** Letters and digits in a row of a secret that are not repeated. */
const MAX_RUN = 4;

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
 */
export function redact(said: unknown, type: unknown, secrets: string[]): string | undefined {
	const sentence = plainSentence(said, secrets);
	if (sentence) return sentence;
	const texts = [type, said].filter((text): text is string => typeof text === 'string');
	return texts.flatMap((text) => KNOWN.find(([shape]) => shape.test(text))?.[1] ?? [])[0];
}

/** `said` where the rule above allows it, else undefined. */
export function plainSentence(said: unknown, secrets: string[]): string | undefined {
	if (typeof said !== 'string' || said.length > MAX_SENTENCE_LENGTH) return undefined;
	const sentence = said.trim().replace(/\.$/, '');
	const isPlain = PLAIN.test(sentence) && wordsOf(sentence).every((word) => KNOWN_WORDS.has(word));
	return isPlain && !repeatsSecret(sentence, secrets) ? sentence : undefined;
}

/** Whether `text` repeats a part of a secret, in upper or lower case. */
export function repeatsSecret(text: string, secrets: string[]): boolean {
	const words = wordsOf(text);
	const letters = words.join('');
	return secrets.some((secret) => {
		const own = wordsOf(secret).join('');
		if (own.length < MAX_RUN) return own !== '' && words.includes(own);
		return Array.from({ length: own.length - MAX_RUN + 1 }, (_, at) => own.slice(at, at + MAX_RUN)).some((run) =>
			letters.includes(run),
		);
	});
}

const wordsOf = (text: string) =>
	text
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter(Boolean);

/** Segments of the service's own paths (contract section 4). */
const PATH_WORDS = ['v2', 'user', 'resolve', 'timeseries', 'grouped'];

/** The secrets of a request: the key, segments of its path, and values of its query. */
export function partsOf(url: string, key: string): string[] {
	const { pathname, searchParams } = new URL(url);
	const segments = pathname.split('/').map(decoded);
	return [...segments.filter((segment) => !PATH_WORDS.includes(segment)), ...searchParams.values(), key];
}

function decoded(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}
