/**
 * Picked user: `client_user_id` is that of the picked row if Resolve confirms it, with one request more; never a wrong one,
 * and a failure never costs the readings.
 */
import type { IDataObject, INodeListSearchResult, INodeParameters } from 'n8n-workflow';
import type { Switches } from '../../dev/sandbox/switches';
import { searchList, useRunner } from '../helpers/engine';
import {
	bloodPressure,
	byTime,
	createUser,
	expectedRows,
	fixedWorld,
	people,
	readingsOf,
	SPECIAL,
	STEADY,
} from '../helpers/people';
import { bloodPressureOf, byUserId } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

/** The value that the editor saves for a picked row. */
const picked = (userId: string, row: unknown) =>
	({ __rl: true, mode: 'list', value: userId, cachedResultName: row }) as INodeParameters;
const STEADY_ROW = 'steady (Omron, Withings)';
const steady = picked(STEADY.user_id, STEADY_ROW);

const used = useRunner();
useVirtualTime();
const { run } = used;
const namesOf = (rows: IDataObject[]) => [...new Set(rows.map((row) => row.client_user_id))];
const resolves = () => used.sandbox.requests.filter((url) => url.includes('/resolve/'));
const whenResolved = (fault: ReturnType<Switches['fault']>) => {
	used.sandbox.switches.fault = (_, url) => (url.includes('/resolve/') ? fault : undefined);
};

it('every row has it, for one request more, before the readings', async () => {
	const { rows, error } = await run(bloodPressureOf(steady));
	expect(error).toBeUndefined();
	expect(byTime(rows)).toEqual(byTime(expectedRows(STEADY, readingsOf(people(), STEADY), 'steady')));
	expect(Object.keys(rows[0])[0]).toBe('client_user_id');
	expect(used.sandbox.requests).toEqual(['/v2/user/resolve/steady', expect.stringContaining(STEADY.user_id)]);
});

it('a label that is an expression is not evaluated {{ }}', async () => {
	const label = "={{ $json.secret + ' (Omron)' }}";
	await run(bloodPressureOf(picked(STEADY.user_id, label)), { input: [{ secret: 'another patient' }] });
	expect(used.sandbox.requests.filter((url) => /patient|secret\)/.test(decodeURIComponent(url)))).toEqual([]);
});

describe('many items', () => {
	const input = Array.from({ length: 12 }, (_, index) => ({
		end: `2026-03-${String(1 + (index % 20)).padStart(2, '0')}`,
		user: index % 2 ? STEADY.user_id : SPECIAL.user_id,
	}));

	it.each([
		['the same in every field', {}],
		['each with its own days {{ }}', { endDate: '={{ $json.end }}' }],
	])('send one request each: %s', async (_, more) => {
		const { rows, error } = await run(bloodPressureOf(steady, more), { input });
		expect(error).toBeUndefined();
		expect(new Set(rows.map((row) => row.user_id))).toEqual(new Set([STEADY.user_id]));
		expect(namesOf(rows)).toEqual(['steady']);
		expect(resolves()).toHaveLength(input.length);
	});

	it.each(['={{ $json.user }}', '={{ $json["user"] }}'])(
		'of other users, by %s, get only their own name',
		async (expression) => {
			const { rows } = await run(bloodPressureOf(picked(expression, STEADY_ROW)), { input });
			for (const { user_id, client_user_id } of rows) {
				expect([null, user_id === STEADY.user_id ? 'steady' : null]).toContain(client_user_id);
			}
			expect(new Set(rows.map((row) => row.user_id)).size).toBe(2);
			expect(resolves().length).toBeLessThanOrEqual(1);
		},
	);
});

