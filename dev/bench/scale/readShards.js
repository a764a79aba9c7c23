/**
 * A whole team in shards through n8n's webhook, all at once; and how long the service takes meanwhile.
 */
const { setTimeout: pause } = require('node:timers/promises');
const { median } = require('../median');
const { plain } = require('../plain');
const { KEY } = require('../workflows');

const PROBE_EVERY_MS = 100;

/** @param {string} url @param {object} body @returns {Promise<{ rows: number }>} */
async function call(url, body) {
	const response = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	if (!response.ok) throw new Error(`A shard failed: ${response.status} ${await response.text()}`);
	return /** @type {{ rows: number }} */ (await response.json());
}

/** The list, then all shards, called at the same moment. Gives the number of rows. @param {string} url @param {string} baseUrl @param {{ shard: number }} setup how many users a shard has */
async function readShards(url, baseUrl, { shard }) {
	const users = await plain(baseUrl).listUsers();
	const shards = Array.from({ length: Math.ceil(users.length / shard) }, (_, number) =>
		users.slice(number * shard, (number + 1) * shard).map(({ user_id }) => user_id),
	);
	const answers = await Promise.all(shards.map(async (userIds) => await call(url, { userIds })));
	return answers.reduce((all, { rows }) => all + rows, 0);
}

/** Milliseconds that the service takes for one more caller, asked again and again while `work` runs. @param {string} baseUrl @param {() => Promise<unknown>} work */
async function latencyWhile(baseUrl, work) {
	let isOver = false;
	const working = work().finally(() => (isOver = true));
	/** @type {number[]} */
	const times = [];
	while (!isOver) {
		const begun = performance.now();
		await (await fetch(`${baseUrl}/v2/user?limit=1`, { headers: { 'x-service-api-key': KEY } })).text();
		times.push(performance.now() - begun);
		await pause(PROBE_EVERY_MS);
	}
	await working;
	return median(times);
}

module.exports = { latencyWhile, readShards };
