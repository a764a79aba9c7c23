/** Quirks of responses about users, as quirks.ts has those of readings. */
import { rewriteTimes } from './quirks';
import type { User } from './schemas';
import type { Switches } from './switches';

type Json = Record<string, unknown>;
type UserListPage = { users: User[]; total: number; offset: number; limit: number };

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
