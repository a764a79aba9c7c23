/**
 * Faults: quirks of the service (docs/quirks.md) on each kind of request that they affect, through n8n's engine and real HTTP. A
 * survived fault gives the rows that the operation gives without it; any other is one error, never a part of the data. Quirks that
 * change rows: quirks.test.ts.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Fault, Switches } from '../../dev/sandbox/switches';
import { runNode } from '../helpers/engine';
import { everythingIn } from '../helpers/machine';
import { KEY, people, SPECIAL_ID, STEADY } from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, everyNth, listUsers, resolve, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

// Pages of seven readings, so that every read has several.
const used = useSandbox(() => ({ world: people(), switches: { pageSize: 7 } }));
useVirtualTime();

const OPERATIONS = {
	list: listUsers({ returnAll: true }),
	resolve: resolve(SPECIAL_ID),
	one: bloodPressureOf(byUserId(STEADY.user_id)),
	all: bloodPressureOf('', { userScope: 'all' }),
};
type Operation = keyof typeof OPERATIONS;
const EVERY = Object.keys(OPERATIONS) as Operation[];
const READINGS: Operation[] = ['one', 'all'];
const LIST: Operation[] = ['list', 'all'];

const run = async (parameters: INodeParameters, ending = '') =>
	await runNode({
		credential: { ...used.credential, baseUrl: used.sandbox.baseUrl + ending },
		// Shorter than the answers that come late.
		parameters: { ...parameters, requestOptions: { timeout: 10_000 } },
		timezone: 'Asia/Kolkata',
	});

const right = {} as Record<Operation, IDataObject[]>;
beforeAll(async () => {
	for (const operation of EVERY) right[operation] = (await run(OPERATIONS[operation])).rows;
	expect(EVERY.map((operation) => right[operation].length)).toEqual([4, 1, 61, 61 + 3 + 8]);
});

type Switch = Partial<Switches>;
/** Quirk, what comes, where, and how the sandbox brings it about. */
type Survived = [number, string, Operation[], Switch];
/** And the message and description of the error. */
type Refused = [...Survived, RegExp, RegExp?];

const onEach = (cases: Array<Survived | Refused>) =>
	cases.flatMap(([quirk, name, operations, switches, message = /^$/, description = /./]) =>
		operations.map((operation) => ({ quirk, name, operation, switches, message, description })),
	);

/** Answers the first request of every path with a fault. */
const once = (fault: Fault): Switch => {
	const asked = new Set<string>();
	return { fault: (_, url) => (asked.size === asked.add(url).size ? undefined : fault) };
};
/** Once for the user list, and for the readings of each user. */
const passes = (quirk: number, name: string, fault: Fault): Survived => [quirk, `${name}, once`, ['all'], once(fault)];

