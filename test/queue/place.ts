/** Where a night of the tests happens: the n8n, the service, the team, and what the table of its readings must hold. */
import type { User } from '../../dev/sandbox/schemas';
import type { Sandbox } from '../../dev/sandbox/server';
import type { Team } from '../../dev/sandbox/world';
import type { Nightly, Queue } from './nightly';
import { rowsBefore, tablesOf, type Bend } from './table';

export interface Place {
	queue: Queue;
	sandbox: Sandbox;
	nightly: Nightly;
	team: Team;
	now: number;
	/** Users by their id, and what becomes of their readings on the way. */
	bent: Map<string, Bend>;
}

/** The team's users: ten shards. */
export const USERS = 500;

/** n8n's default. */
export const ZONE = 'America/New_York';

export const lookAround = (place: Place) => ({
	...place,
	tables: tablesOf(place.queue, place.nightly.database),
	/** The rows of the days before a night. */
	expected: (night: string, days: number, users: readonly User[] = place.team.users) =>
		rowsBefore(night, days, { world: place.sandbox.world, users, now: place.now, zone: ZONE }),
});

/** IDs of users in the paths of requests for readings. */
export const askedFor = (requests: string[]) =>
	new Set(requests.flatMap((url) => /timeseries\/([^/]+)/.exec(url)?.[1] ?? []));

export const idsOf = (users: readonly User[]) => users.map(({ user_id }) => user_id);
