/**
 * Client User ID: what may be typed as the client's own identifier of a user.
 */
import { isClientUserId } from '../service/users';
import { Problem } from '../shared/problem';
import { text } from '../shared/values';

/** @throws Problem for what no request can ask for */
export function readClientUserId(value: unknown): string {
	const id = text(value);
	if (isClientUserId(id)) return id;
	throw new Problem(
		id ? "'Client User ID' is not an identifier" : "'Client User ID' is empty",
		'Enter the identifier that your application gave to this user',
	);
}