describe('it stays empty', () => {
	it.each([
		['a row that names another user', 'berlin (Omron)'],
		['a row that names no user', 'gone (Omron)'],
		['no row', undefined],
		['an empty row', ''],
		['a row that is no text', { a: 1 }],
		['a row that leads elsewhere', '.. (Omron)'],
		['a row that no request can ask for', '\ud800 (Omron)'],
	])('for %s', async (_, row) => {
		const { rows, error } = await run(bloodPressureOf(picked(STEADY.user_id, row)));
		expect(error).toBeUndefined();
		expect(rows).toHaveLength(61);
		expect(namesOf(rows)).toEqual([null]);
		const others = used.sandbox.requests.filter((url) => !url.includes('/timeseries/'));
		// The address is checked, as long as it has given no data.
		expect(others).toEqual([...resolves(), ...others.slice(1)]);
		expect(others.length).toBeLessThanOrEqual(2);
	});

	it.each([STEADY.user_id, `${STEADY.user_id} (Omron)`])('without a question, where the row shows %s', async (row) => {
		expect(namesOf((await run(bloodPressureOf(picked(STEADY.user_id, row)))).rows)).toEqual([null]);
		expect(resolves()).toEqual([]);
	});

	it('without a request, by user ID', async () => {
		const byId = { ...byUserId(STEADY.user_id), cachedResultName: STEADY_ROW };
		expect(namesOf((await run(bloodPressureOf(byId))).rows)).toEqual([null]);
		expect(resolves()).toEqual([]);
	});

	it.each([
		['fails', { status: 500 }, 2],
		['is refused', { status: 403, body: { detail: 'no' } }, 1],
		['cannot be understood', { status: 200, body: '<html>', type: 'text/html' }, 1],
		['has no user ID', { status: 200, body: {} }, 1],
		['has nothing at its address', { status: 404, body: '<html>', type: 'text/html' }, 1],
		['breaks off', { drop: 'beforeAnswer' as const }, 2],
	])('where Resolve %s: every reading is returned', async (_, fault, tries) => {
		whenResolved(fault);
		const { rows, error } = await run(bloodPressureOf(steady));
		expect(error).toBeUndefined();
		expect(byTime(rows)).toEqual(byTime(expectedRows(STEADY, readingsOf(people(), STEADY))));
		expect(resolves()).toHaveLength(tries);
	});
});

it('is there though Resolve failed once', async () => {
	let asked = 0;
	used.sandbox.switches.fault = (_, url) => (url.includes('/resolve/') && ++asked === 1 ? { status: 503 } : undefined);
	expect(namesOf((await run(bloodPressureOf(steady))).rows)).toEqual(['steady']);
});

describe('the service does not find the readings', () => {
	const missing = (more: INodeParameters = {}) => bloodPressureOf(steady, more);
	const empty = { options: { whenNotFound: 'empty' } };
	beforeEach(() => {
		used.sandbox.switches.fault = (_, url) =>
			url.includes('/timeseries/') ? { status: 404, body: { detail: 'Not Found' } } : undefined;
	});
	const gone = () => (used.sandbox.switches.users = { [STEADY.user_id]: 'removed' });

	it.each([{}, empty])('of a known user: an error, with any When Not Found (%j)', async (more) => {
		const { error } = await run(missing(more));
		expect(error?.message).toBe('The service does not find the readings of a user whom it knows (status 404)');
	});

	it('of a removed user: as When Not Found says', async () => {
		used.sandbox.switches.fault = () => undefined;
		gone();
		expect((await run(missing())).error?.message).toContain('There is no such user');
		expect(await run(missing(empty))).toMatchObject({ rows: [], error: undefined });
	});

	it('and Resolve fails: its error', async () => {
		used.sandbox.switches.fault = (_, url) => ({
			status: url.includes('/timeseries/') ? 404 : 500,
			body: { detail: '' },
		});
		expect((await run(missing())).error?.message).toBe('The service could not answer (status 500)');
	});
});

describe('any row of the picker', () => {
	const users = [
		createUser('plain', ['omron']),
		createUser('no sources', []),
		createUser('Bed 4 (west)', []),
		createUser('Ward 3 (east) 7', ['omron', 'withings']),
		createUser('(x)', ['omron']),
		createUser(' = ${1} {{ 2 }} ', ['omron']),
		createUser('odd sources', ['oura (beta)', 'a) (b']),
		createUser(SPECIAL.client_user_id, []),
	];
	const odd = useRunner(() => ({
		world: fixedWorld(
			users,
			Object.fromEntries(
				users.map(({ user_id }) => [user_id, { blood_pressure: [bloodPressure('2026-03-02T07:00:00Z', 120, 80)] }]),
			),
		),
		checksItself: false,
	}));

	it('the node reads the client user ID back from a row of the picker', async () => {
		const { results }: INodeListSearchResult = await searchList(odd.credential, 'searchUsers');
		const read = async ({ name, value }: (typeof results)[number]) => {
			const { rows } = await odd.run(bloodPressureOf(picked(String(value), name)));
			return rows.map((row) => row.client_user_id);
		};
		const found = [];
		for (const row of results) found.push(...(await read(row)));
		expect(found).toEqual(users.map((user) => user.client_user_id));
	});
});
