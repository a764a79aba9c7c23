/**
 * Faults: quirks of the service (docs/quirks.md) through n8n's engine and real HTTP. A survived fault gives the rows that the
 * operation gives without it; any other is one error, never a part of the data, a key or a reading. What only changes a decision is
 * in test/unit: each status and retry, each total of the user list, each cursor.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { startSandbox } from '../../dev/sandbox/server';
import type { Fault, Switches } from '../../dev/sandbox/switches';
import { runNode, searchList, testCredential, type RunOptions } from '../helpers/engine';
import { everythingIn } from '../helpers/machine';
import { byTime, expectedRows, KEY, OTHER_KEY, people, readingsOf, SPECIAL_ID, STEADY } from '../helpers/people';
import { bloodPressureOf, byUserId, listUsers, resolve, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

// Pages of seven readings, so that every read has several.
const used = useSandbox(() => ({ world: people(), switches: { pageSize: 7 } }));
const time = useVirtualTime();

const OPERATIONS = {
	list: listUsers({ returnAll: true }),
	resolve: resolve(SPECIAL_ID),
	one: bloodPressureOf(byUserId(STEADY.user_id)),
	all: bloodPressureOf('', { userScope: 'all' }),
};
type Operation = keyof typeof OPERATIONS;
const EVERY = Object.keys(OPERATIONS) as Operation[];

const run = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) =>
	await runNode({
		credential: used.credential,
		// Shorter than the answers that come late.
		parameters: { requestOptions: { timeout: 10_000 }, ...parameters },
		timezone: 'Asia/Kolkata',
		...more,
	});

const right = {} as Record<Operation, IDataObject[]>;
beforeAll(async () => {
	for (const operation of EVERY) right[operation] = (await run(OPERATIONS[operation])).rows;
	expect(EVERY.map((operation) => right[operation].length)).toEqual([4, 1, 61, 61 + 3 + 8]);
});

type Switch = Partial<Switches>;

/** Answers the first request of every path with a fault. */
const once = (fault: Fault): Switch => {
	const asked = new Set<string>();
	return { fault: (_, url) => (asked.size === asked.add(url).size ? undefined : fault) };
};

it.each<[quirk: number, name: string, operation: Operation, switches: Switch]>([
	[1, 'next without next_cursor', 'one', { cursorStyle: 'nextOnly' }],
	[2, 'every second page is empty', 'one', { emptyPages: true }],
	[8, 'null and missing fields of users', 'all', { bareUsers: true }],
	[12, 'pages capped at one', 'all', { userPageCap: 1 }],
	[12, 'failing out of range, which is never asked', 'list', { failsOutOfRange: true }],
	[12, 'another default offset', 'list', { defaultOffset: 2 }],
	[13, 'a redirect to the same origin', 'list', { redirect: 'sameOrigin' }],
	[13, 'a redirect to the same origin', 'one', { redirect: 'sameOrigin' }],
	[19, '429 with seconds, once', 'all', once({ status: 429, headers: { 'retry-after': '2' } })],
	[20, 'connection reset, once', 'all', once({ drop: 'beforeAnswer' })],
	[20, 'cut off inside the answer, once', 'all', once({ drop: 'insideBody' })],
	[20, 'late, once', 'all', once({ delayMs: 20_000 })],
	[24, 'total grows', 'list', { userTotal: 'growing', userPageCap: 2 }],
	[24, 'limit ignored', 'list', { ignoresLimit: true }],
	[25, 'cut off between chunks, once', 'all', once({ drop: 'insideChunks' })],
	[25, 'cut off without a length, once', 'all', once({ drop: 'withoutLength' })],
	[25, 'byte by byte, once', 'all', once({ dripMs: 5000 })],
])('quirk %i, %s: %s gives the same rows', async (...[, , operation, switches]) => {
	Object.assign(used.sandbox.switches, switches);
	const { rows, error } = await run(OPERATIONS[operation]);
	expect(error).toBeUndefined();
	expect(rows).toEqual(right[operation]);
});

const TRIED = /^Tried 7 times in \d+ s\./;
const UNREACHABLE = /^The service could not be reached$/;
const UNSAID = /^The service did not accept the request$/;
const CHECK_FIELDS = /^Check the values of the fields in this node\. If they are right, try again$/;
const always = (fault: Fault): Switch => ({ fault: () => fault });
const detailed = (detail: unknown) => always({ status: 422, body: { detail } });
const UNKNOWN = 'somebody';

