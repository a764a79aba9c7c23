/**
 * The metrics that can be read. One more metric is one more entry here, and a schema preview beside the others.
 */
export interface Metric {
	/** Value of the operation in saved workflows: never changes. */
	value: string;
	name: string;
	action: string;
	description: string;
	/** Name in the service's path (contract 4.1, 4.2). */
	path: string;
	/** Fields of a data point (contract 2.2, 2.3), in the order of the row's columns. */
	columns: readonly string[];
}

export const metrics: Metric[] = [
	{
		value: 'bloodPressure',
		name: 'Blood Pressure',
		action: 'Get blood pressure readings',
		description: 'Retrieve systolic and diastolic pressure readings of a user',
		path: 'blood_pressure',
		columns: ['timestamp', 'systolic', 'diastolic', 'unit'],
	},
	{
		value: 'mindfulnessMinutes',
		name: 'Mindfulness Minutes',
		action: 'Get mindfulness minutes',
		description: 'Retrieve the mindfulness sessions of a user with their length in minutes',
		path: 'mindfulness_minutes',
		columns: ['start', 'end', 'value', 'unit'],
	},
];
