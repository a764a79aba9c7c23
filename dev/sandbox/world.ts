/**
 * Generated users, devices and readings that the sandbox serves: invented, lifelike, and the same on every machine.
 * A day's readings depend only on the user and the day, so history never changes as time passes. Only the episodes of two users
 * depend on when the sandbox was started too.
 */
import { createHash } from 'node:crypto';
import { unsafeUniformIntDistribution, xoroshiro128plus } from 'pure-rand';
import { METRICS, type MetricName, type Point } from './metrics';
import { iso, type Source, type User } from './schemas';

export { iso } from './schemas';
export type { MetricName } from './metrics';

/** A reading with what the service knows beside the point itself. Times are epoch milliseconds. */
export interface Reading {
	time: number;
	/** When it reached the service: wearables sync late. */
	arrived: number;
	source: Source;
	point: Point;
}

export interface Team {
	key: string;
	users: readonly User[];
}

export interface World {
	teams: readonly Team[];
	/** All readings of a user between two instants (both included), oldest first. */
	readings(userId: string, metric: MetricName, from: number, to: number): Reading[];
}

const PROVIDERS = [
	{ name: 'Omron', slug: 'omron', type: 'cuff' },
	{ name: 'Withings', slug: 'withings', type: 'cuff' },
	{ name: 'Apple Health', slug: 'apple_health_kit', type: 'phone' },
	{ name: 'Fitbit', slug: 'fitbit', type: 'watch' },
	{ name: 'Oura', slug: 'oura', type: 'ring' },
];

const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland', 'Europe/Lisbon'];
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Teams of the default world: everyday, small, and large enough for several pages of users. */
export const TEAMS = [
	{ key: 'sandbox-key-clinic', users: 240 },
	{ key: 'sandbox-key-studio', users: 12 },
	{ key: 'sandbox-key-insurer', users: 1200 },
];

/** Of users of the first team: a reading that should not wait, for alerts to have something to show, and a calmer one after it. */
const EPISODES = new Map([
	[
		userIdOf(TEAMS[0].key, 3),
		[
			{ systolic: 186, diastolic: 112 },
			{ systolic: 148, diastolic: 92 },
		],
	],
	[
		userIdOf(TEAMS[0].key, 15),
		[
			{ systolic: 88, diastolic: 48 },
			{ systolic: 104, diastolic: 62 },
		],
	],
]);

/** @param startedAt epoch milliseconds. Beside Fridays, there is an episode on the day before: always within the last 48 hours */
export function createWorld(teams = TEAMS, startedAt = Date.now()): World {
	const isEpisodeOn = (day: number) => isFriday(day) || day === Math.floor(startedAt / DAY) - 1;
	const built = teams.map(({ key, users }) => ({
		key,
		users: Array.from({ length: users }, (_, index) => createUser(key, index)),
	}));
	return {
		teams: built,
		readings: (userId, metric, from, to) => readings(userId, metric, from, to, isEpisodeOn),
	};
}

function createUser(key: string, index: number): User {
	const random = randomOf(key, index);
	const created = Date.UTC(2024, 0, 1) + random(0, 500) * DAY + random(0, DAY - 1);
	const clientUserId = `app-user-${String(index + 1).padStart(4, '0')}`;
	const sources = sourcesOf(userIdOf(key, index));
	const zone = random(0, 9) === 0 ? null : ZONES[random(0, ZONES.length - 1)];

	return {
		user_id: userIdOf(key, index),
		team_id: uuid('team', key),
		client_user_id: clientUserId,
		created_on: iso(created),
		connected_sources: sources.map(({ name, slug }, at) => ({
			created_on: iso(created + (at + 1) * HOUR),
			source: { name, slug, logo: `https://logos.example/${slug}.svg` },
		})),
		fallback_time_zone:
			zone === null ? null : { id: zone, source_slug: sources[0]?.slug ?? 'manual', updated_at: iso(created + DAY) },
		fallback_birth_date:
			random(0, 3) === 0
				? null
				: {
						value: `${random(1945, 2004)}-06-15`,
						source_slug: sources[0]?.slug ?? 'manual',
						updated_at: iso(created + DAY),
					},
		ingestion_start: null,
		ingestion_end: null,
	};
}

