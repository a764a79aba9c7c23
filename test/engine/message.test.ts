/**
 * Output: One Message in n8n's engine over HTTP: what a care team reads on a Monday at 08:05. Layout, words and escaping: unit/messages.
 */
import { Settings } from 'luxon';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { User } from '../../dev/sandbox/schemas';
import type { Reading } from '../../dev/sandbox/world';
import { runAgent } from '../helpers/agent';
import { runNode, type RunOptions } from '../helpers/engine';
import { bloodPressure, createUser, fixedWorld, mindfulness } from '../helpers/people';
import { useSandbox } from '../helpers/requests';

const NOW = '2026-11-30T08:05:00+01:00';

/** Readings such as "30 07:51 192/110": day of November 2026 and time in Berlin. */
function readingsOf(...written: string[]): Reading[] {
	return written.map((one) => {
		const [, day, clock, systolic, diastolic, source = 'omron cuff'] = /^(\d+) (\S+) ([\d.]+)\/([\d.]+) ?(.*)$/.exec(
			one,
		)!;
		const time = new Date(`2026-11-${day.padStart(2, '0')}T${clock}:00+01:00`).toISOString();
		const [provider, type] = (source || 'omron cuff').split(' ');
		return bloodPressure(time, Number(systolic), Number(diastolic), provider, type);
	});
}

/** Two readings a day, each day. */
const steady = (values: string, from = 16, to = 29) =>
	Array.from({ length: to - from + 1 }, (_, at) => [
		`${from + at} 07:10 ${values}`,
		`${from + at} 20:10 ${values}`,
	]).flat();

let team: Record<string, { user: User; readings: Reading[] }> = {};
function person(name: string, written: string[], providers = ['omron']) {
	const user = createUser(name, providers);
	team[name] = { user, readings: readingsOf(...written) };
	return user;
}
const worldOf = () =>
	fixedWorld(
		Object.values(team).map(({ user }) => user),
		Object.fromEntries(
			Object.values(team).map(({ user, readings }) => [
				user.user_id,
				{ blood_pressure: readings, mindfulness_minutes: readings },
			]),
		),
	);

const used = useSandbox(() => ({
	world: {
		get teams() {
			return worldOf().teams;
		},
		readings: (...asked) => worldOf().readings(...asked),
	},
	switches: { now: () => Date.parse(NOW) },
}));

const LIMITS = {
	mean: { systolic: 135, diastolic: 85 },
	high: { systolic: 180, diastolic: 110 },
	low: { systolic: 90, diastolic: 50 },
	enough: { readings: 12, days: 3 },
};
const message = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'timeseries',
	operation: 'bloodPressure',
	userScope: 'all',
	dateRange: 'last7Days',
	output: 'message',
	limits: LIMITS,
	options: { compareWith: 'period' },
	...more,
});
const run = async (parameters = message(), more: Partial<RunOptions> = {}) =>
	await runNode({ credential: used.credential, parameters, timezone: 'Europe/Berlin', ...more });
const told = async (parameters?: INodeParameters) => {
	const { rows, error } = await run(parameters);
	expect(error).toBeUndefined();
	expect(rows).toHaveLength(1);
	return rows[0] as IDataObject & { text: string; html: string; subject: string };
};
/** Lines of a section. */
const section = (text: string, title: string) =>
	text
		.split('\n\n')
		.find((part) => part.startsWith(title))
		?.split('\n')
		.slice(1);

beforeEach(() => {
	team = {};
	jest.spyOn(Settings, 'now').mockImplementation(() => Date.parse(NOW));
});
afterEach(() => void jest.restoreAllMocks());

