/**
 * Fault matrix: quirks of the service (docs/quirks.md) × the operations they affect, with the expected results.
 */
import type { INodeParameters } from 'n8n-workflow';
import type { Fault, Switches } from '../../dev/sandbox/switches';
import { KEY, SPECIAL_ID, STEADY } from './people';
import { bloodPressureOf, byClientId, byUserId, everyNth, listUsers, resolve } from './requests';

export const OPERATIONS = {
	list: 'List',
	resolve: 'Resolve',
	one: 'One user',
	all: 'All users',
} as const;
export type Operation = keyof typeof OPERATIONS;
const EVERY = Object.keys(OPERATIONS) as Operation[];
const READINGS: Operation[] = ['one', 'all'];

/** The operations without any fault; what they give is what must come out under faults that can be survived. */
export const parametersOf = (operation: Operation): INodeParameters =>
	({
		list: listUsers({ returnAll: true }),
		resolve: resolve(SPECIAL_ID),
		one: bloodPressureOf(byUserId(STEADY.user_id)),
		all: bloodPressureOf('', { userScope: 'all' }),
	})[operation];

/** One way of it: how it is brought about, and what must come of it. */
export interface Case {
	name: string;
	operations: Operation[];
	switches?: Partial<Switches>;
	/** In place of the operation's own. */
	parameters?: INodeParameters;
	/** At the end of the Base URL. */
	ending?: string;
	/** `same` rows as without the fault, the same rows and `more` fields or items, or an error with this message. */
	gives: 'same' | 'more' | RegExp;
	/** What the error's description must say. */
	says?: RegExp;
}

export interface Row {
	quirk: number;
	what: string;
	promise: string;
	cases: Case[];
	/** Why the others cannot be hit. */
	elsewhere?: string;
}

const NO_PAGES = 'only readings come in cursor pages';
const NO_READINGS = 'only readings have it';

/** Answers the first `times` requests of every path with a fault. */
const first = (fault: Fault, times = 1): Partial<Switches> => {
	const counts = new Map<string, number>();
	return {
		fault: (_, url) => {
			const count = (counts.get(url) ?? 0) + 1;
			counts.set(url, count);
			return count <= times ? fault : undefined;
		},
	};
};
const always = (fault: Fault): Partial<Switches> => ({ fault: () => fault });

const passes = (name: string, fault: Fault): Case => ({
	name: `${name}, once per request`,
	operations: EVERY,
	switches: first(fault),
	gives: 'same',
});
const stays = (name: string, fault: Fault, gives: RegExp, says?: RegExp): Case => ({
	name: `${name}, for good`,
	operations: EVERY,
	switches: always(fault),
	gives,
	says,
});

const KEY_REFUSED = /^The service did not accept the API key/;
const TRIED = /^Tried 7 times in \d+ seconds\./;

/** No word of the service is repeated. */
const unquoted = (name: string, detail: unknown): Case =>
	stays(
		name,
		{ status: 422, body: { detail } },
		/^The service did not accept the request$/,
		/^Check the values of the fields in this node$/,
	);
/** Identifier that the service repeats in its error text. */
const UNKNOWN = 'somebody';