/** One user in eight has nothing connected; the others have one to three sources. */
function sourcesOf(userId: string) {
	const random = randomOf(userId, 'sources');
	if (random(0, 7) === 0) return [];
	const first = random(0, PROVIDERS.length - 1);
	const many = random(1, 3);
	return Array.from({ length: many }, (_, at) => PROVIDERS[(first + at) % PROVIDERS.length]);
}

/** Includes two days before and after, since a session may begin the day before and clocks differ. */
function readings(
	userId: string,
	metric: MetricName,
	from: number,
	to: number,
	isEpisodeOn: (day: number) => boolean,
): Reading[] {
	const sources = sourcesOf(userId).filter(({ slug }) => METRICS[metric].providers.includes(slug));
	const all: Reading[] = [];
	for (const source of sources) {
		for (let day = Math.floor(from / DAY) - 1; day <= Math.floor(to / DAY) + 1; day++) {
			all.push(...readingsOfDay(userId, metric, source, day));
			if (metric === 'blood_pressure' && source === sources[0] && isEpisodeOn(day))
				all.push(...episodeOf(userId, source, day));
		}
	}
	return all.filter(({ time }) => time >= from && time <= to).sort((a, b) => a.time - b.time);
}

/** Mornings and evenings, with days left out; one person in six runs high. */
function readingsOfDay(
	userId: string,
	metric: MetricName,
	{ slug, type }: { slug: string; type: string },
	day: number,
): Reading[] {
	const random = randomOf(userId, metric, slug, day);
	const isHigh = randomOf(userId, 'pressure')(0, 5) === 0;
	return [7, 20].flatMap((hour): Reading[] => {
		const isLeftOut = random(0, 9) < 3;
		const time = day * DAY + hour * HOUR + random(0, HOUR - 1);
		// Most readings arrive within minutes, some after a night or a weekend.
		const arrived = time + (random(0, 9) === 0 ? random(6, 40) * HOUR : random(1, 10) * 60_000);
		const source = { provider: slug, type };
		const drawn = {
			minutes: random(3, 30),
			systolic: (isHigh ? 138 : 116) + random(-12, 16),
			diastolic: (isHigh ? 88 : 74) + random(-8, 10),
		};
		return isLeftOut ? [] : [{ time, arrived, source, point: METRICS[metric].point(time, drawn) }];
	});
}

/** Both readings arrive together, so that the calmer one is never missing. */
function episodeOf(userId: string, { slug, type }: { slug: string; type: string }, day: number): Reading[] {
	const times = [0, 20 * 60_000].map((after) => day * DAY + 9 * HOUR + after);
	const arrived = times[1] + 60_000;
	return (EPISODES.get(userId) ?? []).map((pressure, at) => ({
		time: times[at],
		arrived,
		source: { provider: slug, type },
		point: METRICS.blood_pressure.point(times[at], { minutes: 0, ...pressure }),
	}));
}

/** 1 January 1970 was a Thursday. */
const isFriday = (day: number) => day % 7 === 1;

/** A random integer source that always gives the same numbers for the same words. */
function randomOf(...seed: Array<string | number>) {
	const generator = xoroshiro128plus(createHash('sha256').update(seed.join('|')).digest().readInt32LE());
	return (least: number, most: number) => unsafeUniformIntDistribution(least, most, generator);
}

function userIdOf(key: string, index: number) {
	return uuid('user', key, index);
}

/** A valid version 4 UUID that is always the same for the same words. */
export function uuid(...seed: Array<string | number>): string {
	const hex = createHash('sha256').update(seed.join('|')).digest('hex');
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