describe('that Monday morning', () => {
	const LAST_DAY = 'Beyond single limits, last 24 hours of the period: ';

	it('the reading that is told is followed by the latest one, if that is another', async () => {
		person('app-user-0007', ['29 09:00 165/88', '30 07:00 150/115', '30 08:00 128/80 withings phone']);
		const { text } = await told();
		expect(section(text, `${LAST_DAY}1`)).toEqual([
			'• app-user-0007: 150/115 Mon 30 Nov 07:00 high; latest 128/80 Mon 30 Nov 08:00; by cuff, phone',
		]);
	});

	it('tells apart what is new, lasts, is missing, or left out, worst first', async () => {
		person('anna', ['30 07:51 192/110', '30 07:56 185/100', '30 08:01 180/95']);
		person('ben', [...steady('121/80'), '26 09:00 88/60']);
		person('calm', steady('120/78'));
		person('dora_1', steady('150/92'));
		person('emil', steady('136/86', 24));
		person('fay', steady('134/95', 24));
		person('few', ['26 08:00 160/80', '27 08:00 159/80']);
		person('gone', steady('130/80', 16, 22), []);
		person('never', [], []);
		person('quiet', []);
		Object.assign(person('joiner', []), { created_on: '2026-11-25T10:00:00.000000+00:00' });
		person('zeros', ['29 08:00 0/0']);
		person('mixed', [...steady('120/80'), '29 08:00 0/0']);
		const { text, html, row_id, subject, ...counts } = await told();
		expect(text).toBe(`Blood pressure, Tue 24 Nov to Mon 30 Nov 2026
13 people, 0 not read, 2 beyond single limits, 5 high (4 new), 5 without readings (1 new), 3 in range.
Newest reading of all: Mon 30 Nov 08:01.
Single limits: at or above 180/110, or at or below 90/50. High: mean at or above 135/85. Too few readings to judge: 2.
Compared with Tue 17 Nov to Mon 23 Nov 2026.
Times in Europe/Berlin, values in mmHg.

Beyond single limits, last 24 hours of the period: 1
• anna: 180/95 Mon 30 Nov 08:01 high, 185/100 07:56 high, 192/110 07:51 high; by cuff

Beyond single limits, earlier: 1
• ben: 88/60 Thu 26 Nov 09:00 low; latest 121/80 Sun 29 Nov 20:10; by cuff

High mean, new: 4
• anna: 185.7/101.7, before none, 3 readings on 1 day, too few to judge, latest 180/95 Mon 30 Nov 08:01 high, by cuff
• few: 159.5/80.0, before none, 2 readings on 2 days, too few to judge, latest 159/80 Fri 27 Nov 08:00, by cuff
• fay: 134.0/95.0, before none, 12 readings on 6 days, latest 134/95 Sun 29 Nov 20:10, by cuff
• emil: 136.0/86.0, before none, 12 readings on 6 days, latest 136/86 Sun 29 Nov 20:10, by cuff

High mean, as before: 1
• dora＿1: 150.0/92.0, before 150.0/92.0, 12 readings on 6 days, latest 150/92 Sun 29 Nov 20:10, by cuff

No usable reading, but some before: 1
• gone: last Sun 22 Nov, nothing connected

No usable reading, as before: 4
• quiet
• joiner: joined Wed 25 Nov
• zeros: last Sun 29 Nov, 1 left out
• never: nothing connected

Some readings are left out: 1
• mixed: 0/0 Sun 29 Nov 08:00 not counted`);
		expect(subject).toBe(
			'Blood pressure, Tue 24 Nov to Mon 30 Nov 2026: 13 people, 0 not read, 2 beyond single limits, 5 high (4 new), 5 without readings (1 new)',
		);
		expect(counts).toEqual({
			...{ from: '2026-11-24', to: '2026-11-30', people: 13, not_read: 0, reached: 2, high: 5, newly_high: 4 },
			...{ in_range: 3, too_few: 2, without_readings: 5, newly_without_readings: 1 },
		});
		expect(row_id).toMatch(/^bloodPressure-message-[0-9a-f]{32}$/);
		expect(html).toContain('<b>dora_1</b>: 150.0/92.0, before');
		expect(html.split('<td bgcolor="#ffcdc8">Mon<br><b>180/95</b></td>')).toHaveLength(2);
		expect(html).toContain('<td bgcolor="#fdeab5">Tue<br>150/92</td>');
		expect(html).toContain('<td bgcolor="#eceff1">Mon<br>–</td>');
	});

	it('in Last 24 Hours, no reading is an earlier one', async () => {
		person('first', ['29 08:05 190/100']);
		const { text } = await told(message({ dateRange: 'last24Hours' }));
		expect(section(text, `${LAST_DAY}1`)).toEqual(['• first: 190/100 Sun 29 Nov 08:05 high; by cuff']);
	});

	it('the latest reading is one that counts and is not dated ahead', async () => {
		person('ahead', [...steady('120/80'), '30 07:00 0/0', '30 20:00 190/100']);
		for (const one of team.ahead.readings) one.arrived = 0;
		const { text } = await told(message({ dateRange: 'days', startDate: '2026-11-24' }));
		expect(section(text, `${LAST_DAY}1`)).toEqual([
			'• ahead: 190/100 Mon 30 Nov 20:00 high and dated ahead; latest 120/80 Sun 29 Nov 20:10; by cuff',
		]);
		expect(text).toContain('Newest reading of all: Sun 29 Nov 20:10.');
	});

	it('names all of 40 people with readings beyond limits, if need be in short lines', async () => {
		for (let at = 0; at < 40; at++)
			person(`app-user-${at}`, ['30 07:51 192/110', '30 07:56 185/100', '30 08:01 180/95']);
		const { text } = await told(message({ limits: { high: LIMITS.high }, options: {} }));
		const lines = section(text, `${LAST_DAY}40`);
		expect(lines).toHaveLength(40);
		expect(lines![0]).toBe('• app-user-0: 180/95 Mon 30 Nov 08:01 high, 192/110 07:51 high … and 1 more');
	});

	it('names as new each morning only who is new that day', async () => {
		person('since Friday', steady('150/92', 26));
		person('since today', ['24 07:00 120/80', '29 20:00 150/92', '30 07:00 150/92']);
		const { text, newly_high } = await told(message({ options: { compareWith: 'day' } }));
		expect(newly_high).toBe(1);
		expect(section(text, 'High mean, new: 1')).toEqual([expect.stringContaining('since today')]);
		expect(section(text, 'High mean, as before: 1')).toEqual([expect.stringContaining('since Friday')]);
		expect(text).toContain('Compared with Mon 23 Nov to Sun 29 Nov 2026.');
	});

	it('a reading after the time of day at which the compared period ends is told, too', async () => {
		person('late', ['23 20:00 120/80']);
		person('zeros', ['20 08:00 0/0']);
		const { text } = await told();
		expect(section(text, 'No usable reading, as before: 2')).toEqual([
			'• late: last Mon 23 Nov',
			'• zeros: last Fri 20 Nov',
		]);
	});

	it('says since when nobody has synced', async () => {
		person('anna', steady('120/80', 16, 27));
		expect((await told()).text).toContain('No reading for 59 hours: the newest of all is of Fri 27 Nov 20:10.');
		for (const [clock, words] of [
			['08:06', 'Newest reading of all: Sun 29 Nov 08:06.'],
			['08:05', 'No reading for 24 hours: the newest of all is of Sun 29 Nov 08:05.'],
		]) {
			team = {};
			person('anna', [`29 ${clock} 120/80`]);
			expect((await told()).text).toContain(`\n${words}\n`);
		}
		team = {};
		person('quiet', []);
		expect((await told()).text).toContain('\nNo usable reading came.\n');
	});

	it('calm is said as such, and so is a team without users', async () => {
		person('calm', steady('120/78'));
		expect((await told()).text).toBe(`Blood pressure, Tue 24 Nov to Mon 30 Nov 2026
1 person, 0 not read, 0 beyond single limits, 0 high (0 new), 0 without readings (0 new), 1 in range.
Newest reading of all: Sun 29 Nov 20:10.
Single limits: at or above 180/110, or at or below 90/50. High: mean at or above 135/85. Too few readings to judge: 0.
Compared with Tue 17 Nov to Mon 23 Nov 2026.
Times in Europe/Berlin, values in mmHg.`);
		team = {};
		expect(await told()).toMatchObject({
			people: 0,
			text: expect.stringContaining('\n0 people, 0 not read,') as string,
		});
	});
});

