/**
 * Users of the team: naming one in a path, looking one up, and which sources are connected.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get, RequestOptions } from '../http/client';
import { missingFieldError } from '../http/errors';
import { Problem } from '../shared/problem';

export const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const WHOLE_UUID = new RegExp(`^${UUID}$`);

export const isUserId = (id: string) => WHOLE_UUID.test(id);

/** Whether a request can ask for it: a dot segment would change the path on the way, however it is encoded. */
export const isClientUserId = (id: string) => !['', '.', '..'].includes(id) && id.isWellFormed();

/** Looks a user up by the client's own identifier (contract 4.4), which may hold any character (quirk 15). */
export async function resolveUser(
	get: Get,
	clientUserId: string,
	once?: RequestOptions,
): Promise<IDataObject | undefined> {
	const user = await get(`/v2/user/resolve/${encodeURIComponent(clientUserId)}`, {}, () => undefined, once);
	if (user && typeof user.user_id !== 'string') throw missingFieldError('user_id');
	return user;
}

/** For those who cannot go on without the user (quirk 16). */
export const noSuchClientUser = () =>
	new Problem(
		"There is no user with this 'Client User ID'",
		"Check the identifier, including upper and lower case (User → List shows them), and that the credential's key belongs to the team of this user",
		{ httpCode: '404' },
	);

/** Slug and display name of the sources a user has connected; entries may be incomplete (quirks 5, 8). */
export function connectedSources(user: IDataObject): Array<{ slug: string; name: string }> {
	const entries = Array.isArray(user.connected_sources) ? (user.connected_sources as IDataObject[]) : [];
	return entries.flatMap((entry) => {
		const { slug, name } = (entry?.source ?? {}) as IDataObject;
		return typeof slug === 'string' ? [{ slug, name: typeof name === 'string' ? name : slug }] : [];
	});
}

/** Whether `provider` (a slug) is among the user's connected sources. */
export const isConnectedTo = (user: IDataObject, provider: string) =>
	connectedSources(user).some(({ slug }) => slug === provider);
