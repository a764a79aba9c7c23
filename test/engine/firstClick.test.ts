/** The first click of each operation and of the trigger, with all defaults, on the sandbox as it starts: rows come out. */
import type { INodeParameters } from 'n8n-workflow';
import { createWorld, TEAMS, type Reading } from '../../dev/sandbox/world';
import { runNode } from '../helpers/engine';
import { PollingHost } from '../helpers/pollingHost';
import { useSandbox } from '../helpers/requests';

const used = useSandbox(() => ({ world: createWorld() }));
const credential = () => ({ ...used.credential, apiKey: TEAMS[0].key });

it.each<[string, INodeParameters, number]>([
	['nothing chosen', {}, 50],
	['Blood Pressure', { operation: 'bloodPressure' }, 50],
	['Mindfulness Minutes', { operation: 'mindfulnessMinutes' }, 50],
	['User → List', { resource: 'user' }, 50],
])('%s', async (_, parameters, expected) => {
	const { rows, error } = await runNode({ credential: credential(), parameters });
	expect(error).toBeUndefined();
	expect(rows).toHaveLength(expected);
});

describe('Fetch Test Event', () => {
	const show = async (parameters: INodeParameters) => await new PollingHost(credential(), parameters).fetchTestEvent();

	it.each(['bloodPressure', 'mindfulnessMinutes', 'user'])('of %s', async (event) => {
		expect(await show({ event })).toHaveLength(1);
	});

	it.each<[string, INodeParameters, object]>([
		['high', { minSystolic: 180, minDiastolic: 110 }, { systolic: 186, diastolic: 112 }],
		['low', { lowSystolic: 90, lowDiastolic: 50 }, { systolic: 88, diastolic: 48 }],
	])('shows a reading that is too %s', async (_, options, expected) => {
		expect(await show({ event: 'bloodPressure', options })).toMatchObject([expected]);
	});
});

describe('whenever the sandbox is started', () => {
	const HOUR = 3_600_000;
	const monday = Date.UTC(2026, 2, 2);
	const starts = Array.from({ length: 42 }, (_, at) => monday + at * 4 * HOUR + 61_000);
	const isHigh = ({ point }: Reading) => 'systolic' in point && (point.systolic >= 180 || point.diastolic >= 110);
	const isLow = ({ point }: Reading) => 'systolic' in point && (point.systolic <= 90 || point.diastolic <= 50);
	const isCalm = (reading: Reading) => !isHigh(reading) && !isLow(reading);

	it.each([
		['high', isHigh, { systolic: 186, diastolic: 112 }],
		['low', isLow, { systolic: 88, diastolic: 48 }],
	])('the last 48 hours have a %s reading, and a calmer one after it', (_, reaches, expected) => {
		for (const now of starts) {
			const world = createWorld(TEAMS, now);
			const found = world.teams[0].users.slice(0, 50).flatMap(({ user_id }) => {
				const arrived = world
					.readings(user_id, 'blood_pressure', now - 48 * HOUR, now)
					.filter((reading) => reading.arrived <= now);
				const reading = arrived.filter(reaches).at(-1);
				return reading ? [{ reading, after: arrived.slice(arrived.indexOf(reading) + 1) }] : [];
			});
			expect(found).toMatchObject([{ reading: { point: expected } }]);
			expect(found[0].after.some(isCalm)).toBe(true);
		}
	});

	it('every Friday has one of each', () => {
		const world = createWorld(TEAMS, Date.UTC(2020, 0, 1));
		const days = (reaches: (reading: Reading) => boolean) =>
			world.teams[0].users
				.flatMap(({ user_id }) => world.readings(user_id, 'blood_pressure', monday, monday + 28 * 24 * HOUR))
				.filter(reaches)
				.map(({ time }) => new Date(time).getUTCDay());
		expect(days(isHigh)).toEqual([5, 5, 5, 5]);
		expect(days(isLow)).toEqual([5, 5, 5, 5]);
	});
});
