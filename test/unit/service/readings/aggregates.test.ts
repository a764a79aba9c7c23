/** Sums and averages: the same in any order, and without the rounding errors of addition. */
import { aggregate } from '../../../../nodes/HealthDataService/service/readings/aggregates';
import { fc } from '../../../helpers/properties';

/** Thousandths, so that the oracle can add whole numbers. */
const thousandths = fc.oneof(
	fc.integer({ min: 0, max: 300_000 }),
	fc.integer({ min: 0, max: 2500 }).map((tenths) => tenths * 100),
	fc.integer({ min: 40, max: 250 }).map((whole) => whole * 1000),
);

it('is to the last decimal, in any order', () => {
	fc.assert(
		fc.property(fc.array(thousandths, { minLength: 1, maxLength: 40 }), (numbers) => {
			const values = numbers.map((number) => number / 1000);
			const whole = numbers.map(BigInt);
			const [count, total] = [BigInt(whole.length), whole.reduce((a, b) => a + b)];
			const sorted = [...numbers].sort((a, b) => a - b);
			// Half goes up: the floor of twice as much and one, halved, all in whole numbers.
			const twice = 2n * total * 10n + 1000n * count;
			const floor = twice / (2000n * count) - (twice < 0n && twice % (2000n * count) !== 0n ? 1n : 0n);
			const expected = {
				sum: Number((total + 50n) / 100n) / 10,
				mean: Number(floor) / 10,
				min: sorted[0] / 1000,
				max: sorted.at(-1)! / 1000,
			};
			for (const order of [values, [...values].reverse()])
				for (const [how, result] of Object.entries(expected))
					expect([how, aggregate(how as keyof typeof expected, order)]).toEqual([how, result]);
		}),
	);
});

it('is the same in any order, also of numbers with too many digits to be added exactly', () => {
	const double = fc.double({ min: -1000, max: 1000, noNaN: true });
	fc.assert(
		fc.property(fc.array(double, { minLength: 3, maxLength: 10 }), (values) => {
			for (const how of ['sum', 'mean'] as const)
				expect(aggregate(how, [...values].reverse())).toBe(aggregate(how, values));
		}),
	);
});

it('is null without a value', () => {
	for (const how of ['sum', 'mean', 'min', 'max'] as const) expect(aggregate(how, [])).toBeNull();
});

it('has no rounding error of an addition, whatever the size', () => {
	for (const value of [12.5, 1e21, 1.5e300, 0]) expect(aggregate('sum', [value])).toBe(value);
	expect(aggregate('sum', [12.5166666667])).toBe(12.5);
	// 300 sessions of 2 seconds.
	expect(aggregate('sum', Array(300).fill(2 / 60))).toBe(10);
	expect(aggregate('sum', Array(10_000).fill(0.1))).toBe(1000);
	expect(aggregate('sum', [0.1, 0.2])).toBe(0.3);
	expect(aggregate('mean', [-0.04])).toBe(0);
	expect(aggregate('sum', [-0])).toBe(0);
});

it('takes more values than the call stack holds', () => {
	const values = Array.from({ length: 200_000 }, (_, i) => i);
	expect(aggregate('max', values)).toBe(199_999);
	expect(aggregate('min', values)).toBe(0);
	expect(aggregate('mean', values)).toBe(99_999.5);
});
