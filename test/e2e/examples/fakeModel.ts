/**
 * Fake service of a chat model (OpenAI's chat completions): gives the configured answers in order, and records the
 * requests.
 */
import fastify from 'fastify';

export interface Message {
	role: string;
	content: string | null;
	tool_calls?: ToolCall[];
	tool_call_id?: string;
}

interface ToolCall {
	id: string;
	type: 'function';
	function: { name: string; arguments: string };
}

export interface Asked {
	messages: Message[];
	tools: Array<{
		function: { name: string; description: string; parameters: { properties: object; required: string[] } };
	}>;
}

export const says = (content: string): Message => ({ role: 'assistant', content });

/** An answer that asks for tools, each with its arguments. */
export const calls = (tools: Record<string, object>): Message => ({
	role: 'assistant',
	content: null,
	tool_calls: Object.entries(tools).map(([name, given]) => ({
		id: `call-${name}`,
		type: 'function',
		function: { name, arguments: JSON.stringify(given) },
	})),
});

export async function startModel() {
	const asked: Asked[] = [];
	const answers: Message[] = [];
	const service = fastify();
	service.post('/v1/chat/completions', ({ body }) => {
		asked.push(body as Asked);
		const message = answers.shift();
		if (!message) throw new Error('The model was asked once more than the test expects');
		return {
			id: 'completion',
			object: 'chat.completion',
			created: 0,
			model: 'fake',
			choices: [{ index: 0, message, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	});
	const address = await service.listen({ host: '127.0.0.1', port: 0 });
	return { url: `${address}/v1`, asked, answers, close: async () => await service.close() };
}
