/** Table of metrics: names that workflows save belong to one metric, and each entry fits itself. */
import { metrics } from '../../../../nodes/HealthDataService/service/readings/metrics';

const duplicates = (names: string[]) => names.filter((name, index) => names.indexOf(name) !== index);
const thresholds = metrics.flatMap(({ limits }) => Object.values(limits).flatMap((group) => group.thresholds));

it.each([
	['operations', metrics.map(({ value }) => value)],
	['paths', metrics.map(({ path }) => path)],
	['events', metrics.map(({ event }) => event)],
	// An AI agent has one field for each label.
	['labels of limits', thresholds.map(({ label }) => label)],
])('%s are unique', (_, names) => expect(duplicates(names)).toEqual([]));

it('10 minutes saved for one metric are never read as 10 mmHg of another', () => {
	const names = metrics.flatMap(({ limits }) => [
		...new Set(Object.values(limits).flatMap((group) => group.thresholds.map(({ name }) => name))),
	]);
	expect(duplicates(names)).toEqual([]);
});

it('are in alphabetical order', () => {
	const names = metrics.map(({ name }) => name);
	expect(names).toEqual([...names].sort());
});

it.each(metrics)('$value: each group has a limit for each measured column', ({ measured, limits }) => {
	const { enough = { thresholds: [1, 2] }, ...ofValues } = limits;
	for (const { thresholds: ofGroup } of Object.values(ofValues))
		expect(ofGroup).toHaveLength(Object.keys(measured).length);
	expect(enough.thresholds).toHaveLength(2);
});
