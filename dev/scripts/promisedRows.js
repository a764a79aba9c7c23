/** Rows of the public interface that tables of users depend on: columns, ids, and the trigger's saved state. */
const { join } = require('node:path');

/**
 * What a row is made of in the code.
 * @typedef {{ value: string }} Metric
 * @typedef {{ value: string, key: string[], time: string }} Event
 */

const USER = { user_id: '', client_user_id: null };

/** @type {(what: string, columns: string[]) => string} */
const columnLine = (what, columns) => `${what}: columns ${columns.join(', ')}`;

/** @param {string} folder of the node @param {Metric} metric @returns {object[]} */
function emptyReadings(folder, metric) {
	const { groupsOf, readingRows } = require(join(folder, 'service/readings/rows'));
	return readingRows({ metric }, groupsOf({ groups: { any: [{ data: [{}] }] } }), USER);
}

const NO_OPTIONS = { limits: {}, onlyStatus: [], hasTimeZone: false };
/** Options that add columns. */
const ALL_OPTIONS = {
	...{ limits: { mean: [1], high: [1], enough: [1, 1] }, onlyStatus: ['high'] },
	...{ compareWith: 'period', hasTimeZone: true },
};

/** @param {string} folder of the node @param {Metric} metric */
function metricLines(folder, metric) {
	/** @type {{ OUTPUTS: Array<{ value: string, columns: (options: object) => string[] }> }} */
	const { OUTPUTS } = require(join(folder, 'resources/timeseries/output'));
	return OUTPUTS.flatMap(({ value, columns }) => [
		columnLine(`${value} of ${metric.value}`, columns({ ...NO_OPTIONS, metric })),
		columnLine(`${value} of ${metric.value} with all options`, columns({ ...ALL_OPTIONS, metric })),
	]);
}

/** @param {string} folder of the node @param {Metric} metric */
function pollLines(folder, metric) {
	const { ALERT_COLUMNS, userColumns } = require(join(folder, 'messages/alert'));
	return [
		columnLine(`event ${metric.value} by user`, userColumns(metric, { high: [1] })),
		columnLine(`event ${metric.value} as a message`, ALERT_COLUMNS),
	];
}

/** @param {string} folder of the node @param {Event} event @param {Metric} [metric] a new user has no columns of ours but `row_id` */
function eventLines(folder, event, metric) {
	const { toItem } = require(join(folder, 'service/readings/identity'));
	const empty = metric ? emptyReadings(folder, metric)[0] : { row_id: null };
	const row = { ...empty, change: 'created' };
	return [
		columnLine(`event ${event.value}`, Object.keys(toItem(event, { key: '', row }, () => null))),
		`event ${event.value}: the row_id is made of ${[...event.key, event.time].join(', ')}`,
		...exampleIds(folder, event).map((id, index) => `event ${event.value}: example ${index + 1} has row_id ${id}`),
	];
}

/** Two rows with the same key and different values: tables are updated by their ids. @param {string} folder @param {Event} event */
function exampleIds(folder, event) {
	const { identify, toItem } = require(join(folder, 'service/readings/identity'));
	const same = { user_id: 'u', provider: 'p', source_type: 's', [event.time]: '2026-01-02T03:04:05.678901+00:00' };
	const rows = [1, 2].map((value) => ({ ...same, systolic: value, diastolic: value, end: '', value }));
	/** @type {Array<{ key: string }>} */
	const identified = identify(event, rows);
	return [...new Set(identified.map((row) => toItem(event, row, () => null).row_id))];
}

/**
 * The promised columns in their order, from the code that makes them, and the fields of a trigger's `row_id` and saved state.
 * @param {string} folder of the node
 * @returns {string[]}
 */
function rowLines(folder) {
	/** @type {{ metrics: Metric[] }} */
	const { metrics } = require(join(folder, 'service/readings/metrics'));
	/** @type {{ events: Event[] }} */
	const { events } = require(join(folder, 'trigger/events'));
	const { startState } = require(join(folder, 'trigger/state'));
	const metricOf = (/** @type {Event} */ { value }) => metrics.find((one) => one.value === value);
	return [
		...metrics.flatMap((metric) => [...metricLines(folder, metric), ...pollLines(folder, metric)]),
		...events.flatMap((event) => eventLines(folder, event, metricOf(event))),
		`state of the trigger: version ${startState('', '', 0, 0).version}`,
	];
}

module.exports = { rowLines };
