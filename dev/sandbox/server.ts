/** Server of the contract on a loopback port: four operations, one header, FastAPI-like errors. */
import responseValidation from '@fastify/response-validation';
import swagger from '@fastify/swagger';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import fastify from 'fastify';
import { sleep } from 'n8n-workflow';
import { answerFault, redirect } from './faults';
import { isStraight, withRawTokens, type Bend } from './quirks';
import { routes } from './routes';
import { defaultSwitches, type Switches } from './switches';
import { RequestFailure } from './timeseries';
import { createWorld, type World } from './world';

export interface Sandbox {
	baseUrl: string;
	world: World;
	switches: Switches;
	/** Path and query of every request, in the order they came. */
	requests: string[];
	/** Statistics of all requests. */
	load: { inFlight: number; mostInFlight: number; refused: number };
	close(): Promise<void>;
}

export interface SandboxOptions {
	world?: World;
	/** 0 picks a free one. */
	port?: number;
	switches?: Partial<Switches>;
	/** Off only where the sandbox's own time would distort a measurement. */
	checksItself?: boolean;
}

/** One for all servers: it compiles each schema once. */
const RESPONSE_AJV = addFormats(new Ajv({ allErrors: true }));

export async function startSandbox({
	world = createWorld(),
	port = 0,
	switches: given = {},
	checksItself = true,
}: SandboxOptions = {}): Promise<Sandbox> {
	const switches: Switches = { ...defaultSwitches(), ...given };
	const requests: string[] = [];
	const load = { inFlight: 0, mostInFlight: 0, refused: 0 };

	const app = fastify({
		forceCloseConnections: true,
		routerOptions: { maxParamLength: 5000, ignoreTrailingSlash: true },
	});
	await app.register(swagger, { openapi: { info: { title: 'Health Data Service (sandbox)', version: '2' } } });
	if (checksItself) await app.register(responseValidation, { ajv: RESPONSE_AJV });

	app.setErrorHandler(
		(
			error: Error & { validation?: Array<{ instancePath: string; message?: string }>; validationContext?: string },
			request,
			reply,
		) => {
			if (error instanceof RequestFailure && error.status === 404 && switches.notFound !== 'detail')
				return answerFault(reply, { status: 404 }, switches);
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

	app.setNotFoundHandler(() => {
		throw new RequestFailure(404, 'Not Found');
	});

	app.addHook('onRequest', async (request, reply) => {
		requests.push(request.url);
		const date = (switches.date ?? switches.now)();
		if (date === undefined) reply.raw.sendDate = false;
		else reply.raw.setHeader('date', new Date(date).toUTCString());
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

	// After validation and serialisation: the response has satisfied the contract before it is changed.
	app.addHook('onSend', async (request, reply, payload) => {
		const { bend } = request.routeOptions.config as { bend?: Bend };
		if (!bend || isStraight(switches) || reply.statusCode !== 200 || typeof payload !== 'string') return payload;
		if (switches.isPartial) reply.code(206);
		return withRawTokens(JSON.stringify(bend(JSON.parse(payload) as never, switches)), switches);
	});

	await app.register(routes, { world, switches });
	app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());

	await app.listen({ host: '127.0.0.1', port });
	const { port: bound } = app.server.address() as { port: number };
	return {
		baseUrl: `http://127.0.0.1:${bound}`,
		world,
		switches,
		requests,
		load,
		close: async () => await app.close(),
	};
}
