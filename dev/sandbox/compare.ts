/**
 * Comparison of a service with docs/contract.md and docs/quirks.md (`npm run sandbox -- --compare URL`): what its answers show of each
 * section and each quirk. A sign has names of fields, statuses and counts, never a value: it may be an identifier or a reading.
 */
import { FormatRegistry, Type, type TObject, type TSchema } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { METRICS } from './metrics';
import { asObject, cursorOf, listOf, MADE_UP, observe, type Answer, type Json, type Observed } from './observe';
import { ConnectedSource, Grouped, Source, User, UserList } from './schemas';

/** `of`: such as `contract 2.4` or `quirk 12`. Without readings or users that could show a sign, `signs` is undefined. */
export type Finding = { of: string; signs?: string[] };

FormatRegistry.Set('uuid', (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text));
FormatRegistry.Set('date-time', (text) => /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text));
FormatRegistry.Set('date', (text) => /^\d{4}-\d\d-\d\d$/.test(text));

const unique = (texts: unknown[]) => [...new Set(texts.map(String))].sort();
/** The signs that are seen. */
const seen = (signs: Record<string, unknown>) => Object.keys(signs).filter((name) => signs[name]);
const hasDuplicates = (texts: unknown[]) => new Set(texts).size < texts.length;
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Fields that do not fit, without indexes and keys of groups. */
function misfits(schema: TSchema, values: unknown[]) {
	const compiled = TypeCompiler.Compile(schema);
	const wrong = values.filter((value) => !compiled.Check(value));
	const paths = wrong.flatMap((value) => [...compiled.Errors(value)].map(({ path }) => path));
	return unique(paths.map((path) => path.replace(/^\/groups\/[^/]+|\/\d+/g, '').slice(1) || 'groups'));
}
const namesBeyond = ({ properties }: TObject, values: Json[], prefix = '') =>
	unique(values.flatMap(Object.keys)).flatMap((name) => (name in properties ? [] : prefix + name));

const groupsOf = ({ data }: Answer) =>
	Object.entries(asObject(data.groups)).flatMap(([slug, groups]) =>
		listOf(groups).map(({ data: points, source }) => ({ slug, points: listOf(points), source: asObject(source) })),
	);

