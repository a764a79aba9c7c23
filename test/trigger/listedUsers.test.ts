/**
 * Trigger with Listed Users: entries that are added, removed, twice on the list, or without a user, and wrong answers of Resolve. The
 * other users are not affected, and nothing is lost or goes out twice.
 */
import type { INodeParameters } from 'n8n-workflow';
import type { User } from '../../dev/sandbox/schemas';
import type { TroubleName } from '../../dev/sandbox/troubles';
import type { Fault } from '../../dev/sandbox/switches';
import type { PollingHost } from '../helpers/pollingHost';
import { HOUR, iso, MINUTE, onBothSchedulers, valuesOf, watch } from '../helpers/watch';

const listing = (userIds: string, usersBy = 'clientUserId'): INodeParameters => ({
	event: 'bloodPressure',
	userScope: 'listed',
	usersBy,
	userIds,
});
const NOBODY = 'Geheim-7';
const UNFOUND: Fault = { status: 404 };
const INVALID: Fault = { status: 422 };
const as = (body: User): Fault => ({ status: 200, body });

describe('entries', () => {
	const w = watch('durable');
	let cleo: User;
	beforeEach(() => (cleo = w.history.addUser('cleo')));
	/** Published again with another list. */
	const publish = async (n8n: PollingHost, entries: string) => {
		n8n.parameters = listing(entries);
		n8n.kill();
		return valuesOf(await n8n.start('update')) ?? [];
	};

	it.each<[string, () => INodeParameters]>([
		['userId', () => listing(`${w.ben.user_id}, ${w.anna.user_id}`, 'userId')],
		['clientUserId', () => listing('ben, anna')],
	])('the users of the list are watched, and no others: by %s', async (_, parameters) => {
		w.measure(w.anna, 120, HOUR);
		const n8n = await w.started(parameters());
		w.pass(MINUTE);
		w.measure(w.anna, 131);
		w.measure(w.ben, 132);
		w.measure(cleo, 133);
		expect((await w.after(n8n, 0)).sort()).toEqual([131, 132]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('the only one, who cannot be read for a while, is reported: no poll fails', async () => {
		const n8n = await w.started(listing('anna'));
		w.switches.users = { anna: 'fails' };
		for (let i = 0; i < 3; i++) expect(await n8n.tick()).toBeUndefined();
		expect(n8n.reported).toHaveLength(1);
	});

	it('an added user is watched from then on, without an effect on others', async () => {
		const n8n = await w.started(listing('anna'));
		w.pass(HOUR);
		w.measure(cleo, 130, MINUTE);
		w.measure(w.anna, 131, MINUTE);
		expect(await publish(n8n, 'cleo, anna')).toEqual([131]);
		w.pass(MINUTE);
		w.measure(w.anna, 132, 30 * MINUTE);
		w.measure(cleo, 133);
		expect(await w.after(n8n, 0)).toEqual([132, 133]);
		expect(n8n.reported).toEqual([]);
	});

	it('a removed user is not read, and starts over when put back', async () => {
		const n8n = await w.started(listing('anna, ben'));
		w.pass(MINUTE);
		w.measure(w.ben, 131);
		expect(await w.after(n8n, 0)).toEqual([131]);
		expect(await publish(n8n, 'anna')).toEqual([]);
		w.measure(w.ben, 132);
		w.measure(w.anna, 133);
		expect(await w.after(n8n)).toEqual([133]);
		expect(await publish(n8n, 'ben, anna')).toEqual([]);
		w.pass(MINUTE);
		w.measure(w.ben, 134);
		expect(await w.after(n8n)).toEqual([134]);
	});

	it('without a user: reported at once and hourly, by its position, while all others are emitted', async () => {
		const n8n = await w.started(listing(`anna, ${NOBODY}, ben`));
		expect(n8n.reported.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^The readings of 1 user could not be read\. Entry 2 of 'User IDs' is /),
		]);
		for (let poll = 0; poll < 5; poll++) {
			w.pass(15 * MINUTE);
			w.measure(poll % 2 ? w.anna : w.ben, 130 + poll);
			expect(await w.after(n8n, 0)).toEqual([130 + poll]);
		}
		expect(n8n.reported).toHaveLength(2);
		expect(JSON.stringify(n8n.reported)).not.toContain('Geheim');
		await publish(n8n, 'anna, ben');
		w.measure(w.anna);
		await w.after(n8n, 2 * HOUR);
		expect(n8n.reported).toHaveLength(2);
	});

	it('a list without any user is an error at once, also for a test event', async () => {
		await expect(w.trigger(listing(NOBODY)).start()).rejects.toThrow("Entry 1 of 'User IDs' is ");
		await expect(w.trigger(listing(NOBODY)).fetchTestEvent()).rejects.toThrow("Entry 1 of 'User IDs' is ");
	});

	it('a test event is the newest of those on the list', async () => {
		w.measure(cleo, 130, HOUR);
		w.measure(w.ben, 131, 2 * HOUR);
		w.measure(w.anna, 132, 3 * HOUR);
		expect(valuesOf(await w.trigger(listing(`anna, ${NOBODY}, ben`)).fetchTestEvent())).toEqual([131]);
	});

	it('the saved state has no client user ID', async () => {
		const n8n = await w.started(listing(`anna, ben, ${NOBODY}`));
		w.measure(w.anna);
		await w.after(n8n);
		expect(n8n.row).toContain('cursors');
		expect(n8n.row).not.toMatch(/anna|ben|Geheim/);
	});

	it('with Requests per Second are resolved one by one: the list could take all requests of a poll', async () => {
		const userIds = w.users(8).map(({ client_user_id }) => client_user_id);
		await w.started({ ...listing(userIds.join()), options: { requestsPerSecond: 50 } });
		expect(w.used.sandbox.requests.filter((url) => url.startsWith('/v2/user?offset'))).toEqual([]);
	});

	it('of a list that takes longer than a poll are read all the same', async () => {
		const listed = w.users(150).slice(-30);
		const n8n = await w.started(listing(listed.map(({ client_user_id }) => client_user_id).join()), {
			budgetMs: 36_000,
		});
		Object.assign(w.switches, { userPageCap: 3, latencyMs: 450 });
		for (const user of listed) w.measure(user);
		expect(await w.polls(n8n, 2, 5 * MINUTE)).toHaveLength(30);
		expect(n8n.reported).toEqual([]);
	});
});

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

	it('a user who is gone for longer than the lookback and comes back: nothing lost, nothing twice', async () => {
		const n8n = await w.started(listing('anna, ben'));
		const all: number[] = [];
		const rows: unknown[] = [];
		const step = async () => {
			w.pass(12 * HOUR);
			all.push(200 + all.length, 201 + all.length);
			w.measure(w.anna, all.at(-2));
			w.measure(w.ben, all.at(-1), 1000);
			rows.push(...(await w.after(n8n, 0)));
		};
		await step();
		w.answer({ [w.ben.user_id]: UNFOUND, '/resolve/ben': UNFOUND });
		for (let i = 0; i < 10; i++) await step();
		expect(rows).toHaveLength(12);
		n8n.kill();
		expect(await n8n.start('update')).toBeUndefined();
		w.answer({});
		rows.push(...(await w.after(n8n)));
		await step();
		expect(rows.sort()).toEqual(all);
		expect(n8n.reported.length).toBeGreaterThan(0);
	});
});

