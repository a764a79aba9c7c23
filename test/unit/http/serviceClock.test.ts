/** Service clock: earliest and latest time that it may be, by n8n's clock and the `Date` header of answers. */
import { CLOCK_ERROR_MS, serviceClock } from '../../../nodes/HealthDataService/http/serviceClock';

const NOW = Date.UTC(2026, 5, 1, 12);
const STARTED = 5000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** After a minute of the poll, with answers that came then. @param ahead by how much n8n's clock is ahead, for each answer */
function clockAfter(...ahead: Array<number | string>) {
	jest.spyOn(performance, 'now').mockReturnValue(STARTED + MINUTE);
	jest.spyOn(Date, 'now').mockReturnValue(NOW + MINUTE);
	const clock = serviceClock(NOW, STARTED);
	for (const one of ahead)
		clock.onAnswer({ date: typeof one === 'string' ? one : new Date(NOW + MINUTE - one).toUTCString() });
	return {
		earliest: clock.earliest() - NOW,
		corrected: clock.corrected(NOW + HOUR) - NOW,
		latest: clock.latest() - NOW,
	};
}
afterEach(() => jest.restoreAllMocks());

it.each([
	['without an answer it may be a day off', [], 0, MINUTE, MINUTE + CLOCK_ERROR_MS],
	['an answer without a time says nothing', ['soon'], 0, MINUTE, MINUTE + CLOCK_ERROR_MS],
	['a device without a clock says nothing', ['Thu, 01 Jan 1970 00:10:00 GMT'], 0, MINUTE, MINUTE + CLOCK_ERROR_MS],
	[
		'nor a year before the first of this package',
		['Wed, 31 Dec 2025 23:59:00 GMT'],
		0,
		MINUTE,
		MINUTE + CLOCK_ERROR_MS,
	],
	['of a right clock, devices may be a minute off', [0], 0, MINUTE, 2 * MINUTE],
	['n8n is ahead: the start was earlier', [HOUR], -HOUR, MINUTE - HOUR, 2 * MINUTE],
	['n8n is behind: it is later now', [-2 * HOUR], 0, MINUTE, 2 * MINUTE + 2 * HOUR],
	['of several answers the latest counts', [2 * HOUR, HOUR, 3 * HOUR], -HOUR, MINUTE - HOUR, 2 * MINUTE],
])('%s', (_, ahead, earliest, corrected, latest) => {
	expect(clockAfter(...ahead)).toEqual({ earliest, corrected, latest });
});
