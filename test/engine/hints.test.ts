import { hintsFor } from '../helpers/engine';
import { STEADY } from '../helpers/people';
import { bloodPressureOf, byUserId, listUsers, resolve } from '../helpers/requests';

const items = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));
const readings = bloodPressureOf(byUserId(STEADY.user_id), { returnAll: false, limit: 5 });

it.each([
	['at the limit', readings, 5, 1],
	['beyond it, with several input items', readings, 12, 1],
	['below it', readings, 4, 0],
	['nothing', readings, 0, 0],
	['everything asked for', bloodPressureOf(byUserId(STEADY.user_id)), 60, 0],
	['users at the limit', listUsers({ limit: 2 }), 2, 1],
	['one user found', resolve('x'), 1, 0],
])('says that Limit may have cut the result: %s', async (_, parameters, count, expected) => {
	const hints = await hintsFor(parameters, items(count));
	expect(hints).toHaveLength(expected);
	for (const hint of hints) expect(hint).toContain("'Limit'");
});
