/** The weekly letter of a real n8n, as its mail server gets it: text, HTML, size, and pictures of it in a browser. */
import { DateTime } from 'luxon';
import type { IDataObject, INode } from 'n8n-workflow';
import type { User } from '../../../dev/sandbox/schemas';
import { defaultSwitches } from '../../../dev/sandbox/switches';
import { useHost } from '../n8n';
import { bloodPressure, KEY } from '../../helpers/people';
import { History } from '../../helpers/history';
import { LAST_MONDAY, ZONE } from './exampleWorld';
import { readExample } from './files';
import { mailPicture, SHOWN_ZONE } from './letterPicture';
import { startMailServer } from './mailServer';
import { prepare, type Example } from './run';

const LETTER = 'weekly-letter.json';
const FROM = 'n8n@clinic.example';
const TO = 'care-team@clinic.example';
const monday = DateTime.fromISO(LAST_MONDAY, { zone: ZONE });
const sunday = monday.plus({ days: 6 });

const history = new History();
const host = useHost(history);
let mail: Awaited<ReturnType<typeof startMailServer>>;
let prepared: (key?: string) => Promise<Example>;
beforeAll(async () => {
	mail = await startMailServer();
	const types = await host.rest.get('/types/nodes.json');
	const smtp = await host.rest.createCredential({ name: 'smtp', type: 'smtp', data: mail.credential });
	/** With the addresses that its user fills in. */
	prepared = async (key = KEY) => {
		const credentials = { smtp, healthDataServiceApi: await host.credential(key) };
		const { nodes, ...example }: Example = prepare(readExample(LETTER), types, credentials, ZONE);
		const filledIn = (node: INode): INode =>
			node.name === 'Send Email' ? { ...node, parameters: { ...node.parameters, fromEmail: FROM, toEmail: TO } } : node;
		return { ...example, nodes: nodes.map(filledIn) };
	};
});
afterAll(async () => await mail?.close());
beforeEach(() => {
	Object.assign(host.sandbox.switches, defaultSwitches());
	Object.assign(history.team, { users: [] });
	history.entries = [];
	mail.mails.length = 0;
});

const shown = (time: DateTime) => time.setLocale('en').toFormat('ccc d LLL HH:mm');
/** A reading at a clock time of a day of last week, 0 for Monday. */
const on = (day: number, hours: number) => monday.plus({ days: day, hours });
const add = (user: User, time: DateTime, systolic: number, diastolic: number) =>
	history.add(user, bloodPressure(time.toUTC().toISO()!, systolic, diastolic));
/** Four readings on each of these days. */
function addDays(user: User, days: number[], systolic: number, diastolic: number) {
	for (const day of days) for (const hour of [7, 8, 19, 20]) add(user, on(day, hour), systolic, diastolic);
}

/** Sends the letter; with rows in place of what the nodes would read. */
async function send({ key = KEY, rows }: { key?: string; rows?: Record<string, IDataObject[]> } = {}) {
	const items = Object.entries(rows ?? {}).map(([name, of]) => [name, of.map((json) => ({ json }))]);
	const { id } = await host.rest.importWorkflow({ ...(await prepared(key)), pinData: Object.fromEntries(items) });
	expect(await host.rest.runWorkflow(id)).toMatchObject({ status: 'success' });
	expect(mail.mails).toHaveLength(1);
	const [{ from, to, subject, text = '', html, attachments }] = mail.mails;
	return { address: [from?.text, [to].flat()[0]?.text], subject, text, html: String(html), attachments };
}
const title = `Blood pressure, ${monday.toFormat('d LLLL')} to ${sunday.toFormat('d LLLL yyyy')}`;

