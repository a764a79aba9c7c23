/** Sums and averages: the same in any order, and without the rounding errors of addition. */
import { aggregate } from '../../../../nodes/HealthDataService/service/readings/aggregates';
import { fc } from '../../../helpers/properties';

it('is the same in any order', () => {
	const double = fc.double({ min: -1000, max: 1000, noNaN: true });
	fc.assert(
		fc.property(fc.array(double, { minLength: 3, maxLength: 10 }), (values) => {
			for (const how of ['sum', 'mean'] as const)
				expect(aggregate(how, [...values].reverse())).toBe(aggregate(how, values));
		}),
	);
});

it.each<[Parameters<typeof aggregate>[0], number[], number]>([
	['sum', [120.04, 80.02], 200.1],
	['sum', [0.05], 0.1],
	['sum', [0.049], 0],
	['mean', [120, 121], 120.5],
	['mean', [1, 1, 2], 1.3],
	['mean', [134.9, 135], 135],
	['mean', [134.9, 134.9, 135], 134.9],
	['min', [121.25, 120.5, 130], 120.5],
	['max', [121.25, 120.5, 130.5], 130.5],
])('the %s of %j is %d: half of a tenth goes up', (how, values, expected) => {
	expect(aggregate(how, values)).toBe(expected);
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