describe('two entries for one user', () => {
	const w = watch('durable', { names: ['anna', 'ben'], isPatient: true });
	/** Resolve finds anna by another spelling, too. */
	const answer = (more: Record<string, Fault> = {}) => w.answer({ ...more, '/resolve/Anna': as(w.anna) });

	it('nothing old goes out, nothing is lost, nothing twice', async () => {
		w.measure(w.anna, 110, HOUR);
		const fails = { [`timeseries/${w.anna.user_id}`]: INVALID };
		answer(fails);
		const n8n = await w.started(listing('Anna, anna, ben'));
		const rows: unknown[] = [];
		for (let poll = 0; poll < 8; poll++) {
			answer(poll < 2 || poll > 6 ? {} : fails);
			w.pass(12 * HOUR);
			if (poll > 1) w.measure(w.anna, 120 + poll);
			rows.push(...(await w.after(n8n, 0)));
		}
		expect(rows).toEqual([122, 123, 124, 125, 126, 127]);
	});

	it.each<[string, string, Record<string, Fault>]>([
		['the first one is removed', 'Anna, ben', {}],
		['that, and Resolve of the other fails once', 'Anna, ben', { '/resolve/Anna': INVALID }],
		['Resolve of the first one fails once', 'anna, Anna, ben', { '/resolve/anna': INVALID }],
		['Resolve of the first one is slow once', 'anna, Anna, ben', { '/resolve/anna': { delayMs: 500 } }],
	])('for long, then %s: nothing goes out again', async (_, entries, faults) => {
		answer();
		const n8n = await w.started(listing('anna, Anna, ben'));
		for (let day = 0; day < 5; day++) {
			w.pass(24 * HOUR);
			w.measure(w.anna, 120 + day, MINUTE);
			expect(await w.after(n8n, 0)).toEqual([120 + day]);
		}
		expect(n8n.reported).toEqual([]);
		answer(faults);
		n8n.parameters = listing(entries);
		await n8n.start('update');
		expect(await w.after(n8n)).toEqual([]);
		answer();
		expect(await w.after(n8n, 0)).toEqual([]);
	});

	it.each(['anna,Anna', 'Anna,anna'])('%s, one resolved ten days later: nothing goes out again', async (userIds) => {
		w.answer({ '/resolve/Anna': { status: 429 } });
		const n8n = await w.started(listing(userIds));
		for (let day = 0; day < 10; day += 2) {
			w.measure(w.anna, 120 + day);
			expect(await w.polls(n8n, 1, 48 * HOUR)).toHaveLength(1);
		}
		answer({ '/resolve/anna': UNFOUND });
		expect(await w.polls(n8n, 3)).toEqual([]);
	});

	it.each(['anna,Anna', 'Anna,anna', 'Anna'])('%s, in place of anna: a late reading goes out', async (userIds) => {
		answer();
		const n8n = await w.started(listing('anna'));
		await w.polls(n8n, 4, 24 * HOUR);
		w.measure(w.anna, 131, 40 * HOUR);
		n8n.parameters = listing(userIds);
		const rows = [...((await n8n.start('update')) ?? []), ...(await w.polls(n8n, 2))];
		expect(valuesOf(rows)).toEqual([131]);
	});

	it('who fails: the report says when the user was read last', async () => {
		answer();
		const n8n = await w.started(listing('Anna,anna'));
		const last = iso(w.clock).slice(0, 16).replace('T', ' ');
		answer({ timeseries: INVALID });
		await w.polls(n8n, 10, 20 * MINUTE);
		expect(n8n.reported.length).toBeGreaterThan(2);
		for (const { description } of n8n.reported) expect(description).toContain(`since ${last}`);
	});
});

