/** Answers of a service for dev/sandbox/compare.ts: GET requests, one at a time, for the first users and their readings. */
import axios from 'axios';
import { METRICS } from './metrics';

export type Json = Record<string, unknown>;
/** Status 0: no answer, or one that broke off. `data` is empty where the text is no JSON object. */
export interface Answer {
	status: number;
	headers: Json;
	text: string;
	data: Json;
}

/** Sent where a wrong value is needed: an answer that has it repeats what it was given. */
export const MADE_UP = 'made-up-value';
const DAYS = 90;
const MOST_USERS = 10;
const MOST_PAGES = 5;

export const asObject = (value: unknown) =>
	(typeof value === 'object' && !Array.isArray(value) && value !== null ? value : {}) as Json;
export const listOf = (value: unknown) => (Array.isArray(value) ? value.map(asObject) : []);
/** As the node reads it: `next` is deprecated. */
export const cursorOf = ({ data }: Answer) => data.next_cursor || data.next;

async function request(url: string, headers: Record<string, string>): Promise<Answer> {
	const options = { headers, maxRedirects: 0, timeout: 30_000, validateStatus: null };
	// axios would parse what JSON.parse takes, and pass on the rest as text.
	const transformResponse = (text: string) => text;
	try {
		const { status, data: text, headers: given } = await axios.get<string>(url, { ...options, transformResponse });
		return { status, text, headers: { ...given }, data: parsed(text) };
	} catch {
		return { status: 0, text: '', headers: {}, data: {} };
	}
}

function parsed(text: string): Json {
	try {
		return asObject(JSON.parse(text));
	} catch {
		return {};
	}
}

/** @throws Error when the user list cannot be read */
export async function observe(baseUrl: string, key: string, now = Date.now()) {
	const root = new URL(baseUrl).href.replace(/\/+$/, '');
	const answers: Answer[] = [];
	/** Follows one redirect: the key goes nowhere but to the origin of the base URL. */
	const get = async (path: string, headers: Record<string, string> = { 'x-service-api-key': key }) => {
		answers.push(await request(root + path, headers));
		const target = new URL(String(answers.at(-1)!.headers.location ?? root), root + path);
		const isRedirect = answers.at(-1)!.headers.location && target.origin === new URL(root).origin;
		if (isRedirect) answers.push(await request(target.href, headers));
		return answers.at(-1)!;
	};

	const first = await get('/v2/user?offset=0&limit=5');
	if (!first.data.users) throw new Error(`The user list could not be read (status ${first.status}): check URL and key`);
	const list = {
		first,
		second: await get('/v2/user?offset=1&limit=5'),
		plain: await get('/v2/user'),
		slash: await get('/v2/user/'),
		most: await get('/v2/user?offset=0&limit=500'),
		tooMany: await get('/v2/user?offset=0&limit=501'),
		below: await get('/v2/user?offset=-1&limit=5'),
		after: await get('/v2/user?offset=1000000000&limit=5'),
	};
	const users = listOf((list.most.data.users ? list.most : first).data.users);
	const start = new Date(now - DAYS * 86_400_000).toISOString().slice(0, 10);
	const pathOf = (user: Json = {}, metric = 'blood_pressure') =>
		`/v2/timeseries/${encodeURIComponent(String(user.user_id))}/${metric}/grouped`;

	/** Pages of one user's readings, in the order of their cursors. */
	const chains: Array<{ metric: string; pages: Answer[] }> = [];
	for (const user of users.slice(0, MOST_USERS)) {
		for (const metric of Object.keys(METRICS)) {
			const path = `${pathOf(user, metric)}?start_date=${start}`;
			const pages = [await get(path)];
			for (let cursor = cursorOf(pages[0]); cursor && pages.length < MOST_PAGES; cursor = cursorOf(pages.at(-1)!))
				pages.push(await get(`${path}&next_cursor=${encodeURIComponent(String(cursor))}`));
			chains.push({ metric, pages });
		}
	}
	return {
		...{ answers, key, list, users, chains },
		resolved: await get(`/v2/user/resolve/${encodeURIComponent(String(users[0]?.client_user_id))}`),
		unknown: await get(`/v2/user/resolve/${MADE_UP}`),
		withoutKey: await get('/v2/user?offset=0&limit=1', {}),
		withoutStart: await get(pathOf(users[0])),
		wrongStart: await get(`${pathOf(users[0])}?start_date=${MADE_UP}`),
		withPlus: await get(`${pathOf(users[0])}?start_date=${start}T00:00:00+00:00`),
	};
}

export type Observed = Awaited<ReturnType<typeof observe>>;
