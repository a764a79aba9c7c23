/** Fake Slack: keeps the messages it accepts, and accepts none while set to refuse. */
import fastify from 'fastify';

export async function startSlack() {
	const messages: string[] = [];
	/** Messages that did not get in, a new try of the same included. */
	const refused: string[] = [];
	const slack = { messages, refused, refuses: (): boolean => false };

	const service = fastify();
	service.post('/', async ({ body }, reply) => {
		const { text } = body as { text: string };
		const isRefused = slack.refuses();
		(isRefused ? refused : messages).push(text);
		return await reply.code(isRefused ? 503 : 200).send({ ok: !isRefused });
	});
	const url = await service.listen({ host: '127.0.0.1', port: 0 });
	return Object.assign(slack, { url, close: async () => await service.close() });
}