describe('Resolve', () => {
	const w = watch('durable');
	let cleo: User;
	beforeEach(() => (cleo = w.history.addUser('cleo')));
	/** The ID that Resolve gives for ben. */
	const giving = (user?: User) => w.answer(user ? { '/resolve/ben': as({ ...w.ben, user_id: user.user_id }) } : {});
	const failing = (...names: string[]) => {
		w.switches.users = Object.fromEntries(names.map((name) => [name, 'fails' as const]));
	};

	it.each<[string, number, 'anna' | 'cleo', TroubleName | undefined]>([
		['another listed user', 1, 'anna', undefined],
		['another listed user, who fails', 7, 'anna', 'fails'],
		['a user who is not listed', 1, 'cleo', undefined],
		['a user who is not listed, and fails', 7, 'cleo', 'fails'],
	])('gives the ID of %s for %i × 12 hours: nothing is lost, nothing twice', async (_, polls, name, fault) => {
		const rows: unknown[] = [];
		const all = Array.from({ length: polls + 4 }, (__, poll) => [200 + poll, 300 + poll]).flat();
		const n8n = await w.started(listing('anna, ben'));
		for (let poll = 0; poll < polls + 4; poll++) {
			const isWrong = poll >= 2 && poll < 2 + polls;
			w.switches.users = isWrong && fault ? { [name]: fault } : {};
			giving(isWrong ? { anna: w.anna, cleo }[name] : undefined);
			w.measure(w.anna, 200 + poll);
			w.measure(w.ben, 300 + poll);
			w.measure(cleo, 100 + poll);
			rows.push(...(await w.after(n8n, 12 * HOUR)));
		}
		expect(rows.sort()).toEqual(all.sort());
	});

	it('gives the ID of another listed user at the publication: the reading of the right one goes out', async () => {
		giving(w.anna);
		const n8n = await w.started(listing('anna, ben'));
		await w.after(n8n);
		giving();
		await w.after(n8n);
		w.measure(w.ben, 131);
		expect(await w.after(n8n)).toEqual([131]);
	});

	it('gives another user, who fails for 7 × 12 hours: nothing is lost, nothing twice', async () => {
		const n8n = await w.started(listing('anna, ben'));
		await w.after(n8n);
		giving(cleo);
		failing('cleo');
		const rows = await w.after(n8n);
		w.pass(MINUTE);
		for (let poll = 0; poll < 7; poll++) {
			w.measure(cleo, 200 + poll);
			rows.push(...(await w.after(n8n, 12 * HOUR)));
		}
		failing();
		rows.push(...(await w.after(n8n)), ...(await w.after(n8n)));
		expect(rows).toEqual([200, 201, 202, 203, 204, 205, 206]);
	});
});
