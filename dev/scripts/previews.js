/** Output previews, which the editor shows before anything has run: made at the build, from each metric's entry. */
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/** @typedef {Pick<import('../../nodes/HealthDataService/service/readings/metrics').Metric, 'value' | 'columns' | 'daily'>} Metric */

const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };
const TEXT_OR_NOTHING = { type: ['string', 'null'] };

/** The columns of a row and their types. Columns with a daily value are numbers. @param {Metric} metric */
const previewOf = ({ columns, daily }) => ({
	type: 'object',
	properties: {
		client_user_id: TEXT_OR_NOTHING,
		...Object.fromEntries(columns.map((column) => [column, column in daily ? NUMBER : TEXT])),
		provider: TEXT,
		source_type: TEXT_OR_NOTHING,
		user_id: TEXT,
		id: TEXT,
	},
	version: 1,
});

/** Writes the previews of all metrics where n8n looks for them. @param {string} node folder of the compiled node */
function writePreviews(node) {
	const folder = join(node, '__schema__', 'v1.0.0', 'timeseries');
	mkdirSync(folder, { recursive: true });
	/** @type {{ metrics: Metric[] }} */
	const { metrics } = require(join(node, 'service', 'readings', 'metrics.js'));
	for (const metric of metrics) {
		writeFileSync(join(folder, `${metric.value}.json`), `${JSON.stringify(previewOf(metric), null, '\t')}\n`);
	}
}

module.exports = { previewOf, writePreviews };