type Refused = [quirk: number, name: string, operation: Operation, switches: Switch, message: RegExp, advice?: RegExp];
it.each<Refused>([
	[13, 'redirects without end', 'one', { redirect: 'forever' }, /redirects instead of answering \(status 307\)/],
	[
		17,
		'a rejected parameter',
		'one',
		detailed([{ loc: ['query', 'start_date'], msg: 'bad', input: 'x' }]),
		/^The service did not accept 'Date Range'$/,
		/^Check 'Date Range'$/,
	],
	[20, 'connection reset', 'resolve', always({ drop: 'beforeAnswer' }), UNREACHABLE, TRIED],
	[20, 'cut off inside the answer', 'resolve', always({ drop: 'insideBody' }), UNREACHABLE, TRIED],
	[21, 'web page', 'list', always({ status: 200, body: '<html>', type: 'text/html' }), /^A web page came back/],
	[21, 'NaN in complete JSON', 'one', { hasNaN: true }, /^The service's answer is not the data/],
	[21, 'a part (206)', 'all', { isPartial: true }, /^The service sent a part of its answer only/],
	[24, 'offset ignored', 'list', { ignoresOffset: true }, /list of the service cannot be read to its end/, /'offset'/],
	[24, 'no user_id', 'all', { lacksUserId: 'null' }, /has no 'user_id'/],
	[25, 'cut off between chunks', 'resolve', always({ drop: 'insideChunks' }), UNREACHABLE, TRIED],
	[25, 'cut off without a length', 'resolve', always({ drop: 'withoutLength' }), /answer .* was cut off$/, TRIED],
	[25, 'byte by byte', 'resolve', always({ dripMs: 5000 }), UNREACHABLE, /^Tried 2 times in 600 s\./],
	[26, 'the key', 'resolve', detailed([{ loc: ['header', 'x'], msg: `unknown key ${KEY}` }]), UNSAID, CHECK_FIELDS],
	[
		26,
		'the key, in a failure',
		'resolve',
		always({ status: 500, body: { detail: { message: `unknown key ${KEY}` } } }),
		/^The service could not answer \(status 500\)$/,
		TRIED,
	],
	[26, 'a reading', 'resolve', detailed('the last value is 151/93 mmHg'), UNSAID, CHECK_FIELDS],
])('quirk %i, %s: %s is an error', async (...[, , operation, switches, message, advice = /./]) => {
	Object.assign(used.sandbox.switches, switches);
	await expectRefusal(OPERATIONS[operation], message, advice);
});

/** Keys and readings are looked for in the whole execution: errors, their causes and contexts, hidden properties too (quirk 22). */
async function expectRefusal(parameters: INodeParameters, message: RegExp, advice: RegExp) {
	const { rows, error, run: execution } = await run(parameters);
	expect(error?.message).toMatch(message);
	expect(error?.description).toMatch(advice);
	expect(rows).toEqual([]);
	const all = everythingIn(execution);
	expect(all).not.toContain(KEY);
	expect(all).not.toMatch(/systolic|mmHg|151\/93/);
}

it('quirk 16: an unknown client user ID is an error that names the field', async () => {
	await expectRefusal(resolve(UNKNOWN), /^There is no user with this 'Client User ID'$/, /./);
});

it('quirk 26: an identifier that the service repeats is not repeated', async () => {
	Object.assign(used.sandbox.switches, detailed(`there is no ${UNKNOWN} in this team`));
	await expectRefusal(resolve(UNKNOWN), UNSAID, CHECK_FIELDS);
});

describe('a quirk that changes rows', () => {
	const expected = byTime(expectedRows(STEADY, readingsOf(people(), STEADY)));
	const read = async (switches: Switch, more: INodeParameters = {}) => {
		Object.assign(used.sandbox.switches, switches);
		return await runNode({ credential: used.credential, parameters: { ...OPERATIONS.one, ...more } });
	};

	it('4: several groups of one provider give every reading, with the provider its source names', async () => {
		const { rows } = await read({ splitGroups: true });
		expect(byTime(rows)).toMatchObject(expected);
		expect(new Set(rows.map(({ provider_raw }) => provider_raw))).toEqual(new Set(['acme_lab', undefined]));
	});

	it('4: and are joined again in one item per user', async () => {
		const { rows } = await read({ splitGroups: true }, { output: 'grouped' });
		const groups = rows[0].groups as Record<string, Array<{ data: object[]; source: object }>>;
		const all = Object.values(groups).flat();
		expect(all.flatMap(({ data }) => data)).toHaveLength(61);
		const sources = Object.entries(groups).flatMap(([slug, list]) =>
			list.map(({ source }) => slug + JSON.stringify(source)),
		);
		expect(new Set(sources).size).toBe(sources.length);
	});

	it('5: extra fields are kept, and never in place of a column', async () => {
		const { rows } = await read({ extraFields: true });
		expect(rows).toHaveLength(61);
		expect(rows[0]).toEqual({
			...expectedRows(STEADY, readingsOf(people(), STEADY))[0],
			id: 0,
			type: 'sample',
			timezone_offset: 3600,
			user_id_raw: 'theirs',
			source_app_id: 'app.example',
			source_device_id: null,
			source_name: 'OMRON',
			source_logo: 'https://logos.example/x.svg',
		});
		expect(Object.keys(rows[0]).slice(0, 10).join(' ')).toBe(
			'client_user_id local_time systolic diastolic unit provider source_type timestamp user_id row_id',
		);
	});

	it('6: a missing source takes the provider from the group, its type stays null', async () => {
		const { rows } = await read({ bareSources: true });
		// The type is part of what makes a reading the same one.
		expect(byTime(rows.map((row) => ({ ...row, row_id: 'another', source_type: null })))).toEqual(
			byTime(expected.map((row) => ({ ...row, row_id: 'another', source_type: null }))),
		);
		expect(new Set(rows.map(({ row_id }) => row_id)).size).toBe(61);
		expect(rows.every(({ source_type }) => source_type === null)).toBe(true);
	});

	it('7: units and nulls pass through, and numbers as text are numbers', async () => {
		const { rows } = await read({ oddValues: true });
		expect(byTime(rows)).toEqual(expected.map((row) => ({ ...row, unit: 'mm[Hg]', diastolic: null })));
	});

	it.each(['z', 'offset', 'noZone'] as const)(
		'9: times written with "%s" stay the text they are',
		async (timestamps) => {
			const { rows } = await read({ timestamps });
			expect(rows).toHaveLength(61);
			const endings = { z: /\d\dZ$/, offset: /:\d\d\+00:00$/, noZone: /\.\d{6}$/ };
			for (const { timestamp } of rows) expect(timestamp).toMatch(endings[timestamps]);
			expect(byTime(rows).map(({ row_id }) => row_id)).toEqual(expected.map(({ row_id }) => row_id));
		},
	);

	it('11: the node returns repeated readings; the trigger emits each once', async () => {
		const { rows } = await read({ overlap: true });
		expect(rows).toHaveLength(61 + 8);
		expect(new Set(rows.map(({ row_id }) => row_id)).size).toBe(61);
	});
});

it('quirk 13: sends nothing to any other address', async () => {
	const elsewhere = await startSandbox({ world: people() });
	Object.assign(used.sandbox.switches, { redirect: 'otherOrigin', otherOrigin: elsewhere.baseUrl });
	for (const parameters of [listUsers(), resolve('steady'), bloodPressureOf(byUserId(STEADY.user_id))]) {
		const { error } = await runNode({ credential: used.credential, parameters });
		expect(error?.message).toBe('The service redirects instead of answering (status 307)');
	}
	await searchList(used.credential, 'searchUsers').catch(() => undefined);
	await testCredential(used.credential);
	// The user list is asked once a run whether this concerns all.
	expect(used.sandbox.requests).toHaveLength(9);
	expect(elsewhere.requests).toEqual([]);
	await elsewhere.close();
});

describe('the message of', () => {
	it('a wrong key is an error after one request', async () => {
		const { error } = await run(OPERATIONS.one, { credential: { ...used.credential, apiKey: 'wrong-key-of-mine' } });
		expect(error).toMatchObject({ message: 'The service did not accept the API key (status 401)', httpCode: '401' });
		expect(error?.description).toContain("Check 'API Key' and 'Base URL' in the credential together");
		expect(everythingIn(error)).not.toContain('wrong-key-of-mine');
		expect(used.sandbox.requests).toHaveLength(1);
	});

	it('a user of another team is unknown, and the error names the key', async () => {
		const { error } = await run(OPERATIONS.one, { credential: { ...used.credential, apiKey: OTHER_KEY } });
		expect(error?.message).toBe("There is no such user: the service does not know the 'User'");
		expect(error?.description).toContain('key belongs to the team of this user');
	});

	it('a service that does not listen is named', async () => {
		const { error } = await run(listUsers(), { credential: { baseUrl: 'http://127.0.0.1:9', apiKey: 'key-of-mine' } });
		expect(error?.message).toBe('The service could not be reached');
		expect(error?.description).toBe(
			"Tried 7 times in 0 s. Nothing answers at 127.0.0.1:9. Check 'Base URL' in the credential",
		);
		expect(everythingIn(error)).not.toContain('key-of-mine');
	});
});

it('an answer that drips ends at once when the execution is cancelled, and is no timeout', async () => {
	Object.assign(used.sandbox.switches, always({ dripMs: 2000 }));
	let cancelledAt = 0;
	const cancelWhen = (async () => {
		while (used.sandbox.requests.length === 0) await time.pass(5);
		await time.pass(6000);
		cancelledAt = time.now;
	})();
	const { run: execution } = await run(listUsers({ limit: 4 }), { cancelWhen });
	expect(time.now).toBe(cancelledAt);
	expect(everythingIn(execution)).not.toContain('did not answer in time');
	expect(used.sandbox.requests).toHaveLength(1);
});

it('Timeout of the Request Options is kept', async () => {
	Object.assign(used.sandbox.switches, always({ delayMs: 2000 }));
	const begun = time.now;
	const { error } = await run({ ...listUsers({ limit: 4 }), requestOptions: { timeout: 100 } });
	// Two attempts, and not the two seconds of the answer.
	expect(time.now - begun).toBeLessThan(2000);
	expect(error?.description).toMatch(
		/did not answer in time\. Try again later, or raise 'Timeout' if the request options have it$/,
	);
});
