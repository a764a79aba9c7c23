/**
 * Metrics that the sandbox serves: the shape of a point, the providers that measure it, and generated values. One more metric
 * is one more entry (docs/adding-a-metric.md).
 */
import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { Grouped, iso, Time } from './schemas';

/** Random values of a reading, the same for every metric. */
export interface Drawn {
	minutes: number;
	systolic: number;
	diastolic: number;
}

interface SandboxMetric<T extends TSchema> {
	/** Shape of a point. */
	shape: T;
	/** Slugs of the providers that measure it. */
	providers: string[];
	/** A reading at an instant (epoch milliseconds). */
	point: (time: number, drawn: Drawn) => Static<T>;
}

/** Its points fit its shape, or this does not compile. */
const metric = <T extends TSchema>(one: SandboxMetric<T>) => ({ ...one, answer: Grouped(one.shape) });

/** The metrics by their name in the path. */
export const METRICS = {
	blood_pressure: metric({
		shape: Type.Object({
			timestamp: Time,
			systolic: Type.Number(),
			diastolic: Type.Number(),
			unit: Type.String(),
		}),
		providers: ['omron', 'withings', 'apple_health_kit'],
		point: (time, { systolic, diastolic }) => ({ timestamp: iso(time), systolic, diastolic, unit: 'mmHg' }),
	}),
	mindfulness_minutes: metric({
		shape: Type.Object({ start: Time, end: Time, unit: Type.String(), value: Type.Number() }),
		providers: ['apple_health_kit', 'fitbit', 'oura'],
		point: (time, { minutes }) => ({
			start: iso(time),
			end: iso(time + minutes * 60_000),
			unit: 'min',
			value: minutes,
		}),
	}),
};

export type MetricName = keyof typeof METRICS;
type PointOf<T extends MetricName> = Static<(typeof METRICS)[T]['shape']>;
export type Point = PointOf<MetricName>;
export type BloodPressurePoint = PointOf<'blood_pressure'>;
export type MindfulnessPoint = PointOf<'mindfulness_minutes'>;
