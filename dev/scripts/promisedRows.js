/** Rows of the public interface that tables of users depend on: columns, ids, and the trigger's saved state. */
const { join } = require('node:path');

/**
 * The promised columns in their order, from the code that makes them, and the fields of a trigger's `id` and saved state.
 * @param {string} folder of the node
 * @returns {string[]}
 */
function rowLines(folder) {
	/** @type {{ metrics: Array<{ value: string, columns: string[] }> }} */
	const { metrics } = require(join(folder, 'service/metrics'));
	const { readingRows } = require(join(folder, 'service/readings'));
	const { dailyRows } = require(join(folder, 'service/daily'));
	const { Summary } = require(join(folder, 'service/summary'));
	/** @type {{ events: Array<{ value: string, key: string[], time: string }> }} */
	const { events } = require(join(folder, 'trigger/events'));
	const { toItem } = require(join(folder, 'trigger/seen'));
	const { identify } = require(join(folder, 'service/readingId'));
	const { startState } = require(join(folder, 'trigger/state'));
	/** @type {(what: string, row: object) => string[]} */
	const columnLines = (what, row) =>
		Object.keys(row).map((column, index) => `${what}: column ${index + 1} is ${column}`);

	/** Two rows with the same key and different values: tables are updated by their ids. @param {{ time: string }} event */
	const exampleIds = (event) => {
		const same = { user_id: 'u', provider: 'p', source_type: 's', [event.time]: '2026-01-02T03:04:05.678901+00:00' };
		const rows = [1, 2].map((value) => ({ ...same, systolic: value, diastolic: value, end: '', value }));
		/** @type {Array<{ key: string }>} */
		const identified = identify(event, rows);
		return [...new Set(identified.map((row) => toItem(event, { ...row, change: 'created' }).id))];
	};

	const user = { user_id: '', client_user_id: null };
	/** @param {string[]} columns */
	const emptyReadings = (columns) => readingRows({ groups: { any: [{ data: [{}] }] } }, columns, user);
	/** A new user has no columns of ours but `id`. @param {{ value: string }} event */
	const eventRow = ({ value }) => {
		const metric = metrics.find((one) => one.value === value);
		return metric ? emptyReadings(metric.columns)[0] : { id: null };
	};

	return [
		...metrics.flatMap((metric) => {
			const { value, columns } = metric;
			const readings = emptyReadings(columns);
			const [day] = dailyRows(metric, { zone: 'UTC', first: '' })(readings, user);
			const summary = new Summary(metric, { zone: 'UTC', first: '', last: '', provider: '' });
			return [
				...columnLines(`row of ${value}`, readings[0]),
				...columnLines(`row of a day of ${value}`, day),
				...columnLines(`row of a summary of ${value}`, summary.toRow(user)),
			];
		}),
		...events.flatMap((event) => [
			...columnLines(`event ${event.value}`, toItem(event, { key: '', change: 'created', row: eventRow(event) })),
			`event ${event.value}: the id is made of ${[...event.key, event.time].join(', ')}`,
			...exampleIds(event).map((id, index) => `event ${event.value}: example ${index + 1} has id ${id}`),
		]),
		`state of the trigger: version ${startState('', '', 0, 0).version}`,
	];
}

module.exports = { rowLines };
