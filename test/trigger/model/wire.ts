/** Response formats of a history's service: sources without a type in three. */
import type { IDataObject } from 'n8n-workflow';
import type { RateLimit } from './faults';
import { writtenAs } from './values';
import type { Measured, Person } from './world';

export type Answer = { statusCode: number; body: unknown; headers: IDataObject };

export const answer = (statusCode: number, body: unknown): Answer => ({ statusCode, body, headers: {} });

/** A 429, with Retry-After where the limit says when. */
export const throttledAnswer = ({ isAnnounced }: RateLimit, retryAfterMs: number): Answer => ({
	...answer(429, { detail: 'Too many requests' }),
	headers: isAnnounced ? { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) } : {},
});

export const userOf = ({ userId, clientUserId, team, createdOn }: Person) => ({
	user_id: userId,
	client_user_id: clientUserId,
	team_id: team,
	created_on: new Date(createdOn).toISOString(),
	connected_sources: [],
});

/** A group of one reading. `turn` changes how nothing is written. */
export function groupWith(one: Measured, code: number, turn: number) {
	const nothing = [{}, { type: null }, { type: '' }][turn % 3];
	const timestamp = one.time === null ? null : new Date(one.time).toISOString().replace('Z', `${one.micro}+00:00`);
	const { systolic, diastolic, unit } = writtenAs(code);
	const point = { timestamp, systolic, diastolic, unit, nr: one.nr, code };
	return {
		data: [one.ownId === undefined ? point : { ...point, id: one.ownId }],
		source: { provider: one.provider, ...(one.type === null ? nothing : { type: one.type }) },
	};
}

const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

/** Answers in which one value is not what it should be. */
export const malformed = ({ nr }: Person): Answer => {
	const bad = nr % 2 === 0 ? { toString: null } : (JSON.parse(DEEP) as unknown);
	const point = { timestamp: '2026-06-01T11:00:00Z', systolic: 120, diastolic: 80, unit: 'mmHg' };
	const source = { provider: 'omron', type: 'cuff' };
	const name = ['systolic', 'timestamp', 'unit', 'type', 'provider'][nr % 5];
	const isOfSource = name in source;
	const group = {
		data: [isOfSource ? point : { ...point, [name]: bad }],
		source: isOfSource ? { ...source, [name]: bad } : source,
	};
	return answer(200, { groups: { omron: [group] }, next_cursor: null });
};
