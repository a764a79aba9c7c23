/** `npm run sandbox -- --compare`: sections and quirks that a service shows, with the sandbox as that service. */
import { compare } from '../../dev/sandbox/compare';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { defaultSwitches, type Fault, type Switches } from '../../dev/sandbox/switches';
import { createWorld } from '../../dev/sandbox/world';

const world = createWorld([{ key: 'a-key', users: 6 }]);
const [, user] = world.teams[0].users;
let sandbox: Sandbox;
beforeAll(async () => void (sandbox = await startSandbox({ world, checksItself: false })));
afterEach(() => void Object.assign(sandbox.switches, defaultSwitches()));
afterAll(async () => await sandbox.close());

const findings = async (switches: Partial<Switches> = {}) => {
	Object.assign(sandbox.switches, switches);
	const found = await compare(sandbox.baseUrl, 'a-key', Date.UTC(2026, 2, 20));
	return Object.fromEntries(found.map(({ of, signs }) => [of, signs]));
};
/** The eighth request and those after it, up to the number of answers. */
function answering(...answers: Fault[]): Partial<Switches> {
	let count = 0;
	return { fault: () => answers[count++ - 8] };
}

it('the sandbox keeps the contract, and shows few quirks by itself', async () => {
	const found = Object.entries(await findings()).filter(([, signs]) => signs?.length !== 0);
	expect(Object.fromEntries(found)).toEqual({
		'quirk 9': ['offset, 6 digits of a second'],
		'quirk 10': ['refuses +'],
		'quirk 16': ['status 404', 'detail is string'],
		'quirk 17': ['status 422', 'detail is a list'],
		'quirk 18': ['status 401', 'detail is string'],
		'quirk 26': ['repeats a value that it was given'],
	});
});

it.each<[Partial<Switches>, Record<string, unknown>]>([
	[
		{ cursorStyle: 'absent', splitGroups: true, timestamps: 'noZone', defaultOffset: 2, ignoresLimit: true },
		{
			'contract 2.1': ['next_cursor'],
			'contract 2.3': ['timestamp'],
			'quirk 1': ['no next_cursor'],
			'quirk 4': ['key that is no provider', 'two groups of one source'],
			'quirk 9': ['no zone, 6 digits of a second'],
			'quirk 12': ['starts elsewhere without offset'],
			'quirk 24': ['ignores limit'],
		},
	],
	[
		{ cursorStyle: 'empty', bareSources: true, oddValues: true, failsOutOfRange: true, userTotal: 'missing' },
		{
			'contract 2.3': ['diastolic', 'systolic'],
			'contract 2.5': ['total'],
			'quirk 1': ['next_cursor is empty'],
			'quirk 6': ['provider', 'type'],
			'quirk 7': ['another unit than mmHg and min', 'a value as text', 'a value is null'],
			'quirk 12': ['fails on numbers out of range', 'no total'],
		},
	],
	[
		{ cursorStyle: 'nextOnly', emptyPages: true, pageSize: 9, userTotal: 'text', lacksUserId: 'null' },
		{
			'contract 2.4': ['user_id'],
			'quirk 1': ['next only', 'no next_cursor'],
			'quirk 2': ['empty page with a cursor'],
			'quirk 24': ['total is no count of the users', 'users without user_id'],
		},
	],
	[
		{ repeatCursor: true, pageSize: 9, overlap: true, bareUsers: true, failsAtEnd: 404, notFound: 'webPage' },
		{
			'quirk 3': ['same cursor again'],
			'quirk 8': expect.arrayContaining(['connected_sources', 'fallback_time_zone']),
			'quirk 11': ['same reading again'],
			'quirk 12': ['refuses a page after the end'],
			'quirk 16': ['status 404', 'no detail'],
		},
	],
	[
		{
			ignoresOffset: true,
			extraFields: true,
			userPageCap: 3,
			redirect: 'sameOrigin',
			users: { [user.user_id]: 'fails' },
		},
		{
			'quirk 5': expect.arrayContaining(['type', 'source.app_id', 'user.user_key', 'connected_sources.provider']),
			'quirk 12': ['caps pages'],
			'quirk 13': ['redirects'],
			'quirk 20': ['500'],
			'quirk 23': ['readings of some users fail'],
			'quirk 24': ['ignores offset'],
		},
	],
	[
		answering(
			{ status: 429, headers: { 'retry-after': '0' } },
			{ drop: 'insideBody' },
			{ status: 200, body: '{"groups": {}, "quality": NaN}' },
			{ status: 524, body: 'the key is a-key' },
			{ status: 206, body: { groups: {} } },
		),
		{
			'quirk 19': ['429', 'Retry-After'],
			'quirk 20': ['no complete answer'],
			'quirk 21': ['206', 'status 200 without a JSON object'],
			'quirk 22': ['repeats the key'],
			'quirk 25': ['524', 'Retry-After of 0 or in the past'],
		},
	],
])('with %j', async (switches, expected) => {
	expect(await findings(switches)).toMatchObject(expected);
});

it('finds no values', async () => {
	const found = JSON.stringify(await findings({ extraFields: true, oddValues: true }));
	for (const value of ['a-key', user.user_id, user.client_user_id]) expect(found).not.toContain(value);
});

it('needs users, and says what to check', async () => {
	const found = compare(sandbox.baseUrl, 'wrong');
	await expect(found).rejects.toThrow('The user list could not be read (status 401): check URL and key');
});