/** How a time is written, without the time. */
function notation(time: unknown) {
	const [, fraction = '', zone = 'no zone'] = /T[\d:]+(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$/.exec(String(time)) ?? [];
	return `${/\d/.test(zone) ? 'offset' : zone}, ${fraction.length} digits of a second`;
}

function form({ status, data }: Answer) {
	const detail = Array.isArray(data.detail) ? 'a list' : typeof data.detail;
	return [`status ${status}`, 'detail' in data ? `detail is ${detail}` : 'no detail'];
}

/** How a page names the next one, or none. */
function ending({ data }: Answer) {
	if (!data.next_cursor && data.next) return 'next only';
	return data.next_cursor === '' ? 'next_cursor is empty' : 'no next_cursor';
}

/** Readings of one time and source in the pages of a user. */
function repeated(pages: Answer[]) {
	const places: Record<string, string[]> = {};
	for (const { slug, points, source } of pages.flatMap(groupsOf)) {
		for (const point of points) {
			const place = JSON.stringify([slug, source, point.timestamp ?? point.start]);
			(places[place] ??= []).push(JSON.stringify(point));
		}
	}
	return Object.values(places);
}

const VALUES = ['systolic', 'diastolic', 'value'];

function signsOf(observed: Observed): Record<string, string[]> {
	const { answers, chains, users, list, unknown, withPlus, withoutKey, wrongStart } = observed;
	const pages = chains.flatMap((chain) => chain.pages).filter(({ status }) => status === 200);
	const groups = pages.flatMap(groupsOf);
	const sources = groups.map(({ source }) => source);
	const points = groups.flatMap((group) => group.points);
	const pointsOf = (metric: string) => {
		const ofMetric = chains.filter((chain) => chain.metric === metric).flatMap((chain) => chain.pages);
		return ofMetric.flatMap(groupsOf).flatMap((group) => group.points);
	};
	const values = points.flatMap((point) => VALUES.flatMap((name) => (name in point ? [point[name]] : [])));
	const times = [...points.map(({ timestamp, start }) => timestamp ?? start), ...users.map((user) => user.created_on)];
	const connected = users.flatMap((user) => listOf(user.connected_sources));
	const repeats = chains.flatMap((chain) => repeated(chain.pages));
	const failed = chains.filter((chain) => chain.pages.some(({ status }) => status !== 200));
	const statuses = (...all: number[]) => unique(answers.flatMap(({ status }) => (all.includes(status) ? status : [])));
	const withoutData = answers.filter(({ status, data }) => status === 200 && isSame(data, {}));
	const retryAfter = answers.flatMap(({ headers }) => headers['retry-after'] ?? []).map(String);
	const isPast = (text: string) => Number(text) === 0 || Date.parse(text) < Date.now();
	const totals = Object.values(list).flatMap(({ status, data }) => (status === 200 ? (data.total ?? []) : []));
	const isCount = (total: unknown) => typeof total === 'number' && total >= users.length;
	const [one, two, plain, slash] = [list.first, list.second, list.plain, list.slash].map(({ data }) =>
		listOf(data.users),
	);

	return {
		'contract 2.1': unique(pages.flatMap(({ data }) => misfits(Grouped(Type.Object({})), [data]))),
		'contract 2.2': misfits(METRICS.mindfulness_minutes.shape, pointsOf('mindfulness_minutes')),
		'contract 2.3': misfits(METRICS.blood_pressure.shape, pointsOf('blood_pressure')),
		'contract 2.4': misfits(User, users),
		'contract 2.5': misfits(Type.Omit(UserList, ['users']), [list.first.data]),
		'contract 4.1': seen({ 'start_date is not required': observed.withoutStart.status === 200 }),
		'contract 4.3': seen({
			'/v2/user/ is another list': !isSame(plain, slash),
			'offset is not 0 by default': list.plain.data.offset !== 0,
			'limit is not 100 by default': list.plain.data.limit !== 100,
		}),
		'contract 4.4': seen({ 'another user than in the list': observed.resolved.data.user_id !== users[0]?.user_id }),
		'contract 5': seen({ 'data without a key': withoutKey.status === 200 }),
		'contract 8': seen({ '501 users allowed': list.tooMany.status === 200, '500 refused': list.most.status !== 200 }),
		'quirk 1': unique(pages.filter(({ data }) => data.next_cursor !== null && !data.next_cursor).map(ending)),
		'quirk 2': seen({ 'empty page with a cursor': pages.some((page) => cursorOf(page) && !groupsOf(page).length) }),
		'quirk 3': seen({
			'same cursor again': chains.some((chain) => hasDuplicates(chain.pages.flatMap((page) => cursorOf(page) || []))),
		}),
		'quirk 4': seen({
			'key that is no provider': groups.some(({ slug, source }) => (source.provider ?? slug) !== slug),
			'two groups of one source': pages.some((page) => {
				return hasDuplicates(groupsOf(page).map(({ slug, source }) => JSON.stringify([slug, source])));
			}),
		}),
		'quirk 5': [
			...Object.entries(METRICS).flatMap(([metric, { shape }]) => namesBeyond(shape, pointsOf(metric))),
			...namesBeyond(Source, sources, 'source.'),
			...namesBeyond(User, users, 'user.'),
			...namesBeyond(ConnectedSource, connected, 'connected_sources.'),
		],
		'quirk 6': misfits(Source, sources),
		'quirk 7': seen({
			'another unit than mmHg and min': points.some(({ unit }) => unit !== 'mmHg' && unit !== 'min'),
			'a value as text': values.some((value) => typeof value === 'string'),
			'a value is null': values.includes(null),
		}),
		'quirk 8': misfits(User, users).filter((path) => /^(connected|fallback)/.test(path)),
		'quirk 9': unique(times.map(notation)),
		'quirk 10': seen({ 'refuses +': withPlus.status !== chains[0]?.pages[0].status }),
		'quirk 11': seen({ 'same reading again': repeats.some(hasDuplicates) }),
		'quirk 12': seen({
			'starts elsewhere without offset': !isSame(plain[0], one[0]),
			'fails on numbers out of range': [list.below, list.tooMany].some(({ status }) => status >= 500),
			'caps pages': users.length < Math.min(500, Number(list.first.data.total)),
			'no total': totals.length === 0,
			'refuses a page after the end': list.after.status !== 200,
		}),
		'quirk 13': seen({ redirects: answers.some(({ headers }) => headers.location) }),
		'quirk 15': seen({
			'more than letters, digits, - and _': users.some((user) => /[^\w-]/.test(`${user.client_user_id}`)),
		}),
		'quirk 16': form(unknown),
		'quirk 17': form(wrongStart),
		'quirk 18': form(withoutKey),
		'quirk 19': [...statuses(429, 503), ...seen({ 'Retry-After': retryAfter.length > 0 })],
		'quirk 20': [...statuses(500, 502, 504), ...seen({ 'no complete answer': statuses(0).length > 0 })],
		'quirk 21': [...statuses(206), ...seen({ 'status 200 without a JSON object': withoutData.length > 0 })],
		'quirk 22': seen({ 'repeats the key': answers.some(({ text }) => text.includes(observed.key)) }),
		'quirk 23': seen({ 'readings of some users fail': failed.length > 0 && failed.length < chains.length }),
		'quirk 24': seen({
			'total is no count of the users': !totals.every(isCount),
			'total changes': new Set(totals).size > 1,
			'ignores offset': one.length > 1 && isSame(one[0], two[0]),
			'ignores limit': one.length > 5,
			'users without user_id': users.some((user) => !user.user_id),
		}),
		'quirk 25': [
			...statuses(408, 425, 520, 521, 522, 523, 524),
			...seen({ 'Retry-After of 0 or in the past': retryAfter.some(isPast) }),
		],
		'quirk 26': seen({ 'repeats a value that it was given': `${unknown.text}${wrongStart.text}`.includes(MADE_UP) }),
		'quirk 27': seen({ 'two readings of one time and source': repeats.some((all) => new Set(all).size > 1) }),
	};
}

const NEED_READINGS = ['contract 2.1', ...[1, 2, 3, 4, 6, 7, 11, 23, 27].map((row) => `quirk ${row}`)];

/** @throws Error when the user list cannot be read */
export async function compare(baseUrl: string, key: string, now?: number): Promise<Finding[]> {
	const observed = await observe(baseUrl, key, now);
	const withReadings = observed.chains.filter(({ pages }) => pages.some((page) => groupsOf(page).length > 0));
	const metrics = withReadings.map(({ metric }) => metric);
	const unseen = [
		...(metrics.length > 0 ? [] : NEED_READINGS),
		...(metrics.includes('mindfulness_minutes') ? [] : ['contract 2.2']),
		...(metrics.includes('blood_pressure') ? [] : ['contract 2.3']),
	];
	return Object.entries(signsOf(observed)).map(([of, signs]) => (unseen.includes(of) ? { of } : { of, signs }));
}
