/**
 * Faulty answers: errors, malformed bodies, connections that are cut or deliver byte by byte. They bypass Fastify, which would
 * validate and serialise them.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sleep } from 'n8n-workflow';
import type { Fault, Switches } from './switches';
import { NOT_FOUND } from './troubles';

export function answerFault(
	reply: FastifyReply,
	fault: Exclude<Fault, { delayMs: number }>,
	{ notFound = 'detail' }: Partial<Switches> = {},
) {
	reply.hijack();
	if (notFound !== 'detail' && 'status' in fault && fault.status === 404)
		fault = { status: 404, ...NOT_FOUND[notFound] };
	if ('drop' in fault) return cutOff(reply.raw, fault.drop);
	if ('dripMs' in fault) return void drip(reply.raw, fault.dripMs);
	const { status, body = '', headers, type } = fault;
	const isText = typeof body === 'string';
	reply.raw.writeHead(status, { 'content-type': type ?? (isText ? 'text/plain' : 'application/json'), ...headers });
	reply.raw.end(isText ? body : JSON.stringify(body));
}

function cutOff(raw: FastifyReply['raw'], how: Extract<Fault, { drop: unknown }>['drop']) {
	const begun = '{"groups": {"omron": [{"data": [';
	const headers = { 'content-type': 'application/json', ...(how === 'insideBody' && { 'content-length': 1000 }) };
	if (how === 'withoutLength') raw.useChunkedEncodingByDefault = raw.shouldKeepAlive = false;
	if (how !== 'beforeAnswer') raw.writeHead(200, headers);
	if (how === 'withoutLength') raw.end(begun);
	else if (how === 'insideChunks') raw.write(begun, () => raw.destroy());
	else {
		if (how === 'insideBody') raw.write(begun);
		raw.destroy();
	}
}

async function drip(raw: FastifyReply['raw'], everyMs: number) {
	raw.writeHead(200, { 'content-type': 'application/json' });
	for (; !raw.destroyed; await sleep(everyMs)) raw.write(' ');
}

/** Quirk 13: a path without a trailing slash redirects to the one with it, or to another origin. */
export function redirect({ url }: FastifyRequest, reply: FastifyReply, { redirect: where, otherOrigin }: Switches) {
	const [path, query = ''] = url.split('?');
	if (where === 'none' || (where !== 'forever' && path.endsWith('/'))) return;
	const origin = where === 'otherOrigin' ? otherOrigin : '';
	reply
		.code(307)
		.header('location', `${origin}${path}${path.endsWith('/') ? '' : '/'}?${query}`)
		.send();
}
