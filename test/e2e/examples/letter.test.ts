/** The weekly letter of a real n8n, as its mail server gets it, with the node's own texts, and pictures of it in a browser. */
import { DateTime } from 'luxon';
import type { IDataObject, INode } from 'n8n-workflow';
import type { User } from '../../../dev/sandbox/schemas';
import { defaultSwitches } from '../../../dev/sandbox/switches';
import { useHost } from '../n8n';
import { bloodPressure, KEY, History } from '../../helpers/people';
import { LAST_MONDAY, ZONE } from './exampleWorld';
import { readExample } from './files';
import { canvasPicture, mailPicture, SHOWN_ZONE } from './letterPicture';
import { startMailServer } from './mailServer';
import { prepare, type Example } from './run';

const LETTER = 'weekly-letter.json';
const FROM = 'n8n@clinic.example';
const TO = 'care-team@clinic.example';
const monday = DateTime.fromISO(LAST_MONDAY, { zone: ZONE });

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

/** A reading at a clock time of a day of last week, 0 for Monday. */
const on = (day: number, hours: number) => monday.plus({ days: day, hours });
const add = (user: User, time: DateTime, systolic: number, diastolic: number) =>
	history.add(user, bloodPressure(time.toUTC().toISO()!, systolic, diastolic));
/** Sends the letter: the item of the node, and the mail. */
async function send(key = KEY) {
	const { id } = await host.rest.importWorkflow(await prepared(key));
	const { status, runData } = await host.rest.runWorkflow(id);
	expect([status, mail.mails.length]).toEqual(['success', 1]);
	const [{ json: item }] = runData['Blood Pressure'][0].data.main[0];
	return { id, item: item as IDataObject, mail: mail.mails[0] };
}

/** The end of the text, and of the HTML. */
const NEXT_STEP = /Next step .*: measure again after five minutes of rest, and follow your protocol\.(<\/p>)?\s*$/;

function expectLetter({ item, mail }: Awaited<ReturnType<typeof send>>) {
	const { subject, text = '', html, attachments } = mail;
	expect([subject, attachments]).toEqual([item.subject, []]);
	const trimmed = (made: unknown) => String(made).trim().replaceAll('\r\n', '\n');
	for (const [sent, made] of [
		[text, item.text],
		[html, item.html],
	]) {
		expect(trimmed(sent).startsWith(trimmed(made))).toBe(true);
		expect(trimmed(sent)).toMatch(NEXT_STEP);
	}
}

it('sends the texts of the node to the care team, about last week from Monday to Sunday', async () => {
	const high = history.addUser('app-user-0001');
	for (const hours of [0, 7, 7 * 24 - 0.01]) add(high, monday.plus({ hours }), 188, 96);
	// Neither is of last week.
	const low = history.addUser('app-user-0002');
	add(low, monday.minus({ seconds: 1 }), 200, 130);
	add(low, monday.plus({ weeks: 1 }), 200, 130);
	const refused = history.addUser('app-user-0003');
	host.sandbox.switches.users = { [refused.user_id]: 'refused' };
	const sent = await send();
	expectLetter(sent);
	expect([sent.mail.from?.text, [sent.mail.to].flat()[0]?.text]).toEqual([FROM, TO]);
	const counts = { people: 3, not_read: 1, high: 1, newly_high: 1, reached: 1, too_few: 1, without_readings: 1 };
	expect(sent.item).toMatchObject({ ...counts, newly_without_readings: 1 });
	for (const made of [sent.item.text, sent.item.html])
		for (const name of ['app-user-0001', 'app-user-0002', 'app-user-0003']) expect(made).toContain(name);
});

it('says so when the step before fails as a whole', async () => {
	const { nodes, ...example } = await prepared();
	const gone = await host.credential(KEY);
	await host.rest.delete(`/rest/credentials/${gone}`);
	const withoutCredential = (node: INode): INode =>
		node.name === 'Blood Pressure'
			? { ...node, credentials: { healthDataServiceApi: { id: gone, name: 'gone' } } }
			: node;
	const { id } = await host.rest.importWorkflow({ ...example, nodes: nodes.map(withoutCredential) });
	await host.rest.runWorkflow(id);
	expect(mail.mails).toMatchObject([{ subject: 'Blood pressure: nothing was read' }]);
	for (const made of [mail.mails[0].text, mail.mails[0].html])
		expect(made).toContain('Nothing was read: the step “Blood Pressure” failed');
});

it('says that nobody could be read', async () => {
	const sent = await send('wrong');
	expectLetter(sent);
	for (const made of [sent.mail.text, sent.mail.html])
		expect(made).toContain('The service did not accept the API key (status 401)');
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

	const shownHtml = (html: unknown) => String(html).replaceAll(ZONE, SHOWN_ZONE);

	it('letter: the canvas above the letter', async () => {
		usual();
		const { id, mail } = await send();
		const canvas = await canvasPicture(host.url, id, 170);
		const screen = { width: 640, height: 420 };
		// Without the notes below the counts, so that people are in the picture.
		const letter = shownHtml(mail.html).replace(/(<h1>[^]*?<\/p>)[^]*?(?=<h2>)/, '$1<p>…</p>');
		const page = `<img src="data:image/png;base64,${canvas}" width="100%">${letter}`;
		expect(await mailPicture('letter', page, screen)).toEqual({ width: screen.width });
	});

	it.each([
		['letter-phone', usual, { width: 360, height: 420, heading: 0 }],
		['letter-dark', usual, { width: 360, height: 440, isDark: true, heading: 1 }],
		['letter-60-users', sixty, { width: 360, height: 360, heading: 0 }],
	])('%s: nothing is wider than the screen', async (name, fill, screen) => {
		fill();
		const { mail } = await send();
		expect(await mailPicture(name, shownHtml(mail.html), screen)).toEqual({ width: screen.width });
	});
});