it('tells first what could not be read, then single readings, then means with their week', async () => {
	const high = history.addUser(`app-user-0001 <b>&"'`);
	addDays(high, [0, 3, 4], 148, 94);
	// Maxima of two readings: no reading is 184/114.
	add(high, on(2, 7), 184, 96);
	add(high, on(2, 8), 160, 114);
	add(high, sunday.plus({ hours: 23.5 }), 139, 90);
	addDays(high, [-7, -6, -5], 151, 95);
	const fresh = history.addUser('app-user-0002');
	addDays(fresh, [0, 1], 120, 85);
	addDays(fresh, [-3], 120, 84);
	const low = history.addUser('app-user-0003');
	addDays(low, [0, 1, 2], 110, 70);
	add(low, on(3, 7), 88, 61);
	// Neither is of last week.
	add(low, monday.minus({ seconds: 1 }), 200, 130);
	add(low, monday.plus({ weeks: 1 }), 200, 130);
	add(history.addUser('app-user-0004'), on(0, 7), 0, 0);
	history.addUser('app-user-0005');
	const refused = history.addUser('app-user-0006');
	host.sandbox.switches.users = { [refused.user_id]: 'refused' };

	const { address, subject, text, html, attachments } = await send();
	expect(address).toEqual([FROM, TO]);
	expect([subject, attachments]).toEqual([`${title}: 2 high, 1 not read`, []]);
	const latest = shown(sunday.plus({ hours: 23.5 }));
	expect(text.trim().split('\n')).toEqual([
		title,
		`6 people, times in ${ZONE}, pressures in mmHg`,
		'',
		'COULD NOT BE READ, SO NOTHING IS KNOWN ABOUT THEM: 1',
		"• app-user-0006: The service refuses this user's data (status 403)",
		'',
		'A READING AT OR ABOVE 180/110, OR AT OR BELOW 90/50: 2',
		'(if it has not happened yet: measure again after five minutes of rest, and follow your protocol)',
		`• app-user-0001 <b>&"': 160/114 on ${shown(on(2, 8))} (high); highest 184/96, lowest 139/90, last in that week 139/90 on ${latest}`,
		`• app-user-0003: 88/61 on ${shown(on(3, 7))} (low); highest 110/70, lowest 88/61, last in that week 88/61 on ${shown(on(3, 7))}`,
		'',
		'MEAN AT OR ABOVE 135/85: 2',
		`• app-user-0001 <b>&"': 150.6/95.2, week before 151.0/95.0, 15 readings (Mon 148/94, Wed 172/105, Thu 148/94, Fri 148/94, Sun 139/90)`,
		'• app-user-0002 (new) (too few readings): 120.0/85.0, week before 120.0/84.0, 8 readings (Mon 120/85, Tue 120/85)',
		'',
		'MEAN BELOW 135/85: 1',
		'• app-user-0003: 108.3/69.3, week before 200.0/130.0, 13 readings',
		'',
		'NO USABLE READING: 2',
		'app-user-0004 (the device sends no usable values), app-user-0005',
	]);

	// The same in the HTML, with a cell a day: grey without a reading, red where one reading is beyond the limits.
	const [, head, ...sections] = html.split(/<h[12]>/);
	expect(head).toContain(
		`6 people. Could not be read: 1. With a reading that should not have waited: 2. With a high mean: 2.`,
	);
	const counts = sections.map((section) => /^[^<]*\((\w+)\)<\/h2>/.exec(section)?.[1]);
	expect(counts).toEqual(['1', '2', '2', '1', '2']);
	const cells = [...sections[2].matchAll(/<td bgcolor="(#\w+)" width="44">(\w{3})<br>([^<]*)/g)];
	expect(cells.slice(0, 7).map(([, colour, day, pair]) => `${day} ${pair} ${colour}`)).toEqual([
		...['Mon 148/94 #fdeab5', 'Tue – #eceff1', 'Wed 172/105 #ffcdc8', 'Thu 148/94 #fdeab5', 'Fri 148/94 #fdeab5'],
		...['Sat – #eceff1', 'Sun 139/90 #fdeab5'],
	]);
	// What the service sent is text, not markup.
	expect(html).not.toContain('0001 <b>');
	expect(html).toContain('app-user-0001 &lt;b>&amp;"\'');
});

