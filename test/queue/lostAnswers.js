/**
 * A line on which every call arrives, and from which no answer comes back.
 */
// Plain JavaScript: the strict lint forbids `node:http` in TypeScript files.
const { createServer } = require('node:http');

/**
 * @param {string} target where it leads to
 * @param {Record<string, string>} headers with which
 */
exports.losingAnswersOf = async (target, headers) => {
	let lost = 0;
	const server = createServer(async (request, response) => {
		const chunks = [];
		for await (const chunk of request) chunks.push(chunk);
		const body = Buffer.concat(chunks);
		await (await fetch(target, { method: 'POST', headers, body })).text();
		lost++;
		response.destroy();
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
	const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
	return { address: `http://127.0.0.1:${port}`, lost: () => lost, close: () => server.close() };
};
