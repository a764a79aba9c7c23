/** Output of the demo on the terminal. */
const { OWNER } = require('../host/restClient');
const { OUR_NODES } = require('./examples');

const MOST_ROWS = 20;

const items = (/** @type {number} */ count) => `${count.toLocaleString('en')} item${count === 1 ? '' : 's'}`;

/** Messages in full length; of other rows a table, without long columns for machines. @param {import('./runExample').Step['rows']} rows */
function sayRows(rows) {
	const shown = rows.slice(0, MOST_ROWS);
	if (shown.every(({ text }) => typeof text === 'string')) for (const { text } of shown) console.log(text);
	else console.table(shown.map(({ row_id, user_id, timestamp, ...row }) => row));
	if (rows.length > shown.length) console.log(`… and ${rows.length - shown.length} more`);
	console.log();
}

/** @param {string} name @param {import('./runExample').Result} result @param {string} timeZone */
function sayResult(name, { failure, read, withheld }, timeZone) {
	console.log();
	for (const step of read) console.log(`"${step.name}" gave ${items(step.rows.length)}.`);
	for (const { name: step, rows } of withheld) {
		console.log(`"${step}" is switched off in the demo. It would have got ${items(rows.length)}:\n`);
		sayRows(rows);
	}
	console.log(failure ? `"${name}" failed: ${failure}` : `Times are those of ${timeZone}, here and in n8n.`);
}

/**
 * @param {{ n8nUrl: string, workflow: import('./runExample').Stored, sandboxUrl: string, key: string, isWatching?: boolean }} running
 */
function sayNextSteps({ n8nUrl, workflow, sandboxUrl, key, isWatching }) {
	const ours = workflow.nodes.find(({ type }) => type.startsWith(OUR_NODES));
	const steps = [
		'Click "Execute workflow" below the canvas.',
		...(ours ? [`Double-click "${ours.name}" to see its fields and the rows it gave.`] : []),
		...(ours && 'dateRange' in ours.parameters
			? ['Change "Output" to Summary per User and click "Execute step": a row for each person.']
			: []),
		...(isWatching ? ['Change a label below nodes/ and save: after a few seconds, the open node shows it.'] : []),
	];
	console.log(`
n8n is running. Open the example; the others are beside it, under Overview:

   Address    ${n8nUrl}/workflow/${workflow.id}
   E-mail     ${OWNER.email}
   Password   ${OWNER.password}

${steps.map((step, at) => `   ${at + 1}. ${step}`).join('\n')}

The credential "Sandbox" is in it. For one of your own:

   Base URL   ${sandboxUrl}
   API Key    ${key}

Ctrl-C stops n8n and the sandbox.`);
}

module.exports = { sayNextSteps, sayResult };