export const matrix: Row[] = [
	{
		quirk: 1,
		what: 'The last page is marked in another way, or only with the deprecated field',
		promise: 'every page is read, each once',
		elsewhere: NO_PAGES,
		cases: (['absent', 'empty', 'nextOnly'] as const).map((cursorStyle) => ({
			name: cursorStyle,
			operations: READINGS,
			switches: { cursorStyle },
			gives: 'same',
		})),
	},
	{
		quirk: 2,
		what: 'Empty pages between full ones',
		promise: 'the read continues',
		elsewhere: NO_PAGES,
		cases: [{ name: 'every second page', operations: READINGS, switches: { emptyPages: true }, gives: 'same' }],
	},
	{
		quirk: 3,
		what: 'A cursor that repeats',
		promise: 'an error, never an endless run or a part of the data',
		elsewhere: NO_PAGES,
		cases: [
			{ name: 'cursor repeats', operations: READINGS, switches: { repeatCursor: true }, gives: /same cursor twice/ },
		],
	},
	{
		quirk: 4,
		what: 'A provider in several groups, a group named after a lab',
		promise: 'every reading, each once',
		elsewhere: NO_READINGS,
		cases: [{ name: 'a group per reading', operations: READINGS, switches: { splitGroups: true }, gives: 'more' }],
	},
	{
		quirk: 5,
		what: 'Undocumented fields',
		promise: 'added after the columns; none replaces a column',
		cases: [{ name: 'on everything', operations: EVERY, switches: { extraFields: true }, gives: 'more' }],
	},
	{
		quirk: 6,
		what: 'Readings without a source, or a source without a type',
		promise: 'the provider comes from the group; the type stays empty',
		elsewhere: NO_READINGS,
		cases: [{ name: 'both', operations: READINGS, switches: { bareSources: true }, gives: 'more' }],
	},
	{
		quirk: 7,
		what: 'Odd units, numbers as text, nulls',
		promise: 'returned unchanged',
		elsewhere: NO_READINGS,
		cases: [{ name: 'all of them', operations: READINGS, switches: { oddValues: true }, gives: 'more' }],
	},
	{
		quirk: 8,
		what: 'Users with incomplete profiles',
		promise: 'no user is left out',
		elsewhere: 'no profile is read',
		cases: [
			{
				name: 'null and missing fields',
				operations: ['list', 'resolve'],
				switches: { bareUsers: true },
				gives: 'more',
			},
			{ name: 'null and missing fields', operations: ['all'], switches: { bareUsers: true }, gives: 'same' },
		],
	},
	{
		quirk: 9,
		what: 'Times in different notations',
		promise: 'returned as the service wrote them',
		elsewhere: NO_READINGS,
		cases: (['z', 'offset', 'noZone', 'endless'] as const).map((timestamps) => ({
			name: timestamps,
			operations: READINGS,
			switches: { timestamps },
			gives: 'more',
		})),
	},
	{
		quirk: 10,
		what: 'A plus sign in a time of the query',
		promise: 'encoded, so that the service does not read a blank',
		elsewhere: 'nothing of the kind is sent',
		// Not encoded, the sandbox would read a space and refuse the date.
		cases: [{ name: 'Asia/Kolkata', operations: READINGS, gives: 'same' }],
	},
	{
		quirk: 11,
		what: 'A reading that comes twice',
		promise: 'returned twice, as the service sent it; none is lost',
		elsewhere: NO_READINGS,
		cases: [{ name: 'pages overlap', operations: READINGS, switches: { overlap: true }, gives: 'more' }],
	},
	{
		quirk: 12,
		what: 'User lists with another start, short pages or a missing total',
		promise: 'every user, each once',
		elsewhere: 'no list is read',
		cases: [
			{ name: 'pages capped at one', operations: ['list', 'all'], switches: { userPageCap: 1 }, gives: 'same' },
			{ name: 'no total', operations: ['list', 'all'], switches: { userTotal: 'missing' }, gives: 'same' },
			{
				name: 'failing out of range, which is never asked',
				operations: ['list', 'all'],
				switches: { failsOutOfRange: true },
				gives: 'same',
			},
			{ name: 'another default offset', operations: ['list', 'all'], switches: { defaultOffset: 2 }, gives: 'same' },
		],
	},
	{
		quirk: 13,
		what: 'Redirects',
		promise: 'followed below the Base URL only; the key goes nowhere else',
		cases: [
			{ name: 'same origin', operations: EVERY, switches: { redirect: 'sameOrigin' }, gives: 'same' },
			{
				name: 'another origin',
				operations: EVERY,
				switches: { redirect: 'otherOrigin' },
				gives: /redirects to another address \(http:\/\/localhost:9\)/,
			},
			{ name: 'without end', operations: EVERY, switches: { redirect: 'forever' }, gives: /without arriving anywhere/ },
		],
	},
	{
		quirk: 14,
		what: 'A Base URL with a slash or `/v2` at its end',
		promise: 'ignored',
		cases: ['/', '/v2', '/v2/'].map((ending) => ({ name: ending, operations: EVERY, ending, gives: 'same' })),
	},
	{
		quirk: 15,
		what: 'Client user IDs with any characters',
		promise: 'encoded, so that the service gets them unchanged',
		elsewhere: 'none is sent',
		cases: [
			{ name: 'all of them', operations: ['resolve'], gives: 'same' },
			{ name: 'all of them', operations: ['one'], parameters: bloodPressureOf(byClientId(SPECIAL_ID)), gives: 'more' },
		],
	},
	{
		quirk: 16,
		what: 'A user that does not exist',
		promise: 'an error that names the field; in All Users, a user removed meanwhile is skipped',
		elsewhere: 'no user is named',
		cases: [
			{
				name: 'client user ID',
				operations: ['resolve'],
				parameters: resolve('unknown'),
				gives: /^There is no user with this 'Client User ID'$/,
			},
			{
				name: 'client user ID',
				operations: ['one'],
				parameters: bloodPressureOf(byClientId('unknown')),
				gives: /^There is no user with this 'Client User ID'$/,
			},
			{
				name: 'user ID',
				operations: ['one'],
				parameters: bloodPressureOf(byUserId('00000000-0000-4000-8000-000000000000')),
				gives: /^There is no such user/,
			},
			{
				name: 'removed meanwhile',
				operations: ['all'],
				switches: { users: { [STEADY.user_id]: 'removed' } },
				gives: 'more',
			},
		],
	},
	{
		quirk: 17,
		what: 'A rejected request, with any form of `detail`',
		promise: 'one sentence, with the field if the answer names it',
		cases: [
			stays(
				'a list',
				{ status: 422, body: { detail: [{ loc: ['query', 'start_date'], msg: 'bad', input: 'x' }] } },
				/^The service did not accept 'Start Date'$/,
				/^Check the value of 'Start Date'$/,
			),
			stays(
				'text',
				{ status: 422, body: { detail: 'invalid UUID length' } },
				/^The service did not accept the request$/,
				/^Check the values of the fields in this node$/,
			),
			stays(
				'an object',
				{ status: 422, body: { detail: { error_type: 'a', error_message: 'wrong' } } },
				/^The service did not accept the request$/,
				/^Check the values of the fields in this node$/,
			),
			stays('nothing', { status: 400 }, /^The service did not accept the request$/),
		],
	},
	{
		quirk: 18,
		what: 'A key that is not accepted',
		promise: 'an error that says to check key and Base URL together, after a handful of requests at most',
		cases: [401, 403].map((status) => stays(String(status), { status, body: '<html>' }, KEY_REFUSED, /together/)),
	},
	{
		quirk: 19,
		what: 'Too many requests, or the service is busy',
		promise: 'waits as long as `Retry-After` says, then retries; the final error says how long it took',
		cases: [
			passes('429 with seconds', { status: 429, headers: { 'retry-after': '2' } }),
			passes('503 with a date', { status: 503, headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' } }),
			passes('429 without', { status: 429, body: { detail: 'slow down' } }),
			stays('429', { status: 429 }, /too many requests/, TRIED),
			stays('503', { status: 503 }, /could not answer \(status 503\)/, TRIED),
		],
	},
	{
		quirk: 20,
		what: 'Failures, broken connections, late answers',
		promise: 'each page is retried; then an error',
		cases: [
			passes('500', { status: 500, body: '<html>Bad Gateway</html>' }),
			{
				name: '502, every third request',
				operations: EVERY,
				switches: { fault: everyNth(3, { status: 502 }) },
				gives: 'same',
			},
			stays('504', { status: 504, body: 'Internal Server Error' }, /could not answer \(status 504\)/, TRIED),
			passes('connection reset', { drop: 'beforeAnswer' }),
			passes('cut off inside the answer', { drop: 'insideBody' }),
			stays('connection reset', { drop: 'beforeAnswer' }, /could not be reached/, TRIED),
			stays('cut off inside the answer', { drop: 'insideBody' }, /could not be reached/, TRIED),
			{ name: 'late, once per request', operations: EVERY, switches: first({ delayMs: 20_000 }), gives: 'same' },
		],
	},
	{
		quirk: 21,
		what: 'Status 200 without the data: a web page, a list, other JSON',
		promise: 'an error, never an empty result',
		cases: [
			stays('web page', { status: 200, body: '<!doctype html>', type: 'text/html' }, /^A web page came back/),
			stays('list', { status: 200, body: [] }, /^The service's answer is not the data/),
			stays('something else', { status: 200, body: { ok: true } }, /^The service's answer has no '/),
			{
				name: 'NaN in complete JSON',
				operations: EVERY,
				switches: { hasNaN: true },
				gives: /^The service's answer is not valid JSON/,
				says: /^It may have NaN or Infinity in place of a number/,
			},
			{
				name: 'a part that was not requested (206)',
				operations: EVERY,
				switches: { isPartial: true },
				gives: /^The service sent a part of its answer only/,
			},
		],
	},
	{
		quirk: 24,
		what: 'User lists with a wrong total, that ignore `offset` or `limit`, or with users without an ID',
		promise: 'every user, each once, or an error; never a part of the list',
		elsewhere: 'no list is read',
		cases: [
			...(['zero', 'negative', 'page', 'tooSmall', 'growing', 'text'] as const).map(
				(userTotal): Case => ({
					name: `total: ${userTotal}`,
					operations: ['list', 'all'],
					switches: { userTotal, userPageCap: 2 },
					gives: 'same',
				}),
			),
			{ name: 'limit ignored', operations: ['list', 'all'], switches: { ignoresLimit: true }, gives: 'same' },
			{
				name: 'offset ignored',
				operations: ['list', 'all'],
				switches: { ignoresOffset: true },
				gives: /same page of its user list/,
				says: /'offset'/,
			},
			{
				name: 'no user_id',
				operations: ['list', 'all'],
				switches: { lacksUserId: 'null' },
				gives: /has no 'user_id'/,
			},
		],
	},
	{
		quirk: 25,
		what: '`Retry-After` of 0, rarer failures, answers that are cut off without a sign or never end',
		promise: 'never waits less than its own backoff; retries; allows five minutes for a complete answer',
		cases: [
			...[
				['Retry-After 0', '0'],
				['Retry-After in the past', 'Wed, 21 Oct 2015 07:28:00 GMT'],
			].map(([name, value]) =>
				stays(name, { status: 429, headers: { 'retry-after': value } }, /too many requests/, TRIED),
			),
			passes('520', { status: 520, body: '<html>Error</html>' }),
			stays('408', { status: 408 }, /could not answer \(status 408\)/, TRIED),
			passes('cut off between chunks', { drop: 'insideChunks' }),
			stays('cut off between chunks', { drop: 'insideChunks' }, /could not be reached/, TRIED),
			passes('cut off without a length', { drop: 'withoutLength' }),
			stays('cut off without a length', { drop: 'withoutLength' }, /^The answer of the service was cut off$/, TRIED),
			passes('byte by byte', { dripMs: 5000 }),
			stays('byte by byte', { dripMs: 5000 }, /could not be reached/, /^Tried 2 times in 600 seconds\./),
		],
	},
	{
		quirk: 26,
		what: 'A message with a key, an identifier, a reading or a forged log line',
		promise: 'not repeated: errors repeat no word of the service',
		cases: [
			unquoted('the key', `there is no team with the key ${KEY}`),
			unquoted('the key, in a list', [{ loc: ['header', 'x'], msg: `unknown key ${KEY.toUpperCase()}` }]),
			stays(
				'the key, in a failure',
				{ status: 500, body: { detail: { message: `unknown key ${KEY}` } } },
				/^The service could not answer \(status 500\)$/,
				/^Tried 7 times in \d+ seconds\. Try again later\./,
			),
			unquoted('a user ID', `user ${STEADY.user_id} is gone`),
			{
				...unquoted('the client user ID', `there is no ${UNKNOWN} in this team`),
				operations: ['resolve'],
				parameters: resolve(UNKNOWN),
			},
			{
				...unquoted('the client user ID', `there is no ${UNKNOWN} in this team`),
				operations: ['one'],
				parameters: bloodPressureOf(byClientId(UNKNOWN)),
			},
			unquoted('an e-mail address', 'anna@example.com has left'),
			unquoted('a reading', 'the last value is 151/93 mmHg'),
			unquoted('several lines', 'not allowed\n[ERROR] the key was stolen'),
			unquoted('marks that turn the writing', '\u202Enot allowed'),
			unquoted('no end', 'not allowed '.repeat(1000)),
		],
	},
];

/** Quirk 22, keys and readings in messages, is looked for in every case of the matrix that ends with an error. */
export const SECRETS_ROW = {
	quirk: 22,
	what: 'Keys or readings in an error',
	promise: 'never: the tests search every error of this table',
};
