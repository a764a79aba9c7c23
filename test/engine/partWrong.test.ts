/**
 * Faults of single users: every trouble of one user × operation × On Error, through n8n's engine and real HTTP. Sound users come
 * complete; a faulty user is one error that names them.
 */
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { TROUBLES, type TroubleName } from '../../dev/sandbox/troubles';
import { OUTPUTS } from '../../nodes/HealthDataService/resources/timeseries/output';
import { runNode, useLogLines } from '../helpers/engine';
import { everythingIn } from '../helpers/machine';
import { KEY, people, STEADY } from '../helpers/people';
import { bloodPressureOf, byClientId, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

// Pages of seven readings, so that the user in trouble has several.
const used = useSandbox(() => ({ world: people(), switches: { pageSize: 7 } }));
useVirtualTime();

const OPERATIONS: Record<string, INodeParameters> = {
	'One user': bloodPressureOf(byClientId(STEADY.client_user_id)),
	'All users': bloodPressureOf('', { userScope: 'all' }),
	...Object.fromEntries(
		['grouped', 'daily', 'summary'].map((output) => [
			`All users, ${output}`,
			bloodPressureOf('', { userScope: 'all', output }),
		]),
	),
};

const MODES: Record<string, INode['onError']> = {
	Stop: 'stopWorkflow',
	Continue: 'continueRegularOutput',
	'Error output': 'continueErrorOutput',
};

/** Result for the failing user: an error with this message, no row, or every row. */
type Outcome = RegExp | 'gone' | 'whole';

const OUTCOMES: Record<Exclude<TroubleName, 'endless' | 'drips' | 'hangs'>, Outcome> = {
	fails: /could not answer \(status 500\)/,
	refused: /status 403/,
	invalid: /did not accept 'User'/,
	missing: /whom it knows/,
	removed: 'gone',
	lostOnPageTwo: /whom it knows/,
	failsOnPageTwo: /status 500/,
	cut: /could not be reached/,
	redirected: /redirects instead of answering \(status 302\)/,
	redirectedNowhere: /redirects instead of answering \(status 301\)/,
	notModified: /redirects instead of answering \(status 304\)/,
	repeatedCursor: /same cursor twice/,
	numberCursor: /or one that is not valid/,
	webPage: /A web page came back/,
	noGroups: /has no 'groups'/,
	nullGroups: /has no 'groups'/,
	noData: /has no 'data'/,
	textSource: 'whole',
	emptyCursorAndNext: 'whole',
};

const run = async (parameters: INodeParameters, onError?: INode['onError']) =>
	await runNode({ credential: used.credential, parameters, onError });

const isSteady = ({ user_id }: IDataObject) => user_id === STEADY.user_id;
const sound = {} as Record<string, IDataObject[]>;
beforeAll(async () => {
	for (const [operation, parameters] of Object.entries(OPERATIONS)) sound[operation] = (await run(parameters)).rows;
	expect(Object.values(sound).map(({ length }) => length)).toEqual([61, 61 + 3 + 8, 4, 25, 4]);
});

/** Each trouble of one user and in a team; each way to go on, for one that fails and one who is gone; and each Output, for one. */
const cases = Object.entries(OUTCOMES).flatMap(([trouble, outcome]) =>
	Object.keys(OPERATIONS)
		.flatMap((operation) => Object.keys(MODES).map((mode) => ({ trouble, operation, mode, outcome })))
		.filter(({ operation, mode }) => {
			if (['One user, Stop', 'All users, Continue'].includes(`${operation}, ${mode}`)) return true;
			if (trouble === 'failsOnPageTwo') return mode === 'Continue' || !operation.includes(',');
			return trouble === 'removed' && !operation.includes(',');
		}),
);

it.each(cases)('$trouble, $operation, $mode', async ({ trouble, operation, mode, outcome }) => {
	used.sandbox.switches.users = { [STEADY.client_user_id]: trouble as TroubleName };
	const { rows, items, errorItems, error, run: execution } = await run(OPERATIONS[operation], MODES[mode]);
	const isTeam = operation !== 'One user';
	const others = sound[operation].filter((row) => !isSteady(row));
	for (const item of [...items, ...errorItems]) expect(item.pairedItem).toEqual({ item: 0 });

	if (outcome === 'whole') {
		expect(error).toBeUndefined();
		expect(rows).toHaveLength(sound[operation].length);
		expect(rows.filter((row) => !isSteady(row))).toEqual(others);
		return;
	}
	if (outcome === 'gone' && isTeam) {
		expect([error, rows, errorItems]).toEqual([undefined, others, []]);
		return;
	}
	const message = outcome === 'gone' ? /There is no user with this 'Client User ID'/ : outcome;
	if (mode === 'Stop') {
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(isTeam ? /'On Error'/ : /./);
		if (isTeam) expect(error?.message).toContain(STEADY.user_id);
		expect(rows).toEqual([]);
		expect(everythingIn(execution)).not.toContain(KEY);
		expect(everythingIn(execution.data.resultData)).not.toContain('steady.example');
		return;
	}
	expect(error).toBeUndefined();
	const { user_id, client_user_id } = STEADY;
	const advice = expect.stringMatching(/./);
	if (mode === 'Continue') {
		// With all columns, because n8n's Sort misplaces rows without its field.
		const [row = {}] = isTeam ? others : [];
		const columns = Object.fromEntries(Object.keys(row).map((column) => [column, null]));
		const owner = isTeam ? { ...columns, user_id, client_user_id } : {};
		expect(rows).toEqual([...others, { ...owner, error: expect.stringMatching(message), details: advice }]);
		expect(errorItems).toEqual([]);
	} else {
		const details = isTeam ? { user_id, client_user_id, advice } : advice;
		expect(rows).toEqual(others);
		expect(errorItems.map(({ json }) => json)).toEqual([{ error: expect.stringMatching(message), details }]);
	}
});

it('the status of a user who cannot be read is not that of one without readings', async () => {
	used.sandbox.switches.users = { [STEADY.user_id]: 'fails' };
	const limits = { mean: { systolic: 135, diastolic: 85 } };
	const options = { onlyStatus: ['no readings'] };
	const parameters = bloodPressureOf('', { userScope: 'all', output: 'summary', limits, options });
	const { rows } = await run(parameters, 'continueRegularOutput');
	expect(rows.map(({ client_user_id, status, readings }) => [client_user_id, status, readings])).toEqual([
		['silent', 'no readings', 0],
		['steady', 'not read', null],
	]);
});

describe('a fault of the code with the readings of one user', () => {
	const log = useLogLines();
	const secret = '"151/93" is not iterable';
	beforeEach(() => {
		const [readings] = OUTPUTS;
		const { toRows } = readings;
		jest.spyOn(readings, 'toRows').mockImplementation((options, groups, selected) => {
			if (selected.user.user_id === STEADY.user_id) throw new TypeError(secret);
			return toRows(options, groups, selected);
		});
	});
	const fault = expect.stringMatching(/^Workflow "Test", node "Node": TypeError at /);

	it('On Error Continue: an error row for this user, and one line of the log for all items', async () => {
		const { rows, run: execution } = await runNode({
			credential: used.credential,
			parameters: OPERATIONS['All users'],
			onError: 'continueRegularOutput',
			input: [{}, {}],
		});
		const others = sound['All users'].filter((row) => !isSteady(row));
		expect(rows.filter(({ error }) => error === undefined)).toEqual([...others, ...others]);
		const failed = { user_id: STEADY.user_id, error: "This user's data could not be processed" };
		expect(rows.filter(({ error }) => error)).toMatchObject([failed, failed]);
		expect(log).toEqual([fault]);
		expect(everythingIn([execution, log])).not.toContain('151/93');
	});

	it('On Error Stop: the error is not that of the service', async () => {
		const { error, run: execution } = await run(OPERATIONS['All users']);
		expect(error?.message).toMatch(/This user's data could not be processed$/);
		expect(error?.description).toMatch(/^Report this to the authors of the node/);
		// n8n logs the message of the error, too.
		expect(log.filter((line) => line.includes('TypeError'))).toEqual([fault]);
		expect(everythingIn([execution, log])).not.toContain('151/93');
	});
});

it.each(['..', 'a/b', '\ud800'])('a user ID that cannot be part of an address is not named: %j', async (odd) => {
	used.sandbox.requests.length = 0;
	used.sandbox.switches.oddUserIds = { [STEADY.client_user_id]: odd };
	const { rows, error } = await run(OPERATIONS['All users'], 'continueRegularOutput');
	expect(error).toBeUndefined();
	expect(new Set(rows.map(({ client_user_id: id }) => id)).size).toBe(3);
	expect(rows.at(-1)).toMatchObject({ client_user_id: STEADY.client_user_id, error: expect.stringMatching(/address/) });
	expect(used.sandbox.requests.filter((url) => !/^\/v2\/user\?|\/[0-9a-f-]{36}\//.test(url))).toEqual([]);
	const stopped = await run(OPERATIONS['All users']);
	expect(stopped.error?.message).toMatch(/^The readings of the user \(an ID with unusual characters\) could not/);
});

it.each(['__proto__', 'x'.repeat(200_000)])('the user ID %.20s loses nothing of the others', async (odd) => {
	used.sandbox.switches.oddUserIds = { [STEADY.client_user_id]: odd };
	const { rows } = await run(OPERATIONS['All users, grouped'], 'continueRegularOutput');
	expect(rows.slice(0, -1)).toEqual(sound['All users, grouped'].filter((row) => !isSteady(row)));
	expect(rows.at(-1)).toMatchObject({ client_user_id: STEADY.client_user_id, error: expect.anything() });
});

it('every fault of a user that the sandbox can play is tested', () => {
	// What never ends is stopped by the number of pages (test/unit/service/readings/pages.test.ts) and by the limit of an answer (test/engine/{faults,refusals}.test.ts).
	expect([...Object.keys(OUTCOMES), 'drips', 'endless', 'hangs'].sort()).toEqual(Object.keys(TROUBLES).sort());
});
