/** Routes of the service: the list of users, Resolve, and the grouped readings of every metric. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { answerFault } from './faults';
import { METRICS, type MetricName } from './metrics';
import { bendPage, bendUser, bendUserList } from './quirks';
import { Failure, User, UserList } from './schemas';
import type { Switches } from './switches';
import { readPage, RequestFailure, type TimeseriesQuery } from './timeseries';
import { troubled } from './troubles';
import type { Team, World } from './world';

const KEY_HEADER = 'x-service-api-key';

const TimeseriesQuerySchema = Type.Object({
	start_date: Type.String(),
	end_date: Type.Optional(Type.String()),
	provider: Type.Optional(Type.String({ default: '' })),
	next_cursor: Type.Optional(Type.String()),
	cursor: Type.Optional(Type.String({ description: 'Deprecated', deprecated: true })),
});

export const routes: FastifyPluginAsyncTypebox<{ world: World; switches: Switches }> = async (
	app,
	{ world, switches },
) => {
	const indexes = new WeakMap<Team['users'], ReturnType<typeof indexed>>();
	const teamOf = (request: FastifyRequest) => {
		const team = world.teams.find(({ key }) => key === request.headers[KEY_HEADER]);
		if (!team) throw new RequestFailure(401, 'Invalid API key');
		const index = indexes.get(team.users) ?? indexed(team);
		indexes.set(team.users, index);
		return index;
	};

	const troubleOf = ({ user_id, client_user_id }: User) => switches.users[user_id] ?? switches.users[client_user_id];

	const listSchema = {
		querystring: Type.Object({
			offset: Type.Optional(Type.Integer({ minimum: 0 })),
			limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
		}),
		response: { 200: UserList, default: Failure },
	};
	app.get('/v2/user', { schema: listSchema, config: { bend: bendUserList } }, async (request) => {
		const { offset = switches.defaultOffset, limit = 100 } = request.query;
		const { users } = teamOf(request);
		if (switches.failsAtEnd && offset >= users.length && offset > 0)
			throw new RequestFailure(switches.failsAtEnd, 'Internal Server Error');
		const from = switches.ignoresOffset ? 0 : offset;
		const page = users.slice(from, switches.ignoresLimit ? undefined : from + Math.min(limit, switches.userPageCap));
		return { users: [...page], total: users.length, offset, limit };
	});

	app.get(
		'/v2/user/resolve/:client_user_id',
		{
			schema: { params: Type.Object({ client_user_id: Type.String() }), response: { 200: User, default: Failure } },
			config: { bend: bendUser },
		},
		async (request) => {
			const { client_user_id } = request.params;
			const user = teamOf(request).byClientId.get(client_user_id);
			if (!user || troubleOf(user) === 'removed') throw new RequestFailure(404, 'User not found');
			return user;
		},
	);

	for (const metric of Object.keys(METRICS) as MetricName[]) {
		app.get(
			`/v2/timeseries/:user_id/${metric}/grouped`,
			{
				schema: {
					params: Type.Object({ user_id: Type.String() }),
					querystring: TimeseriesQuerySchema,
					response: { 200: METRICS[metric].answer, default: Failure },
				},
				config: { bend: bendPage },
			},
			async (request, reply): Promise<never> => {
				const { user_id } = request.params as { user_id: string };
				const user = teamOf(request).byId.get(user_id.toLowerCase());
				if (!user) throw new RequestFailure(404, 'User not found');
				const { next_cursor, ...query } = request.query as TimeseriesQuery;
				const read = (cursor?: string) =>
					readPage(world, user.user_id, metric, { ...query, next_cursor: cursor }, switches);
				const trouble = troubleOf(user);
				if (trouble) {
					return answerFault(reply, troubled(trouble, next_cursor, read), switches) as never;
				}
				// TypeScript cannot see that the page fits the schema of its metric. Fastify checks it at run time.
				return read(next_cursor) as never;
			},
		);
	}
};

/** Index of a team's users, since teams can be large. A changed list gets a new index. */
const indexed = ({ users }: Team) => ({
	users,
	byId: new Map(users.map((user) => [user.user_id.toLowerCase(), user])),
	byClientId: new Map(users.map((user) => [user.client_user_id, user])),
});