describe('users who cannot be read', () => {
	/** The service refuses to read these users. */
	const refuse = (...users: User[]) => {
		used.sandbox.switches.fault = (_, url) =>
			users.some(({ user_id }) => url.includes(user_id)) ? { status: 422 } : undefined;
	};
	const LINE = 'Could not be read, so nothing is known about them: ';

	it.each([undefined, 'continueErrorOutput'] as const)('are told, On Error %s', async (onError) => {
		person('calm', steady('120/78'));
		refuse(person('half', []), person('lost', []));
		const { rows, error, errorItems } = await run(message(), { onError });
		expect([error, errorItems]).toEqual([undefined, []]);
		expect(rows).toMatchObject([{ people: 3, not_read: 2, in_range: 1 }]);
		expect(section(String(rows[0].text), `${LINE}2`)).toEqual([
			expect.stringMatching(/^• The service .*: half, lost$/),
		]);
	});

	it('an entry that names nobody is told as it was given', async () => {
		person('calm', steady('120/78'));
		const { text } = await told(message({ userScope: 'listed', usersBy: 'clientUserId', userIds: 'calm, ghost' }));
		expect(section(text, `${LINE}1`)).toEqual([expect.stringMatching(/^• .*: ghost$/)]);
	});

	it('if none can be read, that is a failure, which can be posted', async () => {
		refuse(person('half', []), person('lost', []));
		const { error } = await run();
		expect(error?.message).toMatch(/^Of 2 users, none could be read\. The service/);
		const { rows } = await run(message(), { onError: 'continueRegularOutput' });
		expect(rows).toMatchObject([
			{
				subject: 'Blood pressure: could not be read',
				text: expect.stringMatching(/^Blood pressure: could not be read\nOf 2 users, none could be read/) as string,
				html: expect.stringContaining('<h1>Blood pressure: could not be read</h1>') as string,
				...{ people: null, not_read: null, row_id: null, error: error?.message, details: error?.description },
			},
		]);
		const { errorItems } = await run(message(), { onError: 'continueErrorOutput' });
		expect(errorItems[0].json.error).toBe(error?.message);
	});

	it('one user who cannot be read is a failure', async () => {
		refuse(person('half', []));
		const { error } = await run(
			message({ userScope: 'one', user: { __rl: true, mode: 'clientUserId', value: 'half' } }),
		);
		expect(error?.message).toMatch(/^The service/);
	});

	it('a field that is wrong is posted too', async () => {
		const { rows } = await run(message({ options: { timeZone: 'Moon' } }), { onError: 'continueRegularOutput' });
		expect(rows[0].text).toContain("'Time Zone' is not a known time zone");
	});
});

