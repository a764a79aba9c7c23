/** Table of metrics. A new metric is one more entry (docs/adding-a-metric.md). */
import type { Aggregate } from './aggregates';

export interface ThresholdOption {
	column: string;
	/** Whether values of at least, or of at most, the threshold reach it. */
	at: 'least' | 'most';
	/** Name of the trigger's option in saved workflows: never changes. */
	option: string;
	name: string;
	default: number;
}

export interface Metric {
	/** Value of the operation in saved workflows: never changes. */
	value: string;
	name: string;
	action: string;
	description: string;
	/** For the trigger: name of the event, and one reading in a sentence. */
	event: string;
	noun: string;
	/** Name in the service's path (contract 4.1, 4.2). */
	path: string;
	/** Fields of a data point (contract 2.2, 2.3), in the order of the row's columns. The first is the time. */
	columns: readonly string[];
	/** Thresholds for which the trigger has an option: a reading that reaches one starts the workflow. */
	thresholds: readonly ThresholdOption[];
	/** Aggregates of each measured column in *One Item per Day* and *Summary per User*, in order: `systolic_mean` and so on. */
	daily: Readonly<Record<string, readonly Aggregate[]>>;
}

export const metrics: Metric[] = [
	{
		value: 'bloodPressure',
		name: 'Blood Pressure',
		action: 'Get blood pressure readings',
		description: 'Retrieve systolic and diastolic pressure readings of a user',
		event: 'New Blood Pressure Reading',
		noun: 'blood pressure reading',
		path: 'blood_pressure',
		columns: ['timestamp', 'systolic', 'diastolic', 'unit'],
		thresholds: [
			// Defaults for a single reading, with sources in docs/operations.md, "Limits in the examples".
			{
				column: 'systolic',
				at: 'least',
				option: 'minSystolic',
				name: 'Minimum Systolic',
				default: 180,
			},
			{
				column: 'diastolic',
				at: 'least',
				option: 'minDiastolic',
				name: 'Minimum Diastolic',
				default: 110,
			},
			{ column: 'systolic', at: 'most', option: 'lowSystolic', name: 'Low Systolic', default: 90 },
			{
				column: 'diastolic',
				at: 'most',
				option: 'lowDiastolic',
				name: 'Low Diastolic',
				default: 50,
			},
		],
		daily: { systolic: ['mean', 'min', 'max'], diastolic: ['mean', 'min', 'max'] },
	},
	{
		value: 'mindfulnessMinutes',
		name: 'Mindfulness Minutes',
		action: 'Get mindfulness minutes',
		description: 'Retrieve the mindfulness sessions of a user with their length in minutes',
		event: 'New Mindfulness Session',
		noun: 'mindfulness session',
		path: 'mindfulness_minutes',
		columns: ['start', 'end', 'value', 'unit'],
		thresholds: [
			{ column: 'value', at: 'least', option: 'minValue', name: 'Minimum Minutes', default: 10 },
		],
		daily: { value: ['sum'] },
	},
];

/** Path of the readings of a user (contract 4.1, 4.2); without a user ID, a template. */
export const pathOf = ({ path }: Metric, userId?: string) =>
	`/v2/timeseries/${userId === undefined ? '{user_id}' : encodeURIComponent(userId)}/${path}/grouped`;
