/** User endpoints: one page of the user list, Resolve, the connected sources of a user and their slugs (contract 4.3, 4.4). */
import type { IDataObject } from 'n8n-workflow';
import { hasDotSegment } from '../../http/authenticate';
import { SINGLE_ATTEMPT, withOptions, type Get } from '../../http/client';
import { missingFieldError } from '../../http/errors';
import { classifyStatus } from '../../http/classify';
import { Problem, problemOfAll } from '../../shared/problem';
import { isObject, joinNames, text } from '../../shared/values';

/** The user of a row. `client_user_id` is null where only the user ID is known. */
export interface UserRef {
	user_id: string;
	client_user_id: string | null;
}

export const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const WHOLE_UUID = new RegExp(`^${UUID}$`);

export const isUserId = (id: string) => WHOLE_UUID.test(id);

/** For rows and keys: a UUID is the same in upper and lower case (RFC 9562), and databases print it either way. */
export const lowerUserId = (id: string) =>
	isUserId(id) ? id.toLowerCase() : id;

/** Whether it can be part of a path. An ID is encoded there, so one such as `%2e` is encoded twice. */
export const isClientUserId = (id: string) =>
	id !== '' && id.isWellFormed() && !hasDotSegment(encodeURIComponent(id));

/** Whether the readings of a user of the service can be requested: the ID is one segment of the path. */
export const isUsableUserId = (id: string) =>
	isClientUserId(id) && !/[/\\]/.test(id);

export const unusableUserId = () =>
	new Problem(
		'The service gives this user an ID that cannot be part of an address',
		'Nothing was sent for this user. Ask the people who run the service',
	);

/** A user ID in an error: one with other characters could forge a line of a log, or be more than an ID. */
export const shownUserId = (id: string) =>
	/^[\w-]{1,64}$/.test(id) ? id : '(an ID with unusual characters)';

/** The user with this client user ID, which may contain any character (quirk 15); undefined if there is none. */
export async function resolveUser(get: Get, clientUserId: string) {
	if (!isClientUserId(clientUserId)) throw unusableUserId();
	const path = `/v2/user/resolve/${encodeURIComponent(clientUserId)}`;
	const user = await get(path, {}, () => undefined);
	if (!user) return undefined;
	if (typeof user.user_id !== 'string') throw missingFieldError('user_id');
	// Some services ignore upper and lower case.
	const given = text(user.client_user_id).toLowerCase();
	if (given === clientUserId.toLowerCase()) return user;
	throw new Problem(
		"The service gave the record of another user for this 'Client User ID'",
		'Nothing was read, because the data would be those of another person. Ask the people who run the service',
	);
}

/** Quirk 16. */
export const noSuchUser = (message: string) =>
	new Problem(
		message,
		"Check the identifier, including blanks and upper and lower case, and which of the two it is (User → List shows both), and that the credential's key belongs to the team of this user",
		{ httpCode: '404' },
	);

export const noSuchClientUser = () =>
	noSuchUser("There is no user with this 'Client User ID'");

/** Maximum of the query parameter `limit` (contract section 8). */
export const MAX_PAGE_SIZE = 500;

/** One page of the user list. The service may return fewer users than `limit`. */
export interface UserPage {
	users: IDataObject[];
	/** Number of users in the list, if the service sends it. It may be wrong (quirk 24). */
	total?: number;
}

export async function userPage(
	get: Get,
	offset: number,
	pageSize = MAX_PAGE_SIZE,
) {
	const { users, total } = await get('/v2/user', { offset, limit: pageSize });
	if (!Array.isArray(users) || !users.every(isObject))
		throw missingFieldError('users');
	if (
		!users.every(({ user_id }) => typeof user_id === 'string' && text(user_id))
	)
		throw problemOfAll(
			"A user in the service's list has no 'user_id'",
			'Without it the readings of this user cannot be requested. Ask the people who run the service',
		);
	return {
		users: users as IDataObject[],
		total: typeof total === 'number' ? total : undefined,
	};
}

/**
 * A page that begins at `total` or later. Some services reject it with any status instead of sending an empty page (quirk 12), so
 * it is requested once. After 429, 503 or a network error it is requested again, with the usual retries.
 */
export async function pageBeyondTotal(
	get: Get,
	offset: number,
	pageSize: number,
) {
	try {
		return await userPage(withOptions(get, SINGLE_ATTEMPT), offset, pageSize);
	} catch (error) {
		const status = Number((error as Partial<Problem>).httpCode);
		if (status >= 400 && classifyStatus(status) !== 'throttled')
			return { users: [] };
		return await userPage(get, offset, pageSize);
	}
}

/** Slug and name of the connected sources. Entries may be incomplete (quirks 5, 8). */
export function connectedSources(user: IDataObject) {
	const entries = Array.isArray(user.connected_sources)
		? (user.connected_sources as IDataObject[])
		: [];
	return entries.flatMap((entry) => {
		const { slug, name } = (entry?.source ?? {}) as IDataObject;
		if (typeof slug !== 'string') return [];
		return [{ slug, name: text(name) || slug }];
	});
}

/** The name of the user's time zone, not validated (contract 2.4); undefined where the record has none. */
export function timeZoneOf(user: IDataObject): string | undefined {
	const zone = user.fallback_time_zone;
	return isObject(zone) && typeof zone.id === 'string' ? zone.id : undefined;
}

/** Slugs of the sources connected now, as text; null for a record that does not say. */
export const connectedSlugs = (user: IDataObject): string | null =>
	Array.isArray(user.connected_sources)
		? joinNames(connectedSources(user).map(({ slug }) => slug))
		: null;

/** Whether the user has a provider connected now. @param provider a slug */
export const isConnectedTo = (user: IDataObject, provider: string) =>
	connectedSources(user).some(({ slug }) => slug === provider);
