/**
 * Client User ID: what may be typed as the client's own identifier of a user.
 */
import { isClientUserId } from '../service/users';
import { Problem } from '../shared/problem';
import { isBlank, toText, whatCame } from '../shared/values';

const FIELD = 'Client User ID';
const ADVICE = 'Enter the identifier that your application gave to this user';

/** @throws Problem for what no request can ask for */
export function readClientUserId(value: unknown): string {
	if (isBlank(value)) throw new Problem(`'${FIELD}' is empty`, ADVICE + whatCame(value));
	const id = toText(value, FIELD, ADVICE);
	if (isClientUserId(id)) return id;
	throw new Problem(`'${FIELD}' is not an identifier`, ADVICE);
}
