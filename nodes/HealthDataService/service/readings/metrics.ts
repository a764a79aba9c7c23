/** Table of metrics. A new metric is one more entry (docs/adding-a-metric.md). */
import { isBlank } from '../../shared/values';

/** How the values of a period become one. */
export type Aggregate = 'sum' | 'mean' | 'min' | 'max';

/** Groups of *Limits* in saved workflows: they never change. */
export type LimitGroup = 'mean' | 'high' | 'low' | 'enough';

export interface ThresholdField {
	/** In saved workflows: never changes. No two metrics share one, or 10 minutes would be read as 10 mmHg. */
	name: string;
	label: string;
	default: number;
}

export interface LimitFields {
	label: string;
	/** One for each measured column, in their order; for `enough`, readings and days. */
	thresholds: readonly ThresholdField[];
}

/** The numbers of a group, in the order of its fields; undefined for none. */
export type Thresholds = ReadonlyArray<number | undefined>;

/** The groups that have a number. */
export type Limits = Partial<Record<LimitGroup, Thresholds>>;

/** How values of a unit are converted to the unit of the metric. */
export interface Conversion {
	/** NaN for an unknown unit. */
	factor: number;
	/** Decimals of a converted value that is shown or compared. */
	decimals: number;
}

export interface Unit {
	name: string;
	/** By spelling: lower case, no blanks. */
	from: Readonly<Record<string, Conversion>>;
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
	/** Fields of a data point with its times (contract 2.2, 2.3). The first says when it was measured. */
	times: readonly string[];
	/** Its measured fields in order, each with its aggregates in rows of a day and of a user: `systolic_mean` and so on. */
	measured: Readonly<Record<string, readonly Aggregate[]>>;
	/** Whether the means are also one text, such as 152.0/84.6. */
	hasMeanText?: boolean;
	/** Unit in which measured values are compared and aggregated. */
	unit: Unit;
	/** Whether a person can have these values: those of the measured columns, in the metric's unit, not rounded; NaN where one is missing. */
	isPossible: (...values: number[]) => boolean;
	/** Whether each measured value is below the one before it, as diastolic is below systolic. */
	isDescending?: boolean;
	/**
	 * The fields of *Limits*. A reading that reaches `high` or `low` starts the workflow of a trigger.
	 * Days and summaries have limits if there is a `mean`.
	 */
	limits: Partial<Record<LimitGroup, LimitFields>>;
}

/** False for NaN. */
const isOutside = (value: number, least: number, most: number) =>
	value < least || value > most;

/** Of the metric's own unit. */
export const asIs: Conversion = { factor: 1, decimals: 1 };
const ofSeconds: Conversion = { factor: 1 / 60, decimals: 1 };
const ofHours: Conversion = { factor: 60, decimals: 1 };
/** Of an unknown unit. */
export const unknown: Conversion = { factor: NaN, decimals: 0 };
/** Devices show kPa with one decimal, which is 0.75 mmHg: a decimal of mmHg would be invented. */
const ofKPa: Conversion = { factor: 7.50062, decimals: 0 };

const threshold = (
	name: string,
	label: string,
	whenMissing: number,
): ThresholdField => ({ name, label, default: whenMissing });

export const metrics: Metric[] = [
	{
		value: 'bloodPressure',
		name: 'Blood Pressure',
		action: 'Get blood pressure readings',
		description:
			'Retrieve systolic and diastolic pressure readings, of all users by default',
		event: 'New Blood Pressure Reading',
		noun: 'blood pressure reading',
		path: 'blood_pressure',
		times: ['timestamp'],
		measured: {
			systolic: ['mean', 'min', 'max'],
			diastolic: ['mean', 'min', 'max'],
		},
		hasMeanText: true,
		unit: {
			name: 'mmHg',
			from: {
				mmhg: asIs,
				'mm[hg]': asIs,
				'mm/hg': asIs,
				torr: asIs,
				kpa: ofKPa,
				kilopascal: ofKPa,
				kilopascals: ofKPa,
			},
		},
		isPossible: (systolic, diastolic) =>
			!isOutside(systolic, 20, 350) &&
			!isOutside(diastolic, 10, 250) &&
			!(systolic <= diastolic),
		isDescending: true,
		// Sources of the defaults: docs/operations.md, "Limits in the examples".
		limits: {
			mean: {
				label: 'Mean At or Above',
				thresholds: [
					threshold('systolic', 'Mean Systolic', 135),
					threshold('diastolic', 'Mean Diastolic', 85),
				],
			},
			high: {
				label: 'Reading At or Above',
				thresholds: [
					threshold('systolic', 'High Systolic', 180),
					threshold('diastolic', 'High Diastolic', 110),
				],
			},
			low: {
				label: 'Reading At or Below',
				thresholds: [
					threshold('systolic', 'Low Systolic', 90),
					threshold('diastolic', 'Low Diastolic', 50),
				],
			},
			enough: {
				label: 'Enough Readings',
				thresholds: [
					threshold('readings', 'Enough Readings', 12),
					threshold('days', 'Enough Days', 3),
				],
			},
		},
	},
	{
		value: 'mindfulnessMinutes',
		name: 'Mindfulness Minutes',
		action: 'Get mindfulness minutes',
		description:
			'Retrieve mindfulness sessions with their length in minutes, of all users by default',
		event: 'New Mindfulness Session',
		noun: 'mindfulness session',
		path: 'mindfulness_minutes',
		times: ['start', 'end'],
		measured: { value: ['sum'] },
		unit: {
			name: 'min',
			from: {
				min: asIs,
				mins: asIs,
				minute: asIs,
				minutes: asIs,
				s: ofSeconds,
				sec: ofSeconds,
				secs: ofSeconds,
				second: ofSeconds,
				seconds: ofSeconds,
				h: ofHours,
				hr: ofHours,
				hrs: ofHours,
				hour: ofHours,
				hours: ofHours,
			},
		},
		isPossible: (minutes) => !(minutes <= 0) && !(minutes > 1_440),
		limits: {
			high: {
				label: 'Session At or Above',
				thresholds: [threshold('minutes', 'Minutes', 10)],
			},
		},
	},
];

/** The measured fields of a data point, in order. */
export const measuredColumns = (metric: Metric) => Object.keys(metric.measured);

/** The aggregates of a period: their columns, the place of the measured one, and whether it is the first of that. */
export const aggregatesOf = ({ measured }: Metric) =>
	Object.entries(measured).flatMap(([name, hows], at) =>
		hows.map((how) => {
			const column = `${name}_${how}`;
			return { column, how, at, isFirst: how === hows[0] };
		}),
	);

/** The conversion of a unit in any spelling. No unit counts as the metric's; an unknown one gives no numbers (quirk 7). */
export function conversionOf({ name, from }: Unit, given: unknown) {
	const unit = isBlank(given) ? name : given;
	const spelling = typeof unit === 'string' ? spellingOf(unit) : '';
	return Object.hasOwn(from, spelling) ? from[spelling] : unknown;
}

/** Lower case without blanks: units are spelled in several ways (quirk 7). */
export const spellingOf = (unit: string) =>
	unit.replace(/\s/g, '').toLowerCase();

/** All fields of a data point that have a column of their own (contract 2.2, 2.3). */
export const columnsOf = (metric: Metric) => [
	...measuredColumns(metric),
	'unit',
	...metric.times,
];

/** Path of the readings of a user (contract 4.1, 4.2); without an encoded user ID, a template. */
export const pathOf = ({ path }: Metric, userId = '{user_id}') =>
	`/v2/timeseries/${userId}/${path}/grouped`;
