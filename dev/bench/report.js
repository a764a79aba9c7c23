/**
 * Report of `npm run bench` in words and tables: dev/bench/results.md.
 */

/**
 * @typedef {{ name: string, targets: import('./scenarios').Targets, ms: Record<string, number> }} Result
 * @typedef {{ ms: number, requests: number }} Team
 * @typedef {{
 *   n8n: string,
 *   cores: number,
 *   rounds: number,
 *   results: Result[],
 *   team: Record<'sound' | 'broken', Team>,
 *   memory: Record<'loadMs' | 'peakMegabytes', number>,
 *   trigger: Record<'readings' | 'stateMegabytes' | 'bytesPerReading' | 'bookkeepingMs', number>,
 *   polls: Array<import('./triggerPoll').Polled>,
 * }} Measured `memory`, `trigger` and each of `polls`: as memory.js, triggerState.js and triggerPoll.js print it
 */

/** @param {number} ms */
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
/** @param {number} number */
const whole = (number) => Math.round(number).toLocaleString('en');

/** @param {Result} result */
function comparison({ name, ms, targets }) {
	const faster = ms.http / ms.ours;
	const thanUnlimited = ms.unlimited ? `${(ms.unlimited / ms.ours).toFixed(1)}×` : '–';
	const goals = [targets.http && `at least ${targets.http}×`, targets.axios && `at most ${targets.axios}`];
	const times = [ms.ours, ms.http, ms.unlimited, ms.axios].map((one) => (one === undefined ? '–' : Math.round(one)));
	const above = (ms.ours / ms.axios).toFixed(2);
	return `| ${name} | ${faster.toFixed(1)}× | ${thanUnlimited} | ${above} | ${goals.filter(Boolean).join(', ')} | ${times.join(' / ')} |`;
}

/** @param {Result[]} results */
const table = (
	results,
) => `| | Faster than HTTP Request | … that sends all at once | Times the floor (axios) | Goal | ours / HTTP Request / all at once / axios, ms |
|---|---|---|---|---|---|
${results.map(comparison).join('\n')}`;

/** @param {import('./triggerPoll').Polled} polled */
const poll = ({ users, requests, pollMs, floorMs, helperMs, peakMegabytes, stateMegabytes, readings }) =>
	`| ${whole(users)} | ${(pollMs / floorMs).toFixed(2)} | ${(pollMs / helperMs).toFixed(2)} | ${seconds(pollMs)} | ${seconds(floorMs)} | ${seconds(helperMs)} | ${whole(requests)} | ${whole(peakMegabytes)} MB | ${stateMegabytes.toFixed(2)} MB, ${whole(readings)} readings |`;

/** @param {Measured} measured */
function report({ n8n, cores, rounds, results, team: { sound, broken }, memory, trigger, polls }) {
	return `# Benchmark

This node, n8n's HTTP Request node and a plain axios loop do the same work, in turns in one run (\`npm run bench\`; n8n ${n8n}, ${cores} cores, median of ${rounds} rounds).
Compare the ratios: the times depend on the machine.

*50 at once* means: this node and axios have at most 50 requests in flight. The HTTP Request node has no such setting, so Loop Over Items gives it as many users at a time.
In the second column it gets all users together, which a service with a rate limit would refuse. It reads every page with its own pagination and returns the answers unchanged, while this node makes rows of them.
With 20 ms latency, 1,000 requests wait at least 1.25 seconds with 16 at once, and 2.5 seconds with 8. No node can be faster, which limits the ratios there.

${table(results)}

A team of 1,200 with 12 users that always fail (*On Error*: *Continue*) takes ${seconds(broken.ms)} and ${broken.requests} requests; without them ${seconds(sound.ms)} and ${sound.requests}.
The difference is one complete backoff: the twelve get seven attempts each, concurrently, while all other users are read (goal: 1.5 times and one minute; 1,300 + 12 × 7 requests).

Loading the package takes ${Math.round(memory.loadMs)} ms. Reading 100,000 rows in one go takes at most ${Math.round(memory.peakMegabytes)} MB of memory, including garbage that is not collected yet.

## The trigger

A poll that finds nothing new, in n8n's own polling context, compared with a plain loop that reads the same pages (20 ms latency, 8 requests at once; goal: 1.2 times the floor). The loop sends with axios, and with n8n's own request helper, which every node must use. *Memory* is the most that the poll uses beyond the use before it, including garbage that is not collected yet.

| Users | Times the floor (axios) | Times n8n's helper | Poll | axios | n8n's helper | Requests | Memory | Remembered |
|---|---|---|---|---|---|---|---|---|
${polls.map(poll).join('\n')}

It remembers ${whole(trigger.readings)} readings of its window in ${trigger.stateMegabytes.toFixed(1)} MB (${Math.round(trigger.bytesPerReading)} bytes each; goal: 2.6 MB); finding 1,000 new ones among them takes ${Math.round(trigger.bookkeepingMs)} ms beside the requests (goal: 500).
`;
}

module.exports = { report, table };
