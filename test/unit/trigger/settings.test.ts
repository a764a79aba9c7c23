/** Settings of the trigger: which rows go out after a change of the thresholds. */
import { CLOCK_ERROR_MS } from '../../../nodes/HealthDataService/http/serviceClock';
import { isWanted } from '../../../nodes/HealthDataService/trigger/settings';

const CHANGE = 1000;
const NOW = 5000;
const least = (value: number) => ({ thresholds: [{ column: 'systolic', least: value }] });

afterEach(() => jest.restoreAllMocks());

it.each([
	['measured before it reaches both', 150, CHANGE, true],
	['measured before it does not reach the one of before', 120, CHANGE, false],
	['measured after it reaches the new one', 120, CHANGE + 1, true],
	['measured after it reaches neither', 99, CHANGE + 1, false],
	['without a time does not reach the one of before', 120, undefined, false],
	['dated ahead as much as clocks are', 120, NOW + CLOCK_ERROR_MS, true],
	['dated ahead by more does not reach the one of before', 120, NOW + CLOCK_ERROR_MS + 1, false],
])('once a threshold was lowered, a reading %s', (_, systolic, time, expected) => {
	jest.spyOn(Date, 'now').mockReturnValue(NOW);
	expect(isWanted({ row: { systolic }, time }, [{ until: CHANGE, ...least(140) }, least(100)])).toBe(expected);
});
