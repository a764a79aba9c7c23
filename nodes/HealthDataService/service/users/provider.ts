/**
 * Check of a provider after a read without readings: a name in place of the slug, or a slug in capitals, would look like a team
 * that measures nothing.
 */
import type { Get } from '../../http/client';
import { Problem } from '../../shared/problem';
import { isObject } from '../../shared/values';
import { userPages } from './list';
import { connectedSources } from './users';

/** `get`, which notes whether an answer had readings: the service gives a key for each provider that has some (contract 2.1). */
export function notingReadings(get: Get) {
	const noted: { get: Get; hasReadings: boolean } = {
		hasReadings: false,
		get: async (...request) => {
			const answer = await get(...request);
			const groups = isObject(answer) ? answer.groups : undefined;
			noted.hasReadings ||= Object.keys(Object(groups)).length > 0;
			return answer;
		},
	};
	return noted;
}

/**
 * Reads the user list up to a user who has the provider connected.
 *
 * @param field its display name
 * @returns the Problem of a team in which no user has it; undefined for a team without users
 */
export async function providerProblem(
	get: Get,
	slug: string,
	field = 'Provider',
) {
	const slugs = new Set<string>();
	let hasUsers = false;
	for await (const { users } of userPages(get)) {
		for (const source of users.flatMap(connectedSources))
			slugs.add(source.slug);
		if (slugs.has(slug)) return undefined;
		hasUsers ||= users.length > 0;
	}
	if (!hasUsers) return undefined;
	const message = `'${field}' is not the slug of a provider that a user has connected`;
	return new Problem(message, adviceFor(field, slugs));
}

/** Slugs named in an error. */
const MAX_NAMED = 10;

/** A slug of the service that could forge a line, or be more than a slug, is not named. */
const SLUG = /^[\w.-]{1,64}$/;

function adviceFor(field: string, slugs: Set<string>): string {
	const named = [...slugs].filter((slug) => SLUG.test(slug)).sort();
	if (named.length === 0)
		return `No user of the team has one connected. Leave '${field}' empty for all`;
	const examples = named.slice(0, MAX_NAMED).join(', ');
	return `Enter the slug, in the same upper and lower case, such as ${examples}`;
}
