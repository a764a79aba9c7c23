/**
 * Schemas of the service's responses (TypeBox): source of the sandbox's validation, types and OpenAPI document. Everything
 * beyond the contract is allowed and marked by the switches that add it.
 */
import { Type, type Static, type TSchema } from '@sinclair/typebox';

const Uuid = Type.String({ format: 'uuid' });
export const Time = Type.String({ format: 'date-time' });
const Day = Type.String({ format: 'date' });
/** A time (epoch milliseconds) as the service writes it. */
export const iso = (time: number) => new Date(time).toISOString().replace('Z', '000+00:00');

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const Source = Type.Object({ provider: Type.String(), type: Type.String() });

export const Grouped = <T extends TSchema>(point: T) =>
	Type.Object({
		groups: Type.Record(Type.String(), Type.Array(Type.Object({ data: Type.Array(point), source: Source }))),
		next_cursor: Nullable(Type.String()),
		next: Type.Optional(Nullable(Type.String())),
	});

export const ConnectedSource = Type.Object({
	created_on: Time,
	source: Type.Object({ name: Type.String(), slug: Type.String(), logo: Type.String() }),
});

export const User = Type.Object({
	user_id: Uuid,
	team_id: Uuid,
	client_user_id: Type.String(),
	created_on: Time,
	connected_sources: Type.Array(ConnectedSource),
	fallback_time_zone: Nullable(Type.Object({ id: Type.String(), source_slug: Type.String(), updated_at: Time })),
	fallback_birth_date: Type.Optional(
		Nullable(Type.Object({ value: Day, source_slug: Type.String(), updated_at: Time })),
	),
	ingestion_start: Type.Optional(Nullable(Day)),
	ingestion_end: Type.Optional(Nullable(Day)),
});

export const UserList = Type.Object({
	users: Type.Array(User),
	total: Type.Integer(),
	offset: Type.Integer(),
	limit: Type.Integer(),
});

export const Failure = Type.Object({ detail: Type.Unknown() });

export type User = Static<typeof User>;
export type Source = Static<typeof Source>;
export type GroupedPage = {
	groups: Record<string, Array<{ data: object[]; source: Source }>>;
	next_cursor: string | null;
};
