/**
 * Check of *Provider* and *Source Types* after a read that found nothing: a name in place of the slug, a slug in capitals, or a type
 * that the service does not use, would look like people who measure nothing.
 */
import type { Get } from '../../http/client';
import { Problem } from '../../shared/problem';
import { userPages } from './list';
import { connectedSources } from './users';

/**
 * @param wanted in lower case
 * @param types of all readings that came
 * @returns the Problem of types that none of the readings has
 */
export function sourceTypesProblem(
	wanted: readonly string[],
	types: ReadonlySet<string>,
): Problem | undefined {
	const isWanted = (type: string) => wanted.includes(type.toLowerCase());
	if (!wanted.length || !types.size || [...types].some(isWanted)) return;
	const named = namesOf(types);
	return new Problem(
		"Readings came, but none is of the 'Source Types'",
		named
			? `Their source types are: ${named}`
			: "Without 'Source Types', the column source_type shows those that they have",
	);
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
	const named = namesOf(slugs);
	return new Problem(
		`'${field}' is not the ID of a provider that a user has connected`,
		named
			? `Enter the ID, in the same upper and lower case, such as ${named}`
			: `Pick one from the list, or leave '${field}' empty for all`,
	);
}

/** Slugs or types named in an error. */
const MAX_NAMED = 10;

/** A word of the service that could forge a line, or be more than a slug or a type, is not named. */
const NAME = /^[\w.-]{1,64}$/;

function namesOf(words: ReadonlySet<string>) {
	const named = [...words].filter((word) => NAME.test(word)).sort();
	return named.slice(0, MAX_NAMED).join(', ');
}
