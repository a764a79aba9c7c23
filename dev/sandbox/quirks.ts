/** Quirks of responses (docs/quirks.md): changes valid ones as the switches say, after validation. */
import type { GroupedPage, User } from './schemas';
import { defaultSwitches, type Switches } from './switches';

type Json = Record<string, unknown>;
type UserListPage = { users: User[]; total: number; offset: number; limit: number };

const straight = defaultSwitches();

/** Switches that change a response, beside `oddUserIds`. */
const BENDING = [
	...(['cursorStyle', 'splitGroups', 'largeIds', 'extraFields', 'bareSources', 'oddValues', 'bareUsers'] as const),
	...(['timestamps', 'userTotal', 'lacksUserId', 'hasNaN', 'isPartial'] as const),
];

/** Whether no switch that changes a response is set. */
export const isStraight = (switches: Switches) =>
	BENDING.every((name) => switches[name] === straight[name]) && Object.keys(switches.oddUserIds).length === 0;

/** How the responses of a route are changed: from the valid one to the one to send. */
export type Bend = (answer: never, switches: Switches) => unknown;

export function bendPage(page: GroupedPage, switches: Switches) {
	const groups = switches.splitGroups ? split(page.groups) : page.groups;
	const bent = Object.entries(groups).map(([slug, list]) => [
		slug,
		list.map((group) => bendGroup(group, slug, switches)),
	]);
	return { groups: Object.fromEntries(bent), ...bendCursor(page.next_cursor, switches.cursorStyle) };
}

/** One group per reading, and the same readings of the first provider under a lab's key that its source does not name. */
function split(groups: GroupedPage['groups']): GroupedPage['groups'] {
	const single = Object.entries(groups).map(([slug, list], at) => [
		at === 0 ? 'acme_lab' : slug,
		list.flatMap(({ data, source }) => data.map((point) => ({ data: [point], source }))),
	]);
	return Object.fromEntries(single);
}

function bendGroup(
	{ data, source }: { data: unknown; source: unknown },
	slug: string,
	{ largeIds, extraFields, bareSources, oddValues, timestamps }: Switches,
): Json {
	let points = data as Json[];
	let from: Json | undefined = source as Json;
	if (timestamps !== 'microseconds') points = points.map((point) => rewriteTimes(point, timestamps));
	if (oddValues) {
		points = points.map((point) => ({
			...point,
			unit: 'mm[Hg]',
			...(point.systolic !== undefined && { systolic: String(point.systolic), diastolic: null }),
			...(point.value !== undefined && { value: null }),
		}));
	}
	if (extraFields) {
		points = points.map((point, at) => ({
			...point,
			id: at,
			type: 'sample',
			timezone_offset: 3600,
			user_id: 'theirs',
			...(point.start !== undefined && { timestamp: point.start }),
		}));
		from = {
			...from,
			app_id: 'app.example',
			device_id: null,
			name: slug.toUpperCase(),
			logo: 'https://logos.example/x.svg',
		};
	}
	if (largeIds)
		points = points.map((point, at) => ({ ...point, id: `${at % 2 ? '' : '#'}${2n ** 53n + BigInt(2 * at + 1)}` }));
	if (bareSources) from = slug.length % 2 ? undefined : { provider: slug };
	return { data: points, ...(from && { source: from }) };
}

/** Tokens that no JavaScript value gives: numbers beyond 2^53, marked by `#`, and `NaN`. */
export function withRawTokens(json: string, { largeIds, hasNaN }: Switches): string {
	const text = largeIds ? json.replace(/"#(\d+)"/g, '$1') : json;
	return hasNaN ? text.replace(/\}$/, ',"quality":NaN}') : text;
}

/** Of a reading, a user or a connected source. */
function rewriteTimes(point: Json, style: Switches['timestamps']): Json {
	const withoutZeros = (time: string) => time.replace(/\.?0*\+00:00$/, '');
	const rewrite = (time: string) =>
		({
			z: `${withoutZeros(time)}Z`,
			offset: `${withoutZeros(time)}+00:00`,
			noZone: time.replace(/\+00:00$/, ''),
			microseconds: time,
		})[style];
	return Object.fromEntries(
		Object.entries(point).map(([name, value]) =>
			['timestamp', 'start', 'end', 'created_on'].includes(name) ? [name, rewrite(value as string)] : [name, value],
		),
	);
}

function bendCursor(cursor: string | null, style: Switches['cursorStyle']): Json {
	if (style === 'nextOnly') return { next: cursor };
	if (cursor) return { next_cursor: cursor, next: cursor };
	return { contract: { next_cursor: null }, absent: {}, empty: { next_cursor: '' } }[style];
}

export function bendUserList(page: UserListPage, switches: Switches) {
	const users = page.users.map((user, at) => lackId(bendUser(user, switches, at), switches.lacksUserId, at));
	return { ...page, users, total: bendTotal(page, switches.userTotal) };
}

function lackId(user: Json, how: Switches['lacksUserId'], at: number): Json {
	if (how === 'never' || at % 3 !== 1) return user;
	return { ...user, user_id: { null: null, missing: undefined, empty: '' }[how] };
}

function bendTotal({ total, users, offset }: UserListPage, how: Switches['userTotal']): unknown {
	return {
		right: total,
		missing: undefined,
		zero: 0,
		negative: -1,
		page: users.length,
		tooSmall: Math.floor(total / 2),
		tooLarge: total + 100_000,
		growing: total + 1 + offset,
		text: String(total),
	}[how];
}

export function bendUser(given: User, switches: Switches, at = 0): Json {
	const { bareUsers, extraFields, oddUserIds, timestamps } = switches;
	const rewritten = (one: Json) => (timestamps === 'microseconds' ? one : rewriteTimes(one, timestamps));
	const user = { ...given, connected_sources: given.connected_sources.map(rewritten) } as User;
	return {
		...rewritten(user),
		user_id: oddUserIds[user.client_user_id] ?? user.user_id,
		...(bareUsers && {
			fallback_time_zone: undefined,
			fallback_birth_date: null,
			connected_sources: at % 2 ? null : user.connected_sources.map((entry) => ({ ...entry, source: null })),
		}),
		...(extraFields && {
			user_key: `key-${at}`,
			connected_sources: user.connected_sources.map((entry) => ({ ...entry, provider: entry.source.slug })),
		}),
	};
}
