/** Advice for an item with too many rows: only changes that its own fields allow. */
import { OUTPUTS } from '../../../../nodes/HealthDataService/resources/timeseries/output';
import { readLess } from '../../../../nodes/HealthDataService/resources/timeseries/parameters';

const PERIOD = "a shorter 'Date Range'";
const LISTED = "'Users' set to Listed Users, with the user IDs shared between several input items";
const FEWER = "fewer 'User IDs' in each of several input items";

it.each([
	['readings', 'one', [PERIOD, "'Output' set to One Item per Day or One Item per User"]],
	['readings', 'listed', [PERIOD, "'Output' set to One Item per Day or One Item per User", FEWER]],
	['daily', 'one', [PERIOD, "'Output' set to One Item per User"]],
	['daily', 'all', [PERIOD, "'Output' set to One Item per User", LISTED]],
	['summary', 'all', [LISTED]],
	['summary', 'listed', [FEWER]],
	['grouped', 'all', [LISTED]],
	['grouped', 'listed', [FEWER]],
] as const)('%s of %s', (output, scope, ways) => {
	const { fewerRows } = OUTPUTS.find(({ value }) => value === output)!;
	expect(readLess({ fewerRows }, scope)).toBe(`Read less in one go: ${ways.join(', or ')}`);
});