describe('what is asked for', () => {
	it('One User: HTML has every reading, and the mean is told', async () => {
		const user = person('ben', [
			...steady('121/80', 29),
			'29 09:00 88/60',
			'29 09:10 0/0',
			'29 20:10 121/80 withings phone',
		]);
		const one = { userScope: 'one', user: { __rl: true, mode: 'userId', value: user.user_id } };
		const { text, html } = await told(message(one));
		const other = await told(message({ ...one, options: { onlyStatus: ['high'] } }));
		expect(section(other.text, 'Mean in range: 1')).toHaveLength(1);
		expect(section(text, 'Mean in range: 1')).toHaveLength(1);
		expect(text).not.toContain('Every reading');
		expect(html.slice(html.indexOf('<h2>Every reading: 4</h2>'))).toMatch(
			/<b>Sun 29 Nov 2026 20:10<\/b>: 121\/80, by cuff, phone<\/p>\n<p><b>Sun 29 Nov 2026 09:10<\/b>: 0\/0, not counted, by cuff<\/p>\n<p><b>Sun 29 Nov 2026 09:00<\/b>: 88\/60, low, by cuff<\/p>/,
		);
	});

	it.each([
		['high', 'High mean: 1'],
		['in range', 'Some readings are left out: 1', 'Mean in range: 1'],
		['no readings', 'No usable reading: 1'],
	])('Return Only %s shows its sections', async (onlyStatus, ...titles) => {
		person('emil', steady('150/92'));
		person('calm', [...steady('120/78'), '29 08:00 0/0']);
		person('quiet', []);
		const { text, ...counts } = await told(message({ options: { onlyStatus: [onlyStatus] } }));
		expect(text.split('\n\n').slice(1)).toEqual(titles.map((title) => expect.stringMatching(`^${title}\n`) as string));
		expect(counts).toMatchObject({ people: 3, high: 1, in_range: 1, without_readings: 1, newly_high: null });
	});

	it('without limits everybody with a reading is listed', async () => {
		person('calm', steady('120/78', 24));
		person('emil', steady('150/92', 24));
		const { text, ...counts } = await told(message({ limits: {}, options: {} }));
		expect(section(text, 'With readings: 2')).toEqual([
			'• emil: 150.0/92.0, 12 readings on 6 days, latest 150/92 Sun 29 Nov 20:10, by cuff',
			'• calm: 120.0/78.0, 12 readings on 6 days, latest 120/78 Sun 29 Nov 20:10, by cuff',
		]);
		expect(counts).toMatchObject({ reached: null, high: null, newly_high: null, too_few: null, in_range: 2 });
	});

	it.each([
		['today', [], []],
		['last7Days', ['Tue<br>150/92', 'Sun<br>150/92', 'Mon<br><b>190/100</b>'], ['24 Nov<br>']],
		['last30Days', ['24 Nov<br>150/92', '30 Nov<br><b>190/100</b>'], ['Tue<br>']],
		['last90Days', [], ['30 Nov<br>']],
	])('cells of %s', async (dateRange, labels, others) => {
		person('emil', [...steady('150/92'), '30 08:00 190/100']);
		const { html } = await told(message({ dateRange, limits: { high: LIMITS.high }, options: {} }));
		expect(html.includes('<td bgcolor="#')).toBe(labels.length > 0);
		for (const label of labels) expect(html).toContain(`${label}</td>`);
		for (const other of others) expect(html).not.toContain(other);
		// Without a limit of the mean, no day is judged.
		expect(html).not.toMatch(/#d9f0df|#fdeab5/);
	});

	it('a cell shows no limit that its mean does not reach', async () => {
		person('emil', ['24 08:00 134.9/84.6', '25 08:00 135/80']);
		const { html } = await told();
		expect(html).toContain('<td bgcolor="#d9f0df">Tue<br>134/84</td><td bgcolor="#fdeab5">Wed<br>135/80</td>');
	});

	it('says what was left aside', async () => {
		person('calm', steady('120/78'));
		const options = { sourceTypes: 'cuff, watch', onlyConnected: true, userOffset: 0, userLimit: 500 };
		const { text } = await told(message({ provider: { __rl: true, mode: 'slug', value: 'omron' }, options }));
		expect(text).toContain(
			'\nOnly provider omron, source type cuff or watch, users who have it connected now, at most 500 users.\n',
		);
	});

	it('says nothing of Only Connected Users without a provider, which leaves nobody out', async () => {
		person('calm', steady('120/78'));
		const { text } = await told(message({ options: { onlyConnected: true, userLimit: 1 } }));
		expect(text).toContain('\nOnly at most 1 user.\n');
	});

	it('says nothing of a window of the team for one user', async () => {
		const { user_id: value } = person('calm', steady('120/78'));
		const one = { userScope: 'one', user: { __rl: true, mode: 'userId', value } };
		expect((await told(message({ ...one, options: { userOffset: 5 } }))).text).not.toContain('Only');
	});

	it('no word of ours is a format either', async () => {
		person('anna', ['30 08:00 190/100']);
		const provider = { __rl: true, mode: 'slug', value: 'apple_health_kit' };
		const shown = await run(message({ provider }), { timezone: 'America/New_York', onError: 'continueRegularOutput' });
		const other = await run(message(), { timezone: 'America/New_York' });
		expect(other.rows[0].text).toContain('Times in America/New＿York, values');
		for (const { text } of [...shown.rows, ...other.rows]) expect(text).not.toMatch(/[*_`~<>[\]#@|]/);
	});

	it("names the user's own time zone", async () => {
		person('ben', steady('150/92', 24));
		Object.assign(person('tokyo', steady('150/92', 24)), {
			fallback_time_zone: { id: 'Asia/Tokyo', source_slug: 'omron', updated_at: '2026-01-01T00:00:00Z' },
		});
		const { text } = await told(message({ options: { userTimeZone: true } }));
		expect(text).toContain("Times in each person's own time zone, else Europe/Berlin, values in mmHg.");
		expect(text).toContain('\nNewest reading of all: Mon 30 Nov 04:10.\n');
		expect(text).toContain('latest 150/92 Mon 30 Nov 04:10, by cuff, times in Asia/Tokyo');
		expect(text).toContain('latest 150/92 Sun 29 Nov 20:10, by cuff\n');
	});

	it('mindfulness is listed by minutes', async () => {
		const sessions = { eva: [30], gus: [10, 7.5], tim: [] };
		for (const [name, minutes] of Object.entries(sessions)) {
			person(name, []);
			team[name].readings = minutes.map((one, at) => mindfulness(`2026-11-2${at + 5}T20:00:00Z`, one));
		}
		const { text } = await told({
			...message({ limits: {}, options: { compareWith: 'period' } }),
			operation: 'mindfulnessMinutes',
		});
		expect(text).toContain('\n3 people, 0 not read, 1 without sessions (0 new), 2 with sessions.\n');
		expect(section(text, 'With sessions: 2')).toEqual([
			'• eva: 30 min, before none, 1 session on 1 day, latest 30 Wed 25 Nov 21:00, by ring',
			'• gus: 17.5 min, before none, 2 sessions on 2 days, latest 7.5 Thu 26 Nov 21:00, by ring',
		]);
	});

	it('row_id is of metric, selection and period', async () => {
		const ben = person('ben', steady('120/80'));
		person('calm', steady('120/80'));
		const idOf = async (more: INodeParameters) => (await told(message(more))).row_id;
		const one = (value: string) => ({ userScope: 'one', user: { __rl: true, mode: 'userId', value } });
		const same = await idOf({});
		expect(await idOf({ limits: {}, options: {} })).toBe(same);
		const byName = { userScope: 'one', user: { __rl: true, mode: 'clientUserId', value: 'ben' } };
		expect(await idOf(byName)).toBe(await idOf(one(ben.user_id)));
		const others = [
			one(ben.user_id),
			one(team.calm.user.user_id),
			{ userScope: 'listed', usersBy: 'userId', userIds: `${ben.user_id},${team.calm.user.user_id}` },
			{ dateRange: 'last30Days' },
			{ options: { sourceTypes: 'cuff' } },
			{ options: { userOffset: 1 } },
			{ provider: { __rl: true, mode: 'slug', value: 'omron' } },
		];
		const ids = [same];
		for (const other of others) ids.push(await idOf(other));
		expect(new Set(ids).size).toBe(others.length + 1);
	});

	it('a tool gives text and counts, with names that it takes back', async () => {
		person('emil_1', steady('150/92'));
		const { answers } = await runAgent(used.credential, { Tool: message() }, [['Tool', {}]]);
		const [answer] = JSON.parse(answers[0]) as IDataObject[];
		expect(Object.keys(answer)).toEqual(
			'text people not_read reached high newly_high in_range too_few without_readings newly_without_readings'.split(
				' ',
			),
		);
		expect(section(String(answer.text), 'High mean')).toEqual([expect.stringMatching(/^• emil_1: /)]);
		expect(answers[0].length).toBeLessThan(1500);
	});
});
