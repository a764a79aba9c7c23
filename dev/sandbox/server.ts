/**
 * The service of the contract on a loopback port: four operations, one header, FastAPI-like errors.
 */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import responseValidation from '@fastify/response-validation';
import swagger from '@fastify/swagger';
import { Type } from '@sinclair/typebox';
import addFormats from 'ajv-formats';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { sleep } from 'n8n-workflow';
import { answerFault, bendPage, bendUser, bendUserList, isStraight, type Bend } from './quirks';
import { METRICS, type MetricName } from './metrics';
import { readPage, RequestFailure, type TimeseriesQuery } from './timeseries';
import { Failure, User, UserList } from './schemas';
import { defaultSwitches, type Switches } from './switches';
import { troubled } from './troubles';
import { createWorld, uuid, type Team, type World } from './world';

export interface Sandbox {
	baseUrl: string;
	world: World;
	switches: Switches;
	/** Path and query of every request, in the order they came. */
	requests: string[];
	/** What the requests did together. */
	load: { inFlight: number; mostInFlight: number; refused: number };
	openapi(): object;
	close(): Promise<void>;
}

export interface SandboxOptions {
	world?: World;
	/** 0 picks a free one. */
	port?: number;
	switches?: Partial<Switches>;
	/** Off only where the sandbox must not be what takes the time. */
	checksItself?: boolean;
}

const KEY_HEADER = 'x-service-api-key';

const TimeseriesQuerySchema = Type.Object({
	start_date: Type.String(),
	end_date: Type.Optional(Type.String()),
	provider: Type.Optional(Type.String({ default: '' })),
	next_cursor: Type.Optional(Type.String()),
	cursor: Type.Optional(Type.String({ description: 'Deprecated', deprecated: true })),
});

export async function startSandbox({
	world = createWorld(),
	port = 0,
	switches: given = {},
	checksItself = true,
}: SandboxOptions = {}): Promise<Sandbox> {
	const switches: Switches = { ...defaultSwitches(), ...given };
	const requests: string[] = [];
	const load = { inFlight: 0, mostInFlight: 0, refused: 0 };
	let removed = 0;

	const app = fastify({
		forceCloseConnections: true,
		routerOptions: { maxParamLength: 5000, ignoreTrailingSlash: true },
	}).withTypeProvider<TypeBoxTypeProvider>();
	await app.register(swagger, { openapi: { info: { title: 'Health Data Service (sandbox)', version: '2' } } });
	if (checksItself) await app.register(responseValidation, { ajv: { plugins: [addFormats] } });

	app.setErrorHandler(
		(
			error: Error & { validation?: Array<{ instancePath: string; message?: string }>; validationContext?: string },
			request,
			reply,
		) => {
			if (error instanceof RequestFailure) return reply.code(error.status).send({ detail: error.detail });
			if (!error.validation) return reply.code(500).type('text/plain').send('Internal Server Error');
			if (switches.failsOutOfRange) return reply.code(500).type('text/plain').send('Internal Server Error');
			const where = error.validationContext === 'querystring' ? 'query' : 'path';
			return reply.code(422).send({
				detail: error.validation.map(({ instancePath, message }) => ({
					type: 'value_error',
					loc: [where, instancePath.slice(1) || 'start_date'],
					msg: message,
					input: (request.query as Record<string, unknown>)[instancePath.slice(1)],
				})),
			});
		},
	);

	app.addHook('onRequest', async (request, reply) => {
		requests.push(request.url);
		load.inFlight++;
		load.mostInFlight = Math.max(load.mostInFlight, load.inFlight);
		reply.raw.once('close', () => load.inFlight--);
		if (load.inFlight > switches.mostAtOnce) {
			load.refused++;
			return answerFault(reply, { status: 429, body: { detail: 'Too many requests' } });
		}
		if (switches.latencyMs > 0) await sleep(switches.latencyMs);

		const fault = switches.fault(requests.length, request.url);
		if (fault && 'delayMs' in fault) await sleep(fault.delayMs);
		else if (fault) return answerFault(reply, fault);
		redirect(request, reply, switches);
	});

	// After validation and serialisation: the straight answer has satisfied the contract before it is bent.
	app.addHook('onSend', async (request, reply, payload) => {
		const { bend } = request.routeOptions.config as { bend?: Bend };
		if (!bend || isStraight(switches) || reply.statusCode !== 200 || typeof payload !== 'string') return payload;
		return JSON.stringify(bend(JSON.parse(payload) as never, switches));
	});

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
		const isMoving = switches.usersMove || switches.userTotal === 'shrinking';
		const users = teamOf(request).users.slice(isMoving ? removed++ : 0);
		if (switches.usersMove) users.push(...Array.from({ length: removed - 1 }, (_, i) => newcomer(users[0], i)));
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
				if (trouble) return answerFault(reply, troubled(trouble, next_cursor, read)) as never;
				// The page fits the schema of its own metric, which TypeScript cannot see from here; it is checked at run time.
				return read(next_cursor) as never;
			},
		);
	}
	app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());

	await app.listen({ host: '127.0.0.1', port });
	const { port: bound } = app.server.address() as { port: number };
	return {
		baseUrl: `http://127.0.0.1:${bound}`,
		world,
		switches,
		requests,
		load,
		openapi: () => app.swagger(),
		close: async () => await app.close(),
	};
}

/** Somebody who has joined since the world was made. */
const newcomer = (like: Team['users'][number], number: number) => ({
	...like,
	user_id: uuid('newcomer', number),
	client_user_id: `newcomer-${number}`,
	connected_sources: [],
});

/** Teams can be large: their users are found without going through the list. A new list, as after a change, gets a new index. */
const indexed = ({ users }: Team) => ({
	users,
	byId: new Map(users.map((user) => [user.user_id, user])),
	byClientId: new Map(users.map((user) => [user.client_user_id, user])),
});

/** Quirk 13: the form without a slash redirects to the one with it, or somewhere it should not. */
function redirect({ url }: FastifyRequest, reply: FastifyReply, { redirect: where, otherOrigin }: Switches) {
	const [path, query = ''] = url.split('?');
	if (where === 'none' || (where !== 'forever' && path.endsWith('/'))) return;
	const origin = where === 'otherOrigin' ? otherOrigin : '';
	reply
		.code(307)
		.header('location', `${origin}${path}${path.endsWith('/') ? '' : '/'}?${query}`)
		.send();
}
