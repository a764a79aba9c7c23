/** Clock of a poll: the time that it may be, by n8n's clock and the `Date` header of answers. */
import { Clock, CLOCK_ERROR_MS } from '../../../nodes/HealthDataService/trigger/clock';

const NOW = Date.UTC(2026, 5, 1, 12);
const STARTED = 5000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** After a minute of the poll, with answers that came then. @param ahead by how much n8n's clock is ahead, for each answer */
function clockAfter(...ahead: Array<number | string>) {
	jest.spyOn(performance, 'now').mockReturnValue(STARTED + MINUTE);
	jest.spyOn(Date, 'now').mockReturnValue(NOW + MINUTE);
	const clock = new Clock(NOW, STARTED);
	for (const one of ahead)
		clock.onAnswer({ date: typeof one === 'string' ? one : new Date(NOW + MINUTE - one).toUTCString() });
	return {
		time: clock.time - NOW,
		earliest: clock.earliest - NOW,
		latestNow: clock.latestNow - NOW,
	};
}
afterEach(() => jest.restoreAllMocks());

const YEARS = 20 * 365 * 24 * HOUR;

it.each([
	['without an answer it may be a day off', [], 0, MINUTE + CLOCK_ERROR_MS],
	['an answer without a time says nothing', ['soon'], 0, MINUTE + CLOCK_ERROR_MS],
	['a time before this package says nothing', [YEARS], 0, MINUTE + CLOCK_ERROR_MS],
	['of a right clock, devices may be a minute off', [0], 0, 2 * MINUTE],
	['n8n is ahead: the start was earlier', [HOUR], -HOUR, 2 * MINUTE],
	['n8n is behind: it is later now', [-2 * HOUR], 2 * HOUR, 2 * MINUTE + 2 * HOUR],
	['of several answers the latest counts', [2 * HOUR, HOUR, 3 * HOUR], -HOUR, 2 * MINUTE],
])('%s', (_, ahead, time, latestNow) => {
	expect(clockAfter(...ahead)).toEqual({ time, earliest: Math.min(0, time), latestNow });
});
