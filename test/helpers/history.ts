/** Service with readings and users that are added, changed and removed while a trigger watches it. */
import { DateTime } from 'luxon';
import type { User } from '../../dev/sandbox/schemas';
import type { MetricName, Reading, Team, World } from '../../dev/sandbox/world';
import { createUser, KEY } from './people';

export interface Entry {
	user: User;
	metric: MetricName;
	reading: Reading;
}

export class History implements World {
	readonly team: Team = { key: KEY, users: [] };
	readonly teams = [this.team];
	entries: Entry[] = [];

	addUser(name: string, created = '2025-01-01T00:00:00.000000+00:00'): User {
		const user = { ...createUser(name, ['omron']), created_on: created };
		this.team.users = [...this.team.users, user];
		return user;
	}

	removeUser(user: User) {
		this.team.users = this.team.users.filter((one) => one !== user);
	}

	/** `late` in ms: how long after the measurement it reaches the service. */
	add(user: User, reading: Reading, { metric = 'blood_pressure' as MetricName, late = 0 } = {}): Entry {
		const entry = { user, metric, reading: { ...reading, arrived: reading.time + late } };
		this.entries.push(entry);
		return entry;
	}

	remove(entry: Entry) {
		this.entries = this.entries.filter((one) => one !== entry);
	}

	readings(userId: string, metric: MetricName, from: number, to: number): Reading[] {
		return this.entries
			.filter((entry) => entry.user.user_id === userId && entry.metric === metric)
			.map(({ reading }) => reading)
			.filter(({ time }) => time >= from && time <= to)
			.sort((a, b) => a.time - b.time);
	}
}

export const at = (iso: string) => DateTime.fromISO(iso, { zone: 'utc' }).toMillis();