const SAME: Survived[] = [
	...(['absent', 'empty', 'nextOnly'] as const).map(
		(cursorStyle): Survived => [1, `last page: ${cursorStyle}`, READINGS, { cursorStyle }],
	),
	[2, 'every second page is empty', READINGS, { emptyPages: true }],
	[8, 'null and missing fields of users', ['all'], { bareUsers: true }],
	// Not encoded, the sandbox would read a space and refuse the date.
	[10, 'a plus sign in a time of the query', READINGS, {}],
	[12, 'pages capped at one', LIST, { userPageCap: 1 }],
	[12, 'no total', LIST, { userTotal: 'missing' }],
	[12, 'failing out of range, which is never asked', LIST, { failsOutOfRange: true }],
	[12, 'another default offset', LIST, { defaultOffset: 2 }],
	[13, 'a redirect to the same origin', EVERY, { redirect: 'sameOrigin' }],
	[15, 'any character in a client user ID', ['resolve'], {}],
	passes(19, '429 with seconds', { status: 429, headers: { 'retry-after': '2' } }),
	passes(19, '503 with a date', { status: 503, headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' } }),
	passes(19, '429 without', { status: 429, body: { detail: 'slow down' } }),
	passes(20, '500', { status: 500, body: '<html>Bad Gateway</html>' }),
	[20, '502, every third request', ['all'], { fault: everyNth(3, { status: 502 }) }],
	passes(20, 'connection reset', { drop: 'beforeAnswer' }),
	passes(20, 'cut off inside the answer', { drop: 'insideBody' }),
	passes(20, 'late', { delayMs: 20_000 }),
	...(['zero', 'negative', 'page', 'tooSmall', 'growing', 'text'] as const).map(
		(userTotal): Survived => [24, `total: ${userTotal}`, LIST, { userTotal, userPageCap: 2 }],
	),
	[24, 'limit ignored', LIST, { ignoresLimit: true }],
	passes(25, '520', { status: 520, body: '<html>Error</html>' }),
	passes(25, 'cut off between chunks', { drop: 'insideChunks' }),
	passes(25, 'cut off without a length', { drop: 'withoutLength' }),
	passes(25, 'byte by byte', { dripMs: 5000 }),
];

it.each(onEach(SAME))('quirk $quirk, $operation gives the same rows: $name', async ({ operation, switches }) => {
	Object.assign(used.sandbox.switches, switches);
	const { rows, error } = await run(OPERATIONS[operation]);
	expect(error).toBeUndefined();
	expect(rows).toEqual(right[operation]);
});

const TRIED = /^Tried 7 times in \d+ s\./;
const BUSY = /too many requests/;
const REDIRECTED = /redirects instead of answering \(status 307\)/;
const UNREACHABLE = /could not be reached/;
const UNSAID = /^The service did not accept the request$/;
const CHECK_FIELDS = /^Check the values of the fields in this node\. If they are right, try again$/;
const status = (code: number) => new RegExp(`could not answer \\(status ${code}\\)`);
const stays = (quirk: number, name: string, fault: Fault, message: RegExp, description?: RegExp): Refused => [
	quirk,
	`${name}, each time`,
	['resolve'],
	{ fault: () => fault },
	message,
	description,
];
const detailed = (quirk: number, name: string, detail: unknown, message: RegExp, description: RegExp) =>
	stays(quirk, name, { status: 422, body: { detail } }, message, description);

const REFUSED: Refused[] = [
	[3, 'cursor repeats', READINGS, { repeatCursor: true }, /same cursor twice/],
	[13, 'another origin', EVERY, { redirect: 'otherOrigin' }, REDIRECTED],
	[13, 'redirects without end', EVERY, { redirect: 'forever' }, REDIRECTED],
	detailed(
		17,
		'a list',
		[{ loc: ['query', 'start_date'], msg: 'bad', input: 'x' }],
		/^The service did not accept 'Date Range'$/,
		/^Check 'Date Range'$/,
	),
	stays(17, 'nothing', { status: 400 }, UNSAID),
	stays(18, '401', { status: 401, body: '<html>' }, /^The service did not accept the API key/, /together/),
	stays(18, '403 as a page', { status: 403, body: '<html>' }, /^The service did not accept the API key/, /proxy/),
	stays(19, '429', { status: 429 }, BUSY, TRIED),
	stays(19, '503', { status: 503 }, status(503), TRIED),
	stays(20, 'connection reset', { drop: 'beforeAnswer' }, UNREACHABLE, TRIED),
	stays(20, 'cut off inside the answer', { drop: 'insideBody' }, UNREACHABLE, TRIED),
	stays(21, 'web page', { status: 200, body: '<!doctype html>', type: 'text/html' }, /^A web page came back/),
	stays(21, 'list', { status: 200, body: [] }, /^The service's answer is not the data/),
	stays(21, 'something else', { status: 200, body: { ok: true } }, /^The service's answer has no '/),
	[21, 'NaN in complete JSON', EVERY, { hasNaN: true }, /^The service's answer is not the data/],
	[21, 'a part (206)', EVERY, { isPartial: true }, /^The service sent a part of its answer only/],
	[
		24,
		'offset ignored',
		LIST,
		{ ignoresOffset: true },
		/^The user list of the service cannot be read to its end/,
		/'offset'/,
	],
	[24, 'no user_id', LIST, { lacksUserId: 'null' }, /has no 'user_id'/],
	stays(25, 'Retry-After 0', { status: 429, headers: { 'retry-after': '0' } }, BUSY, TRIED),
	stays(
		25,
		'Retry-After in the past',
		{ status: 429, headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' } },
		BUSY,
		TRIED,
	),
	stays(25, 'cut off between chunks', { drop: 'insideChunks' }, UNREACHABLE, TRIED),
	stays(25, 'cut off without a length', { drop: 'withoutLength' }, /^The answer of the service was cut off$/, TRIED),
	stays(25, 'byte by byte', { dripMs: 5000 }, UNREACHABLE, /^Tried 2 times in 600 s\./),
	detailed(26, 'the key', [{ loc: ['header', 'x'], msg: `unknown key ${KEY}` }], UNSAID, CHECK_FIELDS),
	stays(
		26,
		'the key, in a failure',
		{ status: 500, body: { detail: { message: `unknown key ${KEY}` } } },
		/^The service could not answer \(status 500\)$/,
		/^Tried 7 times in \d+ s\. Try again later\./,
	),
	detailed(26, 'a reading', 'the last value is 151/93 mmHg', UNSAID, CHECK_FIELDS),
];

/** Keys and readings are looked for in the whole execution: errors, their causes and contexts, hidden properties too (quirk 22). */
async function expectRefusal(parameters: INodeParameters, message: RegExp, description = /./) {
	const { rows, error, run: execution } = await run(parameters);
	expect(error?.message).toMatch(message);
	expect(error?.description).toMatch(description);
	expect(rows).toEqual([]);
	const all = everythingIn(execution);
	expect(all).not.toContain(KEY);
	expect(all).not.toMatch(/systolic|mmHg/);
}

it.each(onEach(REFUSED))(
	'quirk $quirk, $operation is an error: $name',
	async ({ operation, switches, message, description }) => {
		Object.assign(used.sandbox.switches, switches);
		await expectRefusal(OPERATIONS[operation], message, description);
	},
);

/** Identifier that the service repeats in its error text. */
const UNKNOWN = 'somebody';

describe.each([
	['resolve', resolve(UNKNOWN)],
	['one', bloodPressureOf(byClientId(UNKNOWN))],
])('an unknown client user ID, %s', (_, parameters) => {
	it('quirk 16: is an error that names the field', async () => {
		await expectRefusal(parameters, /^There is no user with this 'Client User ID'$/);
	});

	it('quirk 26: is not repeated', async () => {
		used.sandbox.switches.fault = () => ({ status: 422, body: { detail: `there is no ${UNKNOWN} in this team` } });
		await expectRefusal(parameters, UNSAID, CHECK_FIELDS);
	});
});

it('quirk 16: an unknown user ID is an error', async () => {
	await expectRefusal(bloodPressureOf(byUserId('00000000-0000-4000-8000-000000000000')), /^There is no such user/);
});