it('comes also when nobody is high, and for a team without users', async () => {
	for (const days of [[], [0, 1, 2]]) {
		mail.mails.length = 0;
		if (days.length > 0) addDays(history.addUser('app-user-0001'), days, 118, 76);
		const { subject, text } = await send();
		expect(subject).toBe(`${title}: 0 high, 0 not read`);
		expect(text).toContain('MEAN AT OR ABOVE 135/85: 0');
	}
});

it('stays below the 100 kB that Gmail shows, however many users there are', async () => {
	const user = (i: number, status: string, mean: string): IDataObject => ({
		...{
			client_user_id: `${i} `.padEnd(60, 'patient of ward 7 & 8 '),
			user_id: `u${i}`,
			status,
			mean,
			mean_before: mean,
		},
		...{ readings: 28, systolic_mean: Number(mean.split('/')[0]), enough_readings: false, left_out: 1 },
		...{ reached: 'high, low', reached_reading: '186/104', reached_time: '2026-03-02 07:10:03' },
		...{ highest: '186/104', lowest: '88/48', latest: '142/88', latest_time: '2026-03-02 07:10:03' },
	});
	const many = (count: number, status: string, mean: string) =>
		Array.from({ length: count }, (_, i) => user(i + 1000 * count, status, mean));
	const high = many(61, 'high', '152.0/101.0');
	const rows = [...high, ...many(151, 'in range', '118.0/76.0'), ...many(201, 'no readings', '–')];
	const week = Array.from({ length: 7 }, (_, i) => monday.plus({ days: i }).toISODate()!);
	const days = high.flatMap(({ user_id, mean }) => week.map((date) => ({ user_id, date, mean, readings: 4 })));
	const { html } = await send({ rows: { 'Blood Pressure': rows, 'Each Day': days } });
	expect(html).toContain('… and 1 more');
	expect(Buffer.byteLength(html)).toBeLessThan(100_000);
});

describe('looks as in the picture', () => {
	/** Readings around a mean, morning and evening, of two weeks. */
	function around(name: string, systolic: number, diastolic: number, days = 7) {
		const user = history.addUser(name);
		for (let i = -14; i < 2 * days; i++) {
			const more = ((((i * 5 + systolic) % 13) + 13) % 13) - 6;
			add(user, on(Math.floor(i / 2), 7.2 + 12 * (i & 1)), systolic + more, diastolic + Math.round(more / 2));
		}
		return user;
	}
	function usual() {
		around('app-user-1001', 118, 74);
		around('app-user-1002', 142, 89);
		add(around('app-user-1003', 139, 84, 4), on(1, 18.4), 186, 104);
		around('app-user-1004', 121, 76, 2);
		history.addUser('app-user-1005');
		add(around('app-user-1006', 117, 73), on(6, 20.5), 88, 52);
	}
	function sixty() {
		for (let i = 0; i < 60; i++) around(`app-user-${2001 + i}`, 136 + ((i * 7) % 24), 80 + ((i * 5) % 16));
		for (let i = 61; i < 65; i++) around(`app-user-${2000 + i}`, 120, 78);
	}

	it.each([
		['letter', usual, { width: 640, height: 350, heading: 1 }],
		['letter-phone', usual, { width: 360, height: 460, heading: 1 }],
		['letter-dark', usual, { width: 360, height: 440, isDark: true, heading: 1 }],
		['letter-60-users', sixty, { width: 360, height: 500, heading: 2 }],
	])('%s: nothing is wider than the screen', async (name, fill, screen) => {
		fill();
		const { html } = await send();
		const shownHtml = html.replaceAll(ZONE, SHOWN_ZONE);
		expect(await mailPicture(name, shownHtml, screen)).toEqual({ width: screen.width });
	});
});
