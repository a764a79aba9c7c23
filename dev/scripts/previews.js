/** Output previews, which the editor shows before anything has run: made at the build, from each metric's entry. */
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/** @typedef {Pick<import('../../nodes/HealthDataService/service/readings/metrics').Metric, 'value' | 'times' | 'measured'>} Metric */

const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };
const TEXT_OR_NOTHING = { type: ['string', 'null'] };

/** @type {(columns: readonly string[], type: object) => object} */
const columnsOfType = (columns, type) => Object.fromEntries(columns.map((column) => [column, type]));

/** The columns of a row and their types. @param {Metric} metric */
const previewOf = ({ times, measured }) => ({
	type: 'object',
	properties: {
		client_user_id: TEXT_OR_NOTHING,
		local_time: TEXT_OR_NOTHING,
		...columnsOfType(Object.keys(measured), NUMBER),
		unit: TEXT,
		provider: TEXT,
		source_type: TEXT_OR_NOTHING,
		...columnsOfType(times, TEXT),
		user_id: TEXT,
		row_id: TEXT,
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
