/** Response formats of a history's service: times in many forms, sources without a type in three. */
import type { IDataObject } from 'n8n-workflow';
import type { RateLimit } from './progress/rateLimit';
import type { Measured, Person } from './world';

export type Answer = { statusCode: number; body: unknown; headers: IDataObject };

/** How the same instant is written. */
export const STYLES = ['micro', 'z', 'lower', 'short', 'india', 'noZone'] as const;
export type Style = (typeof STYLES)[number];

export const answer = (statusCode: number, body: unknown): Answer => ({ statusCode, body, headers: {} });

/** A 429, with Retry-After where the limit says when. */
export const throttledAnswer = ({ isAnnounced }: RateLimit, retryAfterMs: number): Answer => ({
	...answer(429, { detail: 'Too many requests' }),
	headers: isAnnounced ? { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) } : {},
});

export const userOf = ({ userId, clientUserId, team }: Person) => ({
	user_id: userId,
	client_user_id: clientUserId,
	team_id: team,
	created_on: '2025-01-01T00:00:00.000000+00:00',
	connected_sources: [],
});

/** A group of one reading. `turn` changes how nothing is written. */
export function groupWith(one: Measured, value: number | undefined, style: Style, turn: number) {
	const nothing = [{}, { type: null }, { type: '' }][turn % 3];
	const timestamp = one.time === null ? null : written(one.time, one.micro, style);
	const point = { timestamp, systolic: value, diastolic: 80, unit: 'mmHg', nr: one.nr };
	return {
		data: [one.ownId === undefined ? point : { ...point, id: one.ownId }],
		source: { provider: one.provider, ...(one.type === null ? nothing : { type: one.type }) },
	};
}

function written(time: number, micro: string, style: Style): string {
	const iso = new Date(time).toISOString().replace('Z', micro);
	if (style === 'z') return `${iso}Z`;
	if (style === 'lower') return `${iso.replace('T', ' ')}z`;
	if (style === 'short') return `${iso}+00`;
	if (style === 'noZone') return iso;
	if (style === 'india') return `${new Date(time + 19_800_000).toISOString().replace('Z', micro)}+05:30`;
	return `${iso}+00:00`;
}
